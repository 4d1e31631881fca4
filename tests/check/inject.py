#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spoils sound links in many ways and expects `cubin check` to find every fault.

  inject.py [--targets sm_75,sm_90] [--faults N] [--seed N] [--kinds A,B] [--keep DIR]

The recorded programs (tests/golden/programs, and those in this folder) are linked with culink; the checker must find nothing in
the output. Then faults of each kind (faults.py) are put into it, at most N of a kind in one output, and
the checker must find each of them. Needs neither CUDA nor a GPU. Exit status: 0 all found, 1 not.
"""

import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter

from faults import KINDS
from sound_link import Link

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.environ.get("PROGRAMS", os.path.join(HERE, "..", "golden", "programs"))
BUILT = os.path.join(HERE, "..", "..", "build", "release", "bin")
CULINK = os.path.abspath(os.environ.get("CULINK", os.path.join(BUILT, "culink")))
CUBIN = os.path.abspath(os.environ.get("CUBIN", os.path.join(BUILT, "cubin")))
TARGETS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"]
MERCURY = ("sm_100", "sm_120")  # linked as they were compiled, which needs no finalizer
# Ways to link.
WAYS = ((), ("-g",), ("-r",), ("-preserve-relocs",), ("--icf=safe",))
TRIES = 4  # for a fault that is not already made in this output


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class Campaign:
    def __init__(self, options):
        self.options = options
        self.made, self.found = Counter(), Counter()
        self.links = 0
        self.problems = []
        self.as_compiled = []

    def check(self, folder, name, way, objects):
        return run([CUBIN, "check", name] + self.as_compiled + ["--inputs"] + objects, folder)

    def link(self, folder, target, way, objects, name):
        code = ["--code=mercury"] if target in MERCURY else []
        status = run([CULINK, "-arch=" + target] + code + way + objects + ["-o", name], folder).returncode
        return read(os.path.join(folder, name)) if status == 0 else None

    def program(self, folder, target, way, objects, label):
        self.as_compiled = ["--as-compiled"] if target in MERCURY else []
        output = self.link(folder, target, way, objects, "sound.cubin")
        if output is None:
            return
        self.links += 1
        sound = self.check(folder, "sound.cubin", way, objects)
        if sound.returncode != 0:
            self.problems.append("%s: a sound link has findings:\n%s" % (label, sound.stdout))
            return
        link = Link(output, [read(os.path.join(folder, name)) for name in objects],
                    self.link(folder, target, way, objects[::-1], "reversed.cubin"))
        for kind, make in KINDS.items():
            if not self.options.kinds or kind in self.options.kinds:
                self.inject(link, kind, make, folder, way, objects, label)

    def inject(self, link, kind, make, folder, way, objects, label):
        dice = random.Random("%s %s %d" % (label, kind, self.options.seed))
        seen = {link.output}
        for _ in range(self.options.faults * TRIES):
            fault = make(link, dice)
            if fault is None:
                continue
            if fault[0] in seen or len(seen) > self.options.faults:
                continue
            seen.add(fault[0])
            path = os.path.join(folder, "fault.cubin")
            with open(path, "wb") as file:
                file.write(fault[0])
            answer = self.check(folder, "fault.cubin", way, objects)
            self.made[kind] += 1
            if answer.returncode == 1:
                self.found[kind] += 1
                continue
            self.problems.append("%s: %s: not found (status %d): %s" % (label, kind, answer.returncode, fault[1]))
            if self.options.keep:
                kept = os.path.join(self.options.keep, "%d.cubin" % len(self.problems))
                os.replace(path, kept)


def unpack(target, scratch):
    with tarfile.open(os.path.join(PROGRAMS, target + ".tar.xz")) as archive:
        for member in archive:
            path = os.path.join(scratch, member.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(archive.extractfile(member).read())
    with open(os.path.join(PROGRAMS, target + ".json"), encoding="utf-8") as file:
        return json.load(file)


def own_programs(target, scratch):
    """Copies of the objects in this folder: (name, folder, objects)."""
    root = os.path.join(HERE, "programs")
    for name in sorted(os.listdir(root)):
        source = os.path.join(root, name, target)
        if os.path.isdir(source):
            folder = os.path.join(scratch, name)
            shutil.copytree(source, folder)
            yield name, folder, sorted(os.listdir(source))


def run_target(options, target):
    campaign = Campaign(options)
    with tempfile.TemporaryDirectory() as scratch:
        for name, folder, objects in own_programs(target, scratch):
            for way in WAYS:
                campaign.program(folder, target, list(way), objects, " ".join((target, name) + way))
        for number, program in enumerate(unpack(target, scratch)):
            folder = os.path.join(scratch, "s%04d" % program["seed"])
            for way in WAYS if options.all_ways else dict.fromkeys(((), WAYS[number % len(WAYS)])):
                label = " ".join([target, "seed %d" % program["seed"]] + list(way))
                campaign.program(folder, target, list(way), program["objects"], label)
    return campaign


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--faults", type=int, default=2, help="of a kind in one output")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=[])
    parser.add_argument("--all-ways", action="store_true")
    parser.add_argument("--keep", help="a folder for outputs whose fault was not found")
    options = parser.parse_args()
    made, found, problems, links = Counter(), Counter(), [], 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for one in pool.map(lambda target: run_target(options, target), options.targets.split(",")):
            made += one.made
            found += one.found
            problems += one.problems
            links += one.links
    for line in problems:
        print(line)
    for kind in KINDS:
        print("%-20s %5d faults, %5d found" % (kind, made[kind], found[kind]))
    print("%d links, %d faults, %d found" % (links, sum(made.values()), sum(found.values())))
    missing = [kind for kind in KINDS if made[kind] == 0 and not options.kinds]
    if missing:
        print("no fault of: " + ", ".join(missing))
    return 1 if problems or missing or links == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
