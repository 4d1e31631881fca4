#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the cubin tool understands real cubins completely.

For every file: `cubin text --exact` and `cubin assemble` give the same bytes back, `cubin verify`
accepts it, and `cubin dump --all` shows it without a warning.

  roundtrip.py shipped                     every cubin under examples/ and tests/
  roundtrip.py generated --count 200 --targets all --spread
                                           cubins of generated programs, objects and nvlink's outputs
  roundtrip.py many-sections [--nvlink]    files with 70,000 sections
  roundtrip.py files FILE...

$CUBIN names the program to test. Without nvcc, what needs it exits with 77 (skipped).
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "generate"))

from build import TARGETS                                # noqa: E402
from make_corpus import make_corpus                      # noqa: E402
from many_sections import link_many, synthesize          # noqa: E402
from toolchain import Toolchain, find_toolkit            # noqa: E402

SKIPPED = 77
# A folder whose objects have relocations that reach beyond the end of their section.
OVERRUNS = "pointers_wider_than_their_data"
NO_COMPILER = "skipped: nvcc not found (13.0 or later)"
LINKS = ["plain", "relocatable", "debug", "preserve"]
# ctest's share: small, and every kind of target at least once.
QUICK_SEEDS = range(1, 13)
QUICK_TARGETS = ["sm_75", "sm_90", "sm_100", "sm_80", "sm_90a", "sm_120", "sm_86", "sm_103a",
                 "sm_110", "sm_89", "sm_121f", "sm_87"]


def cubin(*arguments, output=None):
    program = os.environ.get("CUBIN", os.path.join(ROOT, "build", "release", "bin", "cubin"))
    with open(output or os.devnull, "wb") as stdout:
        return subprocess.run([program, *arguments], stdout=stdout, stderr=subprocess.PIPE,
                              text=True, errors="replace", check=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def first_difference(left, right):
    for at, (a, b) in enumerate(zip(left, right)):
        if a != b:
            return "byte 0x%x is 0x%02x, was 0x%02x" % (at, b, a)
    return "size is %d, was %d" % (len(right), len(left))


def problems_of(path, text):
    """Runs all checks on one file; `text` is where its text form goes. Yields what went wrong."""
    rebuilt = text + ".cubin"
    done = cubin("text", "--exact", path, output=text)
    if done.returncode != 0:
        yield "text --exact: exit %d: %s" % (done.returncode, done.stderr.strip())
    else:
        done = cubin("assemble", text, "-o", rebuilt)
        if done.returncode != 0:
            yield "assemble: exit %d: %s" % (done.returncode, done.stderr.strip())
        else:
            before, after = read(path), read(rebuilt)
            if before != after:
                yield "text and back: " + first_difference(before, after)
    done = cubin("verify", path, output=text)
    if os.sep + OVERRUNS + os.sep in path and b"r_offset of entry" in read(text):
        return  # what ptxas makes of them
    if done.returncode != 0:
        yield "verify: exit %d: %s" % (done.returncode, read(text).decode(errors="replace")[:500])
    done = cubin("dump", "--all", path)
    if done.returncode != 0 or done.stderr:
        yield "dump --all: exit %d: %s" % (done.returncode, done.stderr.strip()[:500])


def check_files(paths, jobs=2):
    """Checks files in parallel; returns the problems, one text each, in the order of the files."""
    with tempfile.TemporaryDirectory() as folder:
        def check(numbered):
            number, path = numbered
            text = os.path.join(folder, "%d.yaml" % number)
            found = ["%s: %s" % (path, problem) for problem in problems_of(path, text)]
            for name in (text, text + ".cubin"):
                if os.path.exists(name):
                    os.remove(name)
            return found
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return [problem for found in pool.map(check, enumerate(paths)) for problem in found]


def report(paths, problems):
    for problem in problems[:20]:
        print(problem)
    if len(problems) > 20:
        print("... and %d more" % (len(problems) - 20))
    if not paths:
        print("no cubins found")
        return 1
    print("%d files, %d problems" % (len(paths), len(problems)))
    return 1 if problems else 0


def cubins_below(*folders):
    found = []
    for folder in folders:
        for place, _, names in os.walk(folder):
            found += [os.path.join(place, name) for name in names if name.endswith(".cubin")
                      and os.path.getsize(os.path.join(place, name))]  # an empty one is an input of links
    return sorted(found)


def check_shipped(options):
    paths = cubins_below(os.path.join(ROOT, "examples"), os.path.join(ROOT, "tests"))
    return report(paths, check_files(paths, options.jobs))


def check_generated(options):
    if find_toolkit() is None:
        print(NO_COMPILER)
        return SKIPPED
    seeds = range(options.first, options.first + options.count)
    targets = TARGETS if options.targets == "all" else options.targets.split(",")
    spread = options.spread
    if options.quick:
        seeds, targets, spread = QUICK_SEEDS, QUICK_TARGETS, True
    with tempfile.TemporaryDirectory() as folder:
        _, failures = make_corpus(seeds, targets, LINKS, folder, options.jobs, spread)
        paths = cubins_below(folder)
        return report(paths, failures + check_files(paths, options.jobs))


def check_many_sections(options):
    if options.nvlink and find_toolkit() is None:
        print(NO_COMPILER)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "many.cubin")]
        if options.nvlink:
            paths.append(os.path.join(folder, "many-relocatable.cubin"))
            link_many(Toolchain(), options.sections, paths[0])
            link_many(Toolchain(), options.sections, paths[1], ["-r"])
        else:
            with open(paths[0], "wb") as file:
                file.write(synthesize(options.sections))
        return report(paths, check_files(paths, options.jobs))


def check_named(options):
    return report(options.file, check_files(options.file, options.jobs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jobs", type=int, default=2)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("shipped").set_defaults(check=check_shipped)
    generated = kinds.add_parser("generated")
    generated.add_argument("--quick", action="store_true", help="the part that ctest runs")
    generated.add_argument("--first", type=int, default=1)
    generated.add_argument("--count", type=int, default=20)
    generated.add_argument("--targets", default="all")
    generated.add_argument("--spread", action="store_true")
    generated.set_defaults(check=check_generated)
    many = kinds.add_parser("many-sections")
    many.add_argument("--sections", type=int, default=70001)
    many.add_argument("--nvlink", action="store_true")
    many.set_defaults(check=check_many_sections)
    files = kinds.add_parser("files")
    files.add_argument("file", nargs="+")
    files.set_defaults(check=check_named)
    options = parser.parse_args()
    return options.check(options)


if __name__ == "__main__":
    sys.exit(main())
