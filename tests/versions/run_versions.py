#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the differential tests with each release of CUDA that set_up.py has made.

    tests/versions/run_versions.py FOLDER [--releases 13.3,13.4] [--seeds 1-20] [--quick]

For each whole toolchain: its compilers, its nvlink, its engine. Classic targets with all option sets, targets
of sm_100 and later as machine code and as the engine schedules it, and objects of which the toolkit in
CUDA_HOME or PATH has made a part. For releases of which there is only an assembler: its objects, linked by that
toolkit's nvlink. What each run prints is in FOLDER/RELEASE.log. Exit status 0: no link differs.
"""
import argparse
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
from releases import RELEASES, find, is_whole

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN_DIFF = ROOT / "tests" / "diff" / "run_diff.py"
MERCURY = "sm_100,sm_103,sm_110,sm_120"
sys.path.insert(0, str(ROOT / "tests" / "generate"))
from toolchain import find_toolkit  # noqa: E402


def runs_of(release, folder, installed):
    """(what, environment, further arguments of run_diff.py) of each run with a release."""
    own = str(folder / release.name)
    if not is_whole(release):
        runs = [("objects", {}, ["--targets", "all", "--spread", "--assemblers", own])]
        return runs if installed else []
    home = {"CUDA_HOME": own}
    targets = MERCURY + ",sm_107" if release.toolkit() >= 134 else MERCURY
    runs = [("classic targets", home, ["--targets", "all", "--spread"]),
            ("machine code", home, ["--targets", targets, "--spread", "--code=sass"]),
            ("with its engine", home, ["--targets", targets, "--spread", "--code=exact"])]
    if installed:
        runs.append(("mixed", home, ["--targets", "all", "--spread", "--mix", installed]))
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
    present = [row for row in chosen if (options.folder / row.name / "bin" / "ptxas").exists()]
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
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
