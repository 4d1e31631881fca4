# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ptx_bench.py [--files=N] [--functions=N]: links PTX files with nvlink, with culink --threads=1 and
with culink, three times each, and prints the best times. culink runs one ptxas per file, as many at
once as there are threads; nvlink compiles one file after the other. The outputs must be the same.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

# Links are measured, not what culink remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
CULINK = os.environ.get("CULINK", os.path.join(HERE, "..", "build", "release", "bin", "culink"))
PATH = os.environ.get("PATH", "") + ":/usr/local/cuda/bin"
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


def ptx(file, functions):
    """A file of functions that keep a compiler busy, and a kernel that calls them."""
    text = HEAD
    for number in range(functions):
        text += (".visible .func (.reg .f32 r) f%d_%d(.reg .f32 x)\n{\n.reg .f32 a, b;\n.reg .pred p;\n"
                 "mov.f32 a, x;\nmov.f32 b, 0f3F800000;\nLOOP:\n" % (file, number))
        for step in range(120):
            text += ("fma.rn.f32 a, a, b, 0f3F8%05X;\nsqrt.rn.f32 b, a;\n"
                     "div.rn.f32 a, a, b;\n" % (file * 4096 + number * 128 + step))
        text += "setp.gt.f32 p, a, b;\n@p bra LOOP;\nadd.f32 r, a, b;\nret;\n}\n"
    text += ".visible .entry k%d(.param .u64 out)\n{\n.reg .f32 x;\n.reg .u64 q;\n" % file
    text += "ld.param.u64 q, [out];\nld.f32 x, [q];\n"
    for number in range(functions):
        text += "call.uni (x), f%d_%d, (x);\n" % (file, number)
    return text + "st.f32 [q], x;\nret;\n}\n"


def best_time(command, folder):
    times = []
    for _ in range(3):
        start = time.monotonic()
        subprocess.run(command, cwd=folder, check=True)
        times.append(time.monotonic() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=16)
    parser.add_argument("--functions", type=int, default=24)
    given = parser.parse_args()
    nvlink = shutil.which("nvlink", path=PATH)
    if not nvlink:
        sys.exit("no nvlink")
    with tempfile.TemporaryDirectory() as folder:
        names = ["m%d.ptx" % file for file in range(given.files)]
        for file, name in enumerate(names):
            with open(os.path.join(folder, name), "w", encoding="ascii") as out:
                out.write(ptx(file, given.functions))
        ours = [os.path.abspath(CULINK), "--emulate=nvlink-13.0.88"]
        outputs = set()
        print("%d files of %d functions, %d processors" %
              (given.files, given.functions, os.cpu_count()))
        for label, program in (("nvlink", [nvlink]), ("culink --threads=1", ours + ["--threads=1"]),
                               ("culink", ours)):
            command = program + ["-arch=sm_90", "-o", "out.cubin"] + names
            print("%-20s %6.2f s" % (label, best_time(command, folder)))
            with open(os.path.join(folder, "out.cubin"), "rb") as file:
                outputs.add(file.read())
        print("outputs are " + ("the same" if len(outputs) == 1 else "different"))
        sys.exit(0 if len(outputs) == 1 else 1)


if __name__ == "__main__":
    main()
