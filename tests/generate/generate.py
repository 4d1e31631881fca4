#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one generated multi-file CUDA program: its sources and manifest.json.

  generate.py --seed 7 --out DIR

The same seed gives the same files. build.py compiles and links what this writes.
"""

import argparse
import sys

from dice import Dice
from features import (FEATURES, LATER_FEATURES, LATER_FROM, LATEST_FEATURES, LATEST_FROM, NEWEST_FEATURES,
                      NEWEST_FROM)
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


# Options of the assembler that leave traces in objects.
ASSEMBLER_FLAGS = ["-O0", "-O1", "-dlcm=cg", "-dlcm=cv", "-fmad=false", "-disable-optimizer-consts",
                   "-device-stack-protector=true", "-make-errors-visible-at-exit", "-sp-bounds-check",
                   "-preserve-relocs", "-legacy-bar-warp-wide-behavior", "-annotate", "-regUsageLevel=2",
                   "-Ofc=max", "-allow-expensive-optimizations=false", "-dscm=wt"]


def choose_later_options(program, dice):
    """Files that were compiled with other options than their neighbours, or for an older target of
    the family."""
    style = dice.below(10)
    if style in (0, 1, 2):
        for file in dice.sample(program.files, dice.between(1, len(program.files))):
            if not file.debug:
                file.assembler_flags.append(dice.pick(ASSEMBLER_FLAGS))
        program.features.append("assembler options")
    elif style in (3, 4):
        for file in dice.sample(program.files, dice.between(1, len(program.files))):
            file.older = True
        program.features.append("older targets")
    elif style == 5:
        for file in program.cuda_files:
            file.visible = dice.chance(0.5)
        program.features.append("default visibility")
    elif style in (6, 7):
        for file in program.files:
            kind = dice.below(3)
            file.debug = file.language == "cuda" and kind == 0
            file.lineinfo = kind == 1
            if file.debug:  # not together with optimisation
                file.assembler_flags = [flag for flag in file.assembler_flags if flag[:2] != "-O"]
        program.features.append("mixed debug")


def generate(seed, kernel_prefix=""):
    dice = Dice("culink", seed)
    program = Program(seed, file_count(dice.fork("size")))
    later = LATER_FEATURES if seed >= LATER_FROM else []
    latest = LATEST_FEATURES if seed >= LATEST_FROM else []
    newest = NEWEST_FEATURES if seed >= NEWEST_FROM else []
    for name, probability, add in newest + latest + later + FEATURES:
        own = dice.fork(name)
        if own.chance(probability):
            program.features.append(name)
            add(program, own)
    choose_options(program, dice.fork("options"))
    if latest:
        choose_later_options(program, dice.fork("later options"))
    if kernel_prefix and program.kernels:
        program.rename_kernels(kernel_prefix)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", required=True, help="folder to write to")
    parser.add_argument("--kernel-prefix", default="", help="before the names of all kernels")
    options = parser.parse_args()
    generate(options.seed, options.kernel_prefix).write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
