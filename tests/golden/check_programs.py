#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links the recorded programs with culink and compares with what nvlink made of them.

  check_programs.py [--threads=N] [SET...]

Links take turns in the number of threads, 0 being culink's own choice, unless it is given: the bytes are
to be the same. With --emulate the file must have the recorded hash, or the link must be refused for the recorded
reasons; without it the file may differ in the tool's own record and where a defect shows. Needs neither CUDA nor any
package. The programs come from $CULINK and $CUBIN.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile

from program_links import (CODES, FOLDER, REFUSED, emulation_of, follows_inputs, has_two_forms, recipes_of, recorded_sets,
                           target_of)

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "diff"))
from reasons import Reason, culink_reasons, culink_rows, missing  # noqa: E402
from on_purpose import refused_on_purpose, unexplained_lines  # noqa: E402
from recipes import RELOCATABLE  # noqa: E402

BUILT = os.path.join(HERE, "..", "..", "build", "release", "bin")
CULINK = os.path.abspath(os.environ.get("CULINK", os.path.join(BUILT, "culink")))
CUBIN = os.path.abspath(os.environ.get("CUBIN", os.path.join(BUILT, "cubin")))
ROWS = culink_rows()
THREADS = (0, 1, 2, 3, 7, 16)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout.strip()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def compare_refusal(expected, status, log):
    if status == 0:
        return "linked, but nvlink refuses it (%s)" % expected
    if status < 0:
        return "died with signal %d" % -status
    wanted = [Reason.from_record(line) for line in expected[len(REFUSED):].split("; ")]
    untold = missing(wanted, culink_reasons(log, ROWS))
    return "refused, but not for %s:\n%s" % (untold, log) if untold else None


def compare_own(folder, name, step, arguments):
    """The default output against the one under --emulate, which is known to be right."""
    emulated = os.path.join(folder, "emulated.cubin")
    own = os.path.join(folder, step.output)
    os.rename(own, emulated)
    # Objects of older releases alone would make a file of theirs.
    dialect = ["--dialect=" + ".".join(emulation_of(name).split("-")[-1].split(".")[:2])] if follows_inputs(name) else []
    status, log = run([CULINK, "--no-demangle"] + dialect + arguments, folder)
    if status != 0:
        problem = None if refused_on_purpose(step.options, log) else "without --emulate: " + log
    else:
        status, log = run([CUBIN, "diff", "--details", "--all", "--ignore=tkinfo", step.output, "emulated.cubin"], folder)
        problem = None
        if status and unexplained_lines(step.options, log):
            problem = "without --emulate more differs than the defects explain:\n" + log
    os.replace(emulated, own)
    return problem


def compare(folder, name, code, step, expected, threads):
    """Returns what is wrong with a link, or None."""
    arguments = ["-arch=" + target_of(name)] + step.options + step.inputs + ["-o", step.output]
    arguments.append("--threads=%d" % threads)
    if code:
        arguments.append("--code=" + code)
    status, log = run([CULINK, emulation_of(name), "--no-demangle"] + arguments, folder)
    if expected.startswith(REFUSED):
        return compare_refusal(expected, status, log)
    if status != 0:
        return "refused, but nvlink links it:\n" + log
    if hashlib.sha256(read(os.path.join(folder, step.output))).hexdigest() != expected:
        return "not the bytes that nvlink wrote"
    # The default -r keeps relocations that nvlink's loses, so it is another file on purpose.
    return compare_own(folder, name, step, arguments) if RELOCATABLE not in step.options else None


def check_program(name, program, number, folder, threads):
    """Returns (links, problems). Later steps start from our outputs: their hashes are nvlink's."""
    links, problems = 0, []
    for code in CODES if has_two_forms(target_of(name)) else [None]:
        recorded = program["links"][code] if code else program["links"]
        for recipe in recipes_of(number):
            steps = recipe.build(program["objects"], program["kernels"])
            for step, expected in zip(steps, recorded.get(recipe.name, [])):
                count = threads[(number + links) % len(threads)]
                problem = compare(folder, name, code, step, expected, count)
                links += 1
                if problem:
                    problems.append("seed %d %s %s, %d threads (%s): %s" % (
                        program["seed"], name, recipe.name, count,
                        " ".join(step.options + [code or ""]), problem))
                    break
    return links, problems


def check_set(name, threads):
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        programs = json.load(file)
    links, problems = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        with tarfile.open(os.path.join(FOLDER, name + ".tar.xz")) as archive:
            for member in archive:
                path = os.path.join(scratch, member.name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(archive.extractfile(member).read())
        for number, program in enumerate(programs):
            place = os.path.join(scratch, "s%04d" % program["seed"])
            count, found = check_program(name, program, number, place, threads)
            links += count
            problems += found
    return len(programs), links, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int)
    parser.add_argument("names", nargs="*", metavar="SET")
    options = parser.parse_args()
    names = options.names or recorded_sets()
    threads = THREADS if options.threads is None else (options.threads,)
    failed = False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, (programs, links, problems) in zip(names, pool.map(check_set, names, [threads] * len(names))):
            print("%s: %d programs, %d links, %d wrong" % (name, programs, links, len(problems)))
            for problem in problems:
                print("  " + problem)
            failed = failed or bool(problems) or links == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
