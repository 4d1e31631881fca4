#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Equal inputs give equal outputs, also where NVIDIA's optimiser writes another order in every run.

It does so with several threads, from sm_100 on, and in haste (Q177). Links a generated program several times in these
ways with culink (CULINK) and compares the bytes. Skipped where there is no compiler for it.
"""

import os
import shutil
import sys
import tempfile

from programs import Program
from run_lto import Compiler, link

SEED = 24  # a program of five files in whose variables the order shows
TIMES = 5
WAYS = {
    "threads": ["-split-compile=4", "-emit-ptx"],
    "haste": ["-Ofc=max", "-emit-ptx"],
    "parts": ["-split-compile-extended=3"],
}


def main():
    nvcc = shutil.which("nvcc")
    cuda = os.environ.get("CUDA_HOME") or (os.path.dirname(os.path.dirname(os.path.realpath(nvcc))) if nvcc else "")
    if not os.path.exists(os.path.join(cuda, "bin", "nvcc")):
        print("skipped: no nvcc here")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        program = Program(SEED)
        program.write(folder)
        compiler = Compiler(cuda, folder)
        files = [compiler.file(name, "o", "sm_100") for name in program.files]
        for way, options in WAYS.items():
            words = ["-arch=sm_100", "-dlto", f"-L{cuda}/lib64", "-lcudadevrt", *options, *files]
            results = [link([os.path.abspath(os.environ["CULINK"]), f"--cuda={cuda}", "--no-cache"], words, folder, f"out{i}") for i in range(TIMES)]
            outputs = {data for _, _, data in results}
            print(f"{way}: {TIMES} links, {len(outputs)} outputs")
            if len(outputs) != 1 or None in outputs:
                wrong.append(f"{way}: {len(outputs)} outputs; {results[0][1]}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
