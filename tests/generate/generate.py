#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one generated multi-file CUDA program: its sources and manifest.json.

  generate.py --seed 7 --out DIR

The same seed gives the same files. build.py compiles and links what this writes.
"""

import argparse
import sys

from dice import Dice
from features import FEATURES, LATER_FEATURES, LATER_FROM
from program import Program


def file_count(dice):
    """Mostly small programs; one in thirty has 20 to 40 files."""
    size = dice.below(30)
    if size == 0:
        return dice.between(20, 40)
    if size < 4:
        return dice.between(6, 12)
    return dice.between(2, 4)


def choose_options(program, dice):
    """Compiler options, for all files or for some."""
    style = dice.below(20)
    everywhere = dice.chance(0.6)
    registers = dice.pick([32, 48, 128])
    for file in program.files:
        chosen = everywhere or dice.chance(0.5)
        if style == 0:
            file.debug = chosen
            file.lineinfo = not chosen and dice.chance(0.5)
        elif style in (1, 2) and chosen:
            file.lineinfo = True
        elif style == 3:
            # In all files: a kernel may not call a function that has more registers than its limit.
            file.assembler_flags.append("-maxrregcount=%d" % registers)
            if file.language == "cuda":
                file.compiler_flags += ["-maxreg", str(registers)]
        elif style == 4 and chosen:
            file.assembler_flags.append(dice.pick(["-O1", "-O2"]))
        elif style in (5, 6, 7) and file.language == "cuda":
            file.native = True
    if style < 8:
        program.features.append(["debug", "lineinfo", "lineinfo", "maxrregcount", "optimization",
                                 "native ptx", "native ptx", "native ptx"][style])


def generate(seed):
    dice = Dice("culink", seed)
    program = Program(seed, file_count(dice.fork("size")))
    later = LATER_FEATURES if seed >= LATER_FROM else []
    for name, probability, add in later + FEATURES:
        own = dice.fork(name)
        if own.chance(probability):
            program.features.append(name)
            add(program, own)
    choose_options(program, dice.fork("options"))
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True, help="folder to write to")
    options = parser.parse_args()
    generate(options.seed).write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
