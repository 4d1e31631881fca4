#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows what the checker finds in nvlink's files, and that culink's have none of it (defect_cases.py).

  show_defects.py              compares with what was recorded; needs neither CUDA nor a GPU
  show_defects.py --record     compiles, and records what the nvlink of $CUDA_HOME writes

culink under --emulate has to write the very files of nvlink, of all recorded releases; the checker has to find
what the row says in those of releases that have the defect, and not in those of others. Without
--emulate culink has to write a file without findings, or to refuse the program. Exit status: 0 all so, 1 not.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from defect_cases import CASES, FOLDER

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

BUILT = os.path.join(FOLDER, "..", "..", "..", "build", "release", "bin")
CULINK = os.path.abspath(os.environ.get("CULINK", os.path.join(BUILT, "culink")))
CUBIN = os.path.abspath(os.environ.get("CUBIN", os.path.join(BUILT, "cubin")))
RECORD = os.path.join(FOLDER, "nvlink.json")
DOCUMENT = os.path.join(FOLDER, "..", "..", "..", "docs", "nvlink-defects.md")
REFUSED = "refused"


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return done.returncode, done.stdout


def file_of(word):
    return word if word.startswith("-") else word + ".cubin"


def link(case, linker, folder):
    """Links in a copy of the objects. Returns what the last linker said if it refused, else nothing."""
    os.makedirs(folder)
    for name in os.listdir(case.folder()):
        if name.endswith(".cubin"):
            shutil.copy(os.path.join(case.folder(), name), folder)
    for words, output in case.links:
        status, said = run(linker + ["-arch=" + case.arch] + [file_of(word) for word in words.split()] +
                           ["-o", file_of(output)], folder)
        if status != 0:
            return said or "status %d" % status
    return ""


def findings(case, output, folder):
    as_compiled = ["--as-compiled"] if case.arch == "sm_100" else []
    return run([CUBIN, "check"] + as_compiled + [file_of(output), "--inputs"] +
               [file_of(word) for word in case.inputs_of(output)], folder)


def digest(case, folder, said):
    """What is recorded of a link: the last file, or that there is none."""
    if said:
        return REFUSED
    with open(os.path.join(folder, file_of(case.links[-1][1])), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def culink(case, *options):
    return [CULINK, *options] + (["--code=mercury"] if case.arch == "sm_100" else [])


def compare_emulated(case, release, recorded, folder):
    """Problems of the link that imitates a release."""
    said = link(case, culink(case, "--emulate=nvlink-" + release), folder)
    if digest(case, folder, said) != recorded:
        yield "not what nvlink %s made: %s" % (release, said or "other bytes")
    yield from compare_findings(case, release, folder)


def compare_findings(case, release, folder):
    """What differs between the row and the findings in nvlink's files, or in those that are the same."""
    for output, line in case.findings.items():
        status, found = findings(case, output, folder)
        if (status == 1 and line in found) != case.has_defect(release):
            yield "%s of %s: '%s' is %s what the checker found:\n%s" % (
                output, release, line, "not in" if case.has_defect(release) else "in", found)


def compare_own(case, folder):
    """Problems of the link by default."""
    said = link(case, culink(case), folder)
    if case.own:
        if case.own not in said:
            yield "culink has to refuse with '%s': %s" % (case.own, said)
        return
    if said:
        yield "culink refuses: " + said
        return
    for _, output in case.links:
        status, found = findings(case, output, folder)
        if status != 0:
            yield "culink's own %s has findings:\n%s" % (output, found)


def compare():
    with open(RECORD, encoding="utf-8") as file:
        record = json.load(file)
    with open(DOCUMENT, encoding="utf-8") as file:
        entries = re.findall(r"^### (\w+)$", file.read(), re.MULTILINE)
    problems = ["%s: no entry in docs/nvlink-defects.md" % case.name for case in CASES
                if case.name not in entries]
    for case in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            for release, recorded in record[case.name].items():
                problems += [case.name + ": " + problem for problem in compare_emulated(
                    case, release, recorded, os.path.join(scratch, release))]
            problems += [case.name + ": " + problem
                         for problem in compare_own(case, os.path.join(scratch, "own"))]
    print("\n".join(problems + ["%d programs, %d problems" % (len(CASES), len(problems))]))
    return 1 if problems else 0


def compile_objects(case, tools):
    """Objects of other toolkits (old_barriers/old.ptx, of ptxas 12.4) are not made again."""
    for name in sorted(os.listdir(case.folder())):
        stem, suffix = os.path.splitext(name)
        command = {".cu": ["nvcc", "-rdc=true", "-cubin"], ".ptx": ["ptxas", "-c"]}.get(suffix)
        if case.defect == "Q112" and command:
            command.append("-g")
        if command and stem != "old":
            status, said = run([os.path.join(tools, command[0]), "-arch=" + case.arch] + command[1:] +
                               [name, "-o", stem + ".cubin"], case.folder())
            if status != 0:
                sys.exit(case.name + ": " + said)


def record(again):
    tools = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")
    nvlink = os.path.join(tools, "nvlink")
    release = re.search(r", V([\d.]+)", run([nvlink, "--version"], ".")[1]).group(1)
    answers = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as file:
            answers = json.load(file)
    for case in CASES:
        if again:
            compile_objects(case, tools)
        with tempfile.TemporaryDirectory() as scratch:
            place = os.path.join(scratch, "linked")
            said = link(case, [nvlink], place)
            for problem in compare_findings(case, release, place):
                print("%s: %s" % (case.name, problem))
            if case.refused not in said or (said and not case.refused):
                print("%s: nvlink says: %s" % (case.name, said))
            answers.setdefault(case.name, {})[release] = digest(case, place, said)
    with open(RECORD, "w", encoding="utf-8") as file:
        json.dump(answers, file, indent=1, sort_keys=True)
        file.write("\n")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--record", action="store_true", help="link with nvlink")
    parser.add_argument("--compile", action="store_true", help="and compile before")
    options = parser.parse_args()
    return record(options.compile) if options.record else compare()


if __name__ == "__main__":
    sys.exit(main())
