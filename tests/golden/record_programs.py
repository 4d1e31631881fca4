#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records links of generated programs: the objects, and a hash of what nvlink made of them.

  record_programs.py [--select PER_TARGET [--without SEEDS]] [--targets TARGET,...] [--cache DIR]
  CUDA_HOME=DIR record_programs.py --seeds SEEDS --targets TARGET,... (for another release)
  record_programs.py --seeds SEEDS --targets TARGET,... --assemblers DIR,... [--linker DIR] (for objects of others)

Without --select the programs that are there are compiled and linked again. tests/golden/README.md
describes the files; check_programs.py compares culink with them.
"""

import argparse
import hashlib
import io
import json
import lzma
import os
import sys
import tarfile
import tempfile

from program_links import (CODES, FOLDER, MERCURY_TARGETS, REFUSED, TARGETS, has_two_forms, recipes_of,
                           set_name)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "diff"))
sys.path.insert(0, os.path.join(HERE, "..", "generate"))
from build import Build  # noqa: E402
from cached_toolchain import CachedToolchain, read, run_linker  # noqa: E402
from generate import generate  # noqa: E402
from plain_sass import is_mercury, to_plain_sass  # noqa: E402
from reasons import INTERNAL, nvlink_reasons  # noqa: E402
from rewritten import codes  # noqa: E402
from scheduling import schedule  # noqa: E402
from run_diff import parse_seeds  # noqa: E402

# What libnvJitLink says where nvlink has an answer (tests/versions/library_linker.py): to options that it does not have,
# and to machine code for sm_100 and later without its Mercury half.
NOT_TAKEN = ("the library does not take these options", "binary format mismatch")
LARGEST_SEED = 400
MERCURY_SEEDS = {"sm_100": [9, 15], "sm_120": [13, 44]}
FILES_AT_MOST = 6
MANY_FILES = 20
# Targets for which finalizing writes records that no compiler does.
ONLY_SASS = ["sm_107"]
WITH_MANY_FILES = ["sm_80", "sm_90"]


def select(per_target, without):
    """Seeds by target. Every feature shall occur on every target that has room for it, and each
    program that is taken brings as many missing features per file as there are to be had."""
    programs, large = {}, []
    for seed in range(1, LARGEST_SEED + 1):
        program = generate(seed)
        if seed not in without and len(program.files) <= FILES_AT_MOST:
            programs[seed] = program
        elif seed not in without and len(program.files) >= MANY_FILES:
            large.append(seed)
    chosen, seen = {}, set()
    for target in TARGETS:
        covered = set()
        chosen[target] = []
        for _ in range(per_target):
            gain = lambda seed: (sum(feature not in covered for feature in programs[seed].features)
                                 + sum(feature not in seen for feature in programs[seed].features)
                                 ) / (2 + len(programs[seed].files))
            best = max(sorted(programs), key=gain)
            program = programs.pop(best)
            covered.update(program.features)
            seen.update(program.features)
            chosen[target].append(best)
    for target in WITH_MANY_FILES:
        chosen[target].append(large.pop(0))
    return chosen


def recorded():
    chosen = dict(MERCURY_SEEDS)
    for target in TARGETS:
        with open(os.path.join(FOLDER, target + ".json"), encoding="utf-8") as file:
            chosen[target] = [program["seed"] for program in json.load(file)]
    return chosen


def answer(nvlink, folder, target, step):
    """A hash, or nvlink's reasons as 'refused: KEY NAME; ...'; None when it crashes."""
    command = [nvlink, "-arch=" + target] + step.options + step.inputs + ["-o", step.output]
    status, log = run_linker(command, folder)
    if status == 0:
        return hashlib.sha256(read(os.path.join(folder, step.output))).hexdigest()
    if status == "crashed" or any(text in log for text in NOT_TAKEN):
        return None
    reasons = nvlink_reasons(log)
    if not reasons or any(not reason.keys for reason in reasons):
        raise ValueError("unknown reason:\n" + log)
    if any(not reason.text.startswith(INTERNAL) for reason in reasons):
        reasons = [reason for reason in reasons if not reason.text.startswith(INTERNAL)]
    return REFUSED + "; ".join(sorted({reason.record() for reason in reasons}))


def left_alone(folder, step):
    """Whether nvlink's output has all code as it was compiled, but for values of relocations."""
    compiled = {}
    for name in step.inputs:
        for function, code in codes(read(os.path.join(folder, name))).items():
            compiled.setdefault(function, []).append(schedule(code))
    linked = codes(read(os.path.join(folder, step.output)))
    return all(schedule(code) in compiled[function] for function, code in linked.items())


def record_links(nvlink, place, target, recipes, objects, kernels, code=None):
    """{name of a recipe: answers to its steps}; recipes to which nvlink has no answer that helps are
    left out."""
    links = {}
    for recipe in recipes:
        steps = recipe.build(objects, kernels)
        answers = []
        for step in steps:
            answers.append(answer(nvlink, place, target, step))
            linked = os.path.exists(os.path.join(place, step.output))
            if linked and code == "mercury" and not left_alone(place, step):
                answers.append(None)
            if not linked:
                break
        if answers and None not in answers:
            links[recipe.name] = answers
        for name in {step.output for step in steps}:
            if os.path.exists(os.path.join(place, name)):
                os.remove(os.path.join(place, name))
    return links


def record_codes(nvlink, place, target, recipes, objects, kernels):
    """The same for each kind of output; changes the objects in `place`."""
    links = {}
    for code in reversed(CODES):
        if code == "sass":
            for name in objects:
                data = read(os.path.join(place, name))
                if is_mercury(data):
                    with open(os.path.join(place, name), "wb") as file:
                        file.write(to_plain_sass(data))
        links[code] = {}
        if code == "sass" or target not in ONLY_SASS:
            links[code] = record_links(nvlink, place, target, recipes, objects, kernels, code)
    return links


def record(tools, target, seed, number, archive):
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "s%04d" % seed)
        program = generate(seed)
        program.write(folder)
        build = Build(tools, folder)
        objects = build.compile(target)
        place = os.path.join(folder, target)
        for name in objects:
            add_file(archive, "s%04d/%s" % (seed, name), read(os.path.join(place, name)))
        recorder = record_codes if has_two_forms(target) else record_links
        links = recorder(tools.nvlink, place, target, recipes_of(number), objects, program.kernels)
    return {"seed": seed, "features": program.features, "objects": objects,
            "kernels": program.kernels, "links": links}


def add_file(archive, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--select", type=int, metavar="PER_TARGET")
    parser.add_argument("--seeds", help="the programs to record for a release that is not the usual one")
    parser.add_argument("--without", default="", help="seeds that are not to be selected")
    parser.add_argument("--targets", default=",".join(TARGETS + MERCURY_TARGETS))
    parser.add_argument("--assemblers", default="", help="toolkits whose ptxas make the objects in turn")
    parser.add_argument("--linker", default=None, help="a toolkit whose nvlink links them")
    parser.add_argument("--cache", default=None, help="folder that remembers compiled objects")
    options = parser.parse_args()
    without = set(parse_seeds(options.without)) if options.without else set()
    chosen = recorded()
    if options.seeds:
        chosen = {target: list(parse_seeds(options.seeds)) for target in options.targets.split(",")}
    if options.select:
        chosen.update(select(options.select, without))
    with tempfile.TemporaryDirectory() as scratch:
        assemblers = [place for place in options.assemblers.split(",") if place]
        tools = CachedToolchain(options.cache or scratch, linker=options.linker, assemblers=assemblers)
        made_by = ["%d.%d" % one.release for one in tools.assemblers] if assemblers else []
        release = tools.emulation().removeprefix("--emulate=").removeprefix("nvlink-")
        for target in options.targets.split(","):
            name = set_name(target, release, made_by if not options.linker else ())
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
                programs = [record(tools, target, seed, number, archive)
                            for number, seed in enumerate(chosen[target])]
            with open(os.path.join(FOLDER, name + ".tar.xz"), "wb") as file:
                file.write(lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME))
            with open(os.path.join(FOLDER, name + ".json"), "w", encoding="utf-8") as file:
                json.dump(programs, file, indent=1)
                file.write("\n")
            print("%s: %d programs" % (name, len(programs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
