#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells what `culink --icf=safe` saves.

    bench/icf_sizes.py [--culink FILE] [FOLDER...]

Links the recorded generated programs (tests/golden/programs), those with functions that are the same
(tests/check/programs), and all cubins of each FOLDER together, with and without the option and with
--check, and prints how many functions were folded, the bytes of their code, and the sizes of the files.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

os.environ["CULINK_NO_CACHE"] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[1]


class Total:
    """One row of the table."""

    def __init__(self, name):
        self.name = name
        self.links = self.functions = self.code = self.plain = self.folded = 0

    def add(self, culink, target, objects, work):
        outputs = []
        for options in ([], ["--icf=safe", "--check", "--stats"]):
            outputs.append(work / ("out%d.cubin" % len(outputs)))
            done = subprocess.run([culink, "-arch=" + target, "--code=sass", *options, *objects, "-o", outputs[-1]],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0 and not options:
                return  # a program that has to be refused
            if done.returncode != 0:
                sys.exit("%s, %s: %s" % (self.name, objects[0], done.stderr))
        said = re.search(r"folded (\d+) functions .*, (\d+) bytes", done.stdout + done.stderr)
        self.links += 1
        self.functions += int(said[1]) if said else 0
        self.code += int(said[2]) if said else 0
        self.plain += outputs[0].stat().st_size
        self.folded += outputs[1].stat().st_size

    def __str__(self):
        return "| %s | %d | %d | %d | %d | %d | %.1f %% |" % (
            self.name, self.links, self.functions, self.code, self.plain, self.folded,
            100 * (1 - self.folded / max(self.plain, 1)))


def generated(culink, work):
    total = Total("generated programs")
    for listed in sorted((ROOT / "tests/golden/programs").glob("sm_*.json")):
        target = listed.stem
        with tarfile.open(listed.with_suffix(".tar.xz")) as archive:
            archive.extractall(work / target)
        for program in json.loads(listed.read_text(encoding="utf-8")):
            folder = work / target / ("s%04d" % program["seed"])
            total.add(culink, target, [folder / name for name in program["objects"]], work)
    return total


def same_functions(culink, work):
    total = Total("identical_functions")
    for folder in sorted((ROOT / "tests/check/programs/identical_functions").glob("sm_*")):
        total.add(culink, folder.name, sorted(folder.glob("*.cubin")), work)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--culink", default=ROOT / "build/release/bin/culink")
    parser.add_argument("--target", default="sm_90", help="of the cubins in the folders")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    print("| Programs | Links | Folded | Code, bytes | Without | With | Saved |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        print(generated(options.culink, work), flush=True)
        print(same_functions(options.culink, work), flush=True)
        for folder in options.folders:
            total = Total(folder.name)
            total.add(options.culink, options.target, sorted(folder.glob("*.cubin")), work)
            print(total, flush=True)


if __name__ == "__main__":
    main()
