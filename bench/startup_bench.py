#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long the smallest link takes: two objects, four functions. That is start-up, mostly.

    bench/startup_bench.py [--culink FILE] [--nvlink FILE] [--runs N]

The linkers take turns, so that a busy machine is busy for both. culink is copied first, as it is
when it is installed: a file that a host linker has just written lies scattered in memory. Shown are wall time and processor
time (user and system) of each run: the median, the fastest tenth, and the fastest. Without nvlink
culink is measured alone. Nothing is asserted; docs/benchmarks.md has the numbers of a quiet machine.
"""
import argparse
import os
import shutil
import statistics
import tempfile
import time

# Links are measured, not what culink remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OBJECTS = os.path.join(ROOT, "examples", "vector_math", "sm_90")


def measure(program, arguments):
    """(wall, processor) of one run, in milliseconds."""
    begin = time.perf_counter()
    child = os.posix_spawn(program, [program, *arguments], os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        raise SystemExit("%s failed" % program)
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3


def row(name, values):
    values = sorted(values)
    tenth = statistics.mean(values[:max(1, len(values) // 10)])
    return "%-16s %8.2f %8.2f %8.2f" % (name, statistics.median(values), tenth, values[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK", os.path.join(
        ROOT, "build", "release", "bin", "culink")))
    parser.add_argument("--nvlink", default=shutil.which("nvlink") or "/usr/local/cuda/bin/nvlink")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = {"culink": shutil.copy(options.culink, folder)}
        if os.access(options.nvlink, os.X_OK):
            programs["nvlink"] = options.nvlink
        times = {name: [] for name in programs}
        arguments = ["-arch=sm_90", os.path.join(OBJECTS, "main.cubin"),
                     os.path.join(OBJECTS, "filter.cubin"), "-o", os.path.join(folder, "out.cubin")]
        for _ in range(options.runs):
            for name, program in programs.items():
                times[name].append(measure(program, arguments))
    print("%d runs of each, ms %11s %8s %8s" % (options.runs, "median", "tenth", "best"))
    for name, values in times.items():
        print(row(name + ", wall", [wall for wall, _ in values]))
        print(row(name + ", cpu", [cpu for _, cpu in values]))


if __name__ == "__main__":
    main()
