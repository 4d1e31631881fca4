#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what nvlink and culink print with -v and -dump-callgraph about generated programs.

  run_reports.py --seeds 1-60 --targets sm_75,sm_90 --cache DIR

Of the messages only the warnings about stacks are compared here, beside the reports: the lines of the call
graph, and the lines about memory and kernels. Exit status: 0 all the same, 1 something differs, 77 no nvlink here.
"""

import argparse
import concurrent.futures
import difflib
import os
import re
import shutil
import sys
import tempfile

from cached_toolchain import CachedToolchain, LinkMemory, run_linker
from run_diff import TARGETS, add_device_runtime, parse_seeds

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "generate"))
from build import Build  # noqa: E402
from generate import generate  # noqa: E402
from toolchain import find_toolkit  # noqa: E402

REPORT = re.compile(r"\d+: |#|callgraph for|regcount |nvlink warning : Stack size |"
                    r"nvlink info    : (\d+ bytes gmem|Function prop|used )")
OPTION_SETS = {"plain": [], "g": ["-g"], "preserve": ["-preserve-relocs"], "r": ["-r"], "suppress": ["-g", "-suppress-debug-info"],
               "kernel": None}  # with one kernel of the program


def report_lines(log):
    return [line for line in log.splitlines() if REPORT.match(line)]


def compare(options, tools, seed, targets):
    """Yields (target, name of the option set, None or the lines that differ)."""
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "s%04d" % seed)
        generate(seed).write(folder)
        build = Build(tools, folder)
        kernels = build.manifest["kernels"]
        for target in targets:
            memory = LinkMemory(tools, "reports-s%04d-%s" % (seed, target))
            objects = build.compile(target)
            place = os.path.join(scratch, target, os.path.basename(folder))
            shutil.move(os.path.join(folder, target), place)
            if build.manifest["link"]["device_runtime"]:
                objects = objects + add_device_runtime(tools, target, place)
            for name, words in OPTION_SETS.items():
                if words is None:
                    words = ["-kernels-used=" + kernels[0]] if kernels else []
                arguments = (["-arch=" + target, "-v", "-dump-callgraph"] + words + objects +
                             ["-o", "out.cubin"])
                reference = memory.link(place, arguments, objects, "out.cubin", False)
                if reference["status"] != 0:
                    continue
                _, log = run_linker([options.culink, tools.emulation(), "--error-format=nvlink"] + arguments, place)
                first, second = report_lines(reference["log"]), report_lines(log)
                difference = None if first == second else [
                    line for line in difflib.unified_diff(first, second, "nvlink", "culink",
                                                          lineterm="", n=0)]
                results.append((target, name, difference))
            memory.save()
    return results


def run(options, cache):
    tools = CachedToolchain(cache)
    targets = TARGETS if options.targets == "all" else options.targets.split(",")
    same = told = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = [(seed, pool.submit(compare, options, tools, seed, targets))
                for seed in parse_seeds(options.seeds)]
        different = 0
        for seed, task in work:
            for target, name, difference in task.result():
                if difference is None:
                    same += 1
                    continue
                different += 1
                told += 1
                if told <= options.limit:
                    print("seed %d %s %s:" % (seed, target, name))
                    print("\n".join("    " + line for line in difference[:12]))
    print("%d reports the same, %d different" % (same, different))
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seeds", default="1-20", help="for example 1-60 or 3,7,20-25")
    parser.add_argument("--targets", default="sm_75,sm_90", help="list with commas, or 'all'")
    parser.add_argument("--cache", default=None, help="folder that remembers compiled objects")
    parser.add_argument("--culink", default=os.environ.get("CULINK"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=int, default=20, help="differences shown")
    options = parser.parse_args()
    if not options.culink:
        parser.error("--culink (or $CULINK) names the program to test")
    options.culink = os.path.abspath(options.culink)
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    if options.cache:
        return run(options, options.cache)
    with tempfile.TemporaryDirectory() as cache:
        return run(options, cache)


if __name__ == "__main__":
    sys.exit(main())
