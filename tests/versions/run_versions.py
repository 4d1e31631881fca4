#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the differential tests with each release of CUDA that set_up.py has made.

    tests/versions/run_versions.py FOLDER [--releases 13.3,13.4] [--seeds 1-20] [--quick]

For each whole toolchain: its compilers, its nvlink, its engine. Classic targets with all option sets, targets
of sm_100 and later as machine code and as the engine schedules it, objects of which the toolkit in CUDA_HOME or
PATH has made a part, and the messages. For earlier releases: objects of their assembler, linked by that toolkit's nvlink, and
by their own. For releases of which there is only a library: objects of the newest whole toolchain, linked by
that library. What each run prints is in FOLDER/RELEASE.log. Exit status 0: no link differs.
"""
import argparse
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
from releases import RELEASES, find, is_library, is_whole

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN_DIFF = ROOT / "tests" / "diff" / "run_diff.py"
WALK = ROOT / "tests" / "messages" / "walk.py"
MERCURY = "sm_100,sm_103,sm_110,sm_120"
FIRST_MERCURY = "sm_100,sm_120"  # of 12.8
# The library has no counterpart of -preserve-relocs and -suppress-debug-info; it takes no machine code of sm_100 and
# later without its Mercury half; and culink has relocatable files scheduled by nvlink only.
LIBRARY_RECIPES = "plain,reversed,debug,kernels-first,kernels-last,kernels-none,kernels-debug"
LIBRARY_RELOCATABLE = ("r,r-reversed,r-debug,r-kernels,r-link,r-link-debug,r-link-kernels,r-r,r-before,r-before-debug,"
                       "r-behind,r-behind-r,r-two")
CLASSIC = ["--targets", "all", "--spread"]
sys.path.insert(0, str(ROOT / "tests" / "generate"))
from toolchain import find_toolkit  # noqa: E402


def code_runs(targets, environment, more=(), engine="with its engine"):
    """Targets with Mercury code, in both ways of writing it."""
    return [(what, environment, ["--targets", targets, "--spread", "--code=" + code, *more])
            for what, code in (("machine code", "sass"), (engine, "exact"))]


def older_runs(release, own, installed):
    """Of a release before 13.0: its objects with the installed nvlink, and with its own."""
    runs = []
    if installed:
        runs.append(("objects", {}, [*CLASSIC, "--assemblers", own]))
        runs.append(("mixed", {}, [*CLASSIC, "--assemblers", "own," + own]))
        if release.toolkit() >= 128:
            runs += code_runs(FIRST_MERCURY, {}, ["--assemblers", own], "with an engine")
        if release.emulated:
            runs.append(("its nvlink", {}, [*CLASSIC, "--assemblers", own, "--linker", own]))
    return runs


def runs_of(release, folder, installed):
    """(what, environment, further arguments of run_diff.py) of each run with a release."""
    own = str(folder / release.name)
    if is_library(release):
        whole = [row.name for row in RELEASES if is_whole(row) and (folder / row.name / "bin" / "nvcc").exists()]
        home = {"CUDA_HOME": str(folder / whole[-1])} if whole else {}
        more = ["--linker", own, "--recipes", LIBRARY_RECIPES]
        return [("classic targets", home, [*CLASSIC, *more[:-1], LIBRARY_RECIPES + "," + LIBRARY_RELOCATABLE]),
                code_runs(MERCURY, home, more)[-1]]
    if not is_whole(release):
        return older_runs(release, own, installed)
    home = {"CUDA_HOME": own}
    targets = MERCURY + ",sm_107" if release.toolkit() >= 134 else MERCURY
    runs = [("classic targets", home, CLASSIC), *code_runs(targets, home)]
    if installed:
        runs.append(("mixed", home, [*CLASSIC, "--assemblers", "own," + installed]))
    return runs


def summary(text):
    """The line with the counts, or the last one, which says why there is none."""
    lines = text.strip().splitlines() or ["printed nothing"]
    return next((line for line in reversed(lines) if " links: " in line), lines[-1])


def run_one(what, environment, arguments, options, log):
    command = [sys.executable, "-B", str(RUN_DIFF), "--seeds", options.seeds, "--jobs", str(options.jobs),
               "--cache", str(options.folder / "cache"), *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", env={**os.environ, **environment}, check=False)
    log.write("== %s: %s\n%s" % (what, " ".join(command), done.stdout))
    return done.returncode, summary(done.stdout)


def walk_messages(folder, log):
    command = [sys.executable, "-B", str(WALK), "--cuda", str(folder)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    log.write("== messages: %s\n%s" % (" ".join(command), done.stdout))
    return done.returncode, (done.stdout.strip().splitlines() or ["printed nothing"])[-1]


def is_there(release, folder):
    return (folder / release.name / "bin" / ("nvlink" if is_library(release) else "ptxas")).exists()


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--releases", default="", help="with commas; else all that are set up")
    parser.add_argument("--seeds", default="1-14")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="only the first run of each release")
    options = parser.parse_args(arguments)
    options.folder = options.folder.resolve()
    chosen = [find(name) for name in options.releases.split(",") if name] or RELEASES
    present = [row for row in chosen if is_there(row, options.folder)]
    if not present:
        print("skipped: no release in %s; set_up.py makes them" % options.folder)
        return 77
    installed = find_toolkit()
    failed = False
    for release in present:
        with open(options.folder / (release.name + ".log"), "w", encoding="utf-8") as log:
            for run in runs_of(release, options.folder, installed)[:1 if options.quick else None]:
                status, last = run_one(*run, options, log)
                failed = failed or status not in (0, 77)
                print("%-6s %-16s %s" % (release.name, run[0], last), flush=True)
            if release.emulated and not is_library(release) and not options.quick:
                status, last = walk_messages(options.folder / release.name, log)
                failed = failed or status != 0
                print("%-6s %-16s %s" % (release.name, "messages", last), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
