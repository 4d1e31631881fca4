#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a flat folder of cubins from generated programs.

  make_corpus.py --count 50 --targets sm_75,sm_90,sm_100 --out DIR

Names: s<seed>-<target>-<file>.cubin for objects, s<seed>-<target>-linked-<options>.cubin for nvlink's
outputs. With --spread each program is built for one of the targets in turn instead of for all. With
--own no output is made that would contain code of NVIDIA's device runtime library.
"""

import argparse
import concurrent.futures
import os
import resource
import shutil
import sys
import tempfile

from build import TARGETS, Build
from generate import generate
from toolchain import ToolError, Toolchain


def make_program(tools, seed, targets, links, out, own):
    """Builds one program and moves its cubins to `out`; returns how many, and the failures."""
    made, failures = 0, []
    with tempfile.TemporaryDirectory() as folder:
        generate(seed).write(folder)
        build = Build(tools, folder)
        if own and build.manifest["link"]["device_runtime"]:
            links = []
        for target in targets:
            stem = os.path.join(out, "s%04d-%s-" % (seed, target))
            try:
                objects = build.compile(target)
                for name in links:
                    if name in build.manifest["link"]["options"]:
                        path = build.link(target, objects, name)
                        if path:
                            shutil.move(path, stem + "linked-%s.cubin" % name)
                            made += 1
                for name in objects:
                    shutil.move(os.path.join(folder, target, name), stem + name)
                    made += 1
            except ToolError as error:
                failures.append("seed %d, %s: %s" % (seed, target, error))
    return made, failures


def make_corpus(seeds, targets, links, out, jobs=2, spread=False, own=False):
    """Returns the number of cubins made and the list of failures."""
    os.makedirs(out, exist_ok=True)
    tools = Toolchain()
    made, failures = 0, []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        work = []
        for index, seed in enumerate(seeds):
            chosen = [targets[index % len(targets)]] if spread else targets
            work.append(pool.submit(make_program, tools, seed, chosen, links, out, own))
        for task in work:
            count, problems = task.result()
            made += count
            failures += problems
    return made, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=20, help="number of programs")
    parser.add_argument("--targets", default="sm_75,sm_90", help="list with commas, or 'all'")
    parser.add_argument("--links", default="plain,relocatable", help="option sets to link with")
    parser.add_argument("--spread", action="store_true", help="one target per program, in turn")
    parser.add_argument("--own", action="store_true", help="nothing linked with NVIDIA's library")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    targets = TARGETS if options.targets == "all" else options.targets.split(",")
    try:
        seeds = range(options.first, options.first + options.count)
        made, failures = make_corpus(seeds, targets, options.links.split(","), options.out,
                                     options.jobs, options.spread, options.own)
    except ToolError as error:
        print("error: %s" % error, file=sys.stderr)
        return 1
    for failure in failures:
        print("error: %s" % failure, file=sys.stderr)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("%d cubins of %d programs, %d failures, %.1f s of processor time"
          % (made, options.count, len(failures), used.ru_utime + used.ru_stime))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
