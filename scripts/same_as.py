#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what two builds of culink and cubin write, for changes that keep all outputs.

  same_as.py OLD NEW [--only PART,...] [--jobs N] [--show N]
  same_as.py OLD --save FILE          and later, in place of OLD: same_as.py FILE NEW

OLD and NEW are folders with the two programs. Every cubin, fatbin, archive and YAML document under tests and
examples goes through the commands of cubin, and every recorded link through culink, by default with all
reports and under --emulate. Exit status, printed text and written files are compared by their hashes.
Exit status: 0 all the same, 1 something differs.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "golden"))
from program_links import CODES, FOLDER, emulation_of, has_two_forms, recorded_sets, target_of  # noqa: E402
from recipes import RECIPES, RELOCATABLE  # noqa: E402

VIEWS = [["dump", "--all"], ["dump", "--all", "--json"], ["usage", "--limits"], ["usage", "--json"], ["usage", "--csv"],
         ["size"], ["size", "--by=section", "--json"], ["size", "--by=template", "--csv"], ["size", "--duplicates"],
         ["list"], ["list", "--json"], ["callgraph"], ["callgraph", "--json"], ["verify"], ["verify", "--json"]]
CUBIN_VIEWS = [["text"], ["text", "--exact"]]
REPORTS = ["-v", "--cref", "--print-map", "--print-gc-sections", "-dump-callgraph", "--trace", "--Map=map.json",
           "--Map-format=json", "--check"]
MACHINE_FORM = ["-v", "--error-format=json", "--code=sass"]
RELEASE = "13.0.88"
ENGINE_FOLDER = re.compile(rb"culink-engine-\w+")  # has a new name for each run
SURFACES = [["--help"], ["--version"]] + [[command, "--help"] for command in (
    "dump disasm usage size callgraph diff report verify check text assemble list extract pack prune".split())]


class Programs:
    """The programs of one build. Every answer becomes a digest."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.environment = dict(os.environ, CULINK_NO_CACHE="1", LC_ALL="C")

    def run(self, program, arguments, cwd, written=()):
        done = subprocess.run([os.path.join(self.folder, program)] + arguments, cwd=cwd, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        digest = hashlib.sha256(b"%d\0" % done.returncode)
        digest.update(ENGINE_FOLDER.sub(b"", done.stdout + b"\0" + done.stderr))
        for name in written:
            path = os.path.join(cwd, name)
            digest.update(read(path) if os.path.exists(path) else b"no file")
        return digest.hexdigest()[:16]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def unpack(archive, folder):
    """The regular members of an archive of ours, and their names."""
    names = []
    with tarfile.open(archive) as members:
        for member in members:
            if not member.isfile():
                continue
            os.makedirs(os.path.join(folder, os.path.dirname(member.name)), exist_ok=True)
            write(os.path.join(folder, member.name), members.extractfile(member).read())
            names.append(member.name)
    return names


def tracked(*endings):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "tests", "examples"], capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if name.endswith(endings)]


def view_file(programs, path, label, scratch):
    """The answers of all commands of cubin about one file."""
    write(os.path.join(scratch, "file"), read(path))
    views = VIEWS + (CUBIN_VIEWS if read(path)[:4] == b"\x7fELF" else [])
    return {"%s: %s" % (label, " ".join(view)): programs.run("cubin", view + ["file"], scratch) for view in views}


def view_document(programs, text, label, scratch):
    write(os.path.join(scratch, "file.yaml"), text.encode())
    return {label: programs.run("cubin", ["assemble", "file.yaml", "-o", "file.cubin"], scratch, ["file.cubin"])}


def link(programs, options, label, scratch, emulate):
    """One recorded link in every form that is compared. The file of the emulated link is left for later ones."""
    forms = {"reports": REPORTS + options, "json": MACHINE_FORM + options, "emulated": [emulate, "-v"] + options}
    return {"%s %s" % (label, form): programs.run("culink", words + ["-o", "out.cubin"], scratch,
                                                  ["out.cubin", "map.json"])
            for form, words in forms.items()}


def golden_cases():
    for path in tracked("/links"):
        folder = os.path.join(ROOT, os.path.dirname(path))
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            yield os.path.basename(folder), folder, [line.split() for line in file]


def check_golden(programs, case, scratch):
    name, folder, lines = case
    release = os.path.join(folder, "release")
    emulate = "--emulate=nvlink-" + (read(release).decode().strip() if os.path.exists(release) else RELEASE)
    for file in os.listdir(folder):
        if file.endswith((".cubin", ".fatbin", ".o")):
            write(os.path.join(scratch, file), read(os.path.join(folder, file)))
    answers = {}
    for label, *options in lines:
        answers.update(link(programs, options, "%s %s" % (name, label), scratch, emulate))
        if os.path.exists(os.path.join(scratch, "out.cubin")):
            os.replace(os.path.join(scratch, "out.cubin"), os.path.join(scratch, label + ".out.cubin"))
    return answers


def check_program_set(programs, name, scratch):
    members = unpack(os.path.join(FOLDER, name + ".tar.xz"), scratch)
    answers = {}
    for member in members:
        folder = os.path.join(scratch, os.path.dirname(member))
        answers.update(view_file(programs, os.path.join(scratch, member), "%s %s" % (name, member), folder))
    with open(os.path.join(FOLDER, name + ".json"), encoding="utf-8") as file:
        recorded = json.load(file)
    for program in recorded:
        folder = os.path.join(scratch, "s%04d" % program["seed"])
        for code in CODES if has_two_forms(target_of(name)) else [None]:
            for recipe in RECIPES:
                for number, step in enumerate(recipe.build(program["objects"], program["kernels"])):
                    words = ["-arch=" + target_of(name)] + step.options + step.inputs + ["-o", step.output]
                    words += ["--code=" + code] if code else []
                    label = "%s %d %s %s %d" % (name, program["seed"], code, recipe.name, number)
                    if RELOCATABLE not in step.options:
                        answers[label + " reports"] = programs.run("culink", REPORTS + words, folder, [step.output, "map.json"])
                    answers[label + " emulated"] = programs.run("culink", [emulation_of(name)] + words, folder, [step.output])
    return answers


def check_file(programs, path, scratch):
    if path.endswith(".tar.xz"):
        answers = {}
        for member in unpack(os.path.join(ROOT, path), scratch):
            answers.update(view_file(programs, os.path.join(scratch, member), path + " " + member, scratch))
        return answers
    return view_file(programs, os.path.join(ROOT, path), path, scratch)


def check_document(programs, path, scratch):
    text = read(os.path.join(ROOT, path)).decode()
    if not path.endswith(".test"):
        return view_document(programs, text, path, scratch)
    answers = {}
    parts = re.split(r"^#--- (\S+)$", text, flags=re.M)
    for name, document in zip(parts[1::2], parts[2::2]):
        if name.endswith(".yaml"):
            answers.update(view_document(programs, document, path + " " + name, scratch))
    return answers


def check_surfaces(programs, _, scratch):
    answers = {"culink --help": programs.run("culink", ["--help"], scratch)}
    for words in SURFACES:
        answers["cubin " + " ".join(words)] = programs.run("cubin", words, scratch)
    return answers


PARTS = {
    "files": (check_file, lambda: tracked(".cubin", ".expected", ".fatbin", ".o", ".a", ".answer", "objects.tar.xz")),
    "documents": (check_document, lambda: tracked(".yaml", ".test")),
    "golden": (check_golden, lambda: list(golden_cases())),
    "programs": (check_program_set, recorded_sets),
    "surfaces": (check_surfaces, lambda: [None]),
}


def answers_of(build, parts, jobs):
    if os.path.isfile(build):
        with open(build, encoding="utf-8") as file:
            return json.load(file)
    programs = Programs(build)

    def one(job):
        check, case = job
        with tempfile.TemporaryDirectory() as scratch:
            return check(programs, case, scratch)

    work = [(check, case) for check, cases in (PARTS[part] for part in parts) for case in cases()]
    answers = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(one, work):
            answers.update(found)
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--save", metavar="FILE")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--show", type=int, default=40, help="differences listed")
    options = parser.parse_args()
    parts = options.only.split(",")
    old = answers_of(options.old, parts, options.jobs)
    if options.save:
        with open(options.save, "w", encoding="utf-8") as file:
            json.dump(old, file)
    if not options.new:
        return 0
    new = answers_of(options.new, parts, options.jobs)
    missing = [label for label in old if label not in new] if options.only == ",".join(PARTS) else []
    differing = [label for label in new if old.get(label, new[label]) != new[label]] + missing
    for label in differing[:options.show]:
        print("differs: " + label)
    print("%d answers, %d differ, %d have no earlier one" % (len(new), len(differing), len(new.keys() - old.keys())))
    return 1 if differing or not new else 0


if __name__ == "__main__":
    sys.exit(main())
