#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `cubin dump --json` with `cuobjdump -elf`.

    compare_cuobjdump.py [--cuobjdump PROGRAM] [--report FILE.md] [CUBIN or FOLDER ...]

Compared for each file: the header's type, ABI version, target and flags; every section row; every
symbol row of .symtab; offset, symbol, name and addend of every relocation cuobjdump prints; name
and format of every .nv.info attribute. Without arguments the example cubins are compared. $CUBIN
is the program under test. Exit status 0: all agree; 1: something differs; 77: no cuobjdump here.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SKIPPED = 77

# cuobjdump prints these types like their plain counterparts; `cubin` gives each a name of its own.
TWINS = {
    "CUDA_MERCURY_RELA": "RELA",
    "CUDA_MERCURY_INFO": "CUDA_INFO",
    "CUDA_MERCURY_CONSTANT_OPT_2": "CUDA_MERCURY_CONSTANT_OPT",
    "CUDA_MERCURY_SYMTAB": "SYMTAB",
}

HEADER = re.compile(r"(\d+)-bit ELF: type=ET_(\w+), ABI=(\d+), sm=(\d+).*flags=(0x[0-9a-f]+)")
SECTION = re.compile(r"\s*([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+"
                     r"(\S+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s+([0-9a-f]+)\s?(.*)$")
SYMBOL = re.compile(r"\s*(\w+)\s+(\w+)\s+(\w+)\s+(\w+)\s+(\w+)\s+(\w+)\s{5}(.*)$")
RELOCATION = re.compile(r"(0x[0-9a-f]+|0) {4}(.*?) {4}(\S+)(?: {4}(0x[0-9a-f]+|0))?$")

Facts = collections.namedtuple("Facts", "header sections symbols relocations attributes")


def parse_cuobjdump(text):
    """The facts as cuobjdump prints them. What other sections print is not looked at."""
    facts = Facts([], [], [], collections.OrderedDict(), collections.OrderedDict())
    names = set()
    part = None
    for line in text.splitlines():
        header = HEADER.match(line)
        if header and not facts.header:
            bits, kind, abi, sm, flags = header.groups()
            facts.header.append((int(bits), kind, int(abi), int(sm), int(flags, 16)))
        elif line == "Sections:":
            part = "sections"
        elif line.startswith("."):
            name = re.sub(r"^\.section ", "", line).split("\t")[0]
            if name in names:
                part = name
                if name.startswith((".rel", ".nv.resolvedrela")) and name not in facts.relocations:
                    facts.relocations[name] = []
                if name.startswith(".nv.info") and name not in facts.attributes:
                    facts.attributes[name] = []
        elif part == "sections":
            row = SECTION.match(line)
            if row:
                numbers = [int(row.group(i), 16) for i in (1, 2, 3, 4, 5, 7, 8, 9)]
                facts.sections.append(tuple(numbers) + (row.group(6), row.group(10)))
                names.add(row.group(10))
        elif part == ".symtab":
            row = SYMBOL.match(line)
            if row and row.group(1) != "index":
                name = "" if row.group(7) == "(null)" else row.group(7)
                facts.symbols.append(tuple(int(row.group(i), 16) for i in range(1, 7)) + (name,))
        elif part in facts.relocations:
            row = RELOCATION.match(line)
            if row:
                addend = int(row.group(4), 16) if row.group(4) else 0
                facts.relocations[part].append((int(row.group(1), 16), row.group(2),
                                                row.group(3), addend))
        elif part in facts.attributes and line.startswith("\tAttribute:\t"):
            facts.attributes[part].append((line.split("\t")[2], ""))
        elif part in facts.attributes and line.startswith("\tFormat:\t"):
            name = facts.attributes[part].pop()[0]
            facts.attributes[part].append((name, line.split("\t")[2]))
    return facts


def facts_of_dump(dump):
    """The same facts from our JSON, in cuobjdump's terms."""
    header = dump["header"]
    sections = []
    for s in dump["sections"][1:]:
        kind = TWINS.get(s["type_name"], s["type_name"]) or "UNKNOWN"
        sections.append((s["index"], s["offset"], s["size"], s["entsize"], s["align"], s["flags"],
                         s["link"], s["info"], kind, s["name"]))
    symbols = []
    for table in dump["symbol_tables"]:
        if table["name"] == ".symtab":
            symbols = [(s["index"], s["value"], s["size"], s["binding"] << 4 | s["type"],
                        s["other"], s["section"], s["name"]) for s in table["symbols"]]
    # Several sections may have one name (static functions of several files); taken together.
    relocations = collections.defaultdict(list)
    for table in dump["relocations"]:
        relocations[table["name"]] += [
            (r["offset"], r["symbol_name"] or "", r["type_name"] or "UNKNOWN",
             r.get("addend", 0) % 2**64) for r in table["entries"]]
    attributes = collections.defaultdict(list)
    for section in dump["info"]:
        attributes[section["name"]] += [(r["attribute_name"], r["format_name"])
                                        for r in section["records"]]
    return Facts([(header["class"], header["type_name"], header["abi_version"], header["sm"],
                   header["flags"])], sections, symbols, relocations, attributes)


class Comparison:
    """Counts what agrees and keeps what does not."""

    def __init__(self):
        self.agree = collections.Counter()
        self.problems = []

    def rows(self, what, place, theirs, ours):
        if len(theirs) != len(ours):
            self.problems.append("%s: %d %s rows, cuobjdump has %d"
                                 % (place, len(ours), what, len(theirs)))
        for index, (a, b) in enumerate(zip(theirs, ours)):
            if a == b:
                self.agree[what] += 1
            else:
                self.problems.append("%s: %s row %d: cuobjdump %s, cubin %s"
                                     % (place, what, index, a, b))

    def file(self, path, theirs, ours):
        self.rows("header", path, theirs.header, ours.header)
        self.rows("section", path, theirs.sections, ours.sections)
        self.rows("symbol", path, theirs.symbols, ours.symbols)
        for name, rows in theirs.relocations.items():
            self.rows("relocation", path + " " + name, rows, ours.relocations.get(name, []))
        for name, rows in theirs.attributes.items():
            self.rows("attribute", path + " " + name, rows, ours.attributes.get(name, []))
        # cuobjdump leaves out the Mercury mirror, and nothing else.
        for name in list(ours.relocations) + list(ours.attributes):
            if not name.startswith(".nv.merc.") and name not in theirs.relocations and (
                    name not in theirs.attributes):
                self.problems.append("%s: cuobjdump does not show %s" % (path, name))


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return result.returncode, result.stdout.decode("utf-8", "replace"), result.stderr.decode(
        "utf-8", "replace")


def cubins_under(paths):
    found = []
    for path in paths:
        if os.path.isdir(path):
            for folder, folders, files in os.walk(path):
                folders.sort()
                found += [os.path.join(folder, f) for f in sorted(files) if f.endswith(".cubin")]
        else:
            found.append(path)
    return found


def write_report(path, version, files, targets, comparison):
    rows = "\n".join("| %s | %d |" % (name, comparison.agree[what]) for what, name in (
        ("header", "headers: class, type, ABI version, target, flags"),
        ("section", "section rows: all ten columns"),
        ("symbol", "symbol rows of .symtab: all seven columns"),
        ("relocation", "relocations: offset, symbol, name, addend"),
        ("attribute", "nv.info attributes: name, format")))
    with open(path, "w", encoding="utf-8") as out:
        out.write(REPORT % (version, len(files), ", ".join(targets), rows,
                            len(comparison.problems)))


REPORT = """# `cubin dump` beside `cuobjdump -elf`

Written by `tests/compare/compare_cuobjdump.py --report`.

- cuobjdump: %s
- files: %d, made by ptxas and nvlink 13.0.88: the examples and generated programs, objects and
  linked files (plain, `-r`, `-g`, `--preserve-relocs`), with and without debug information
- targets: %s (a file does not say the `f` of sm_100f and its like)

| compared | equal |
|---|---|
%s
| **different** | **%d** |

What is not compared, because only one of the two programs shows it:

- the Mercury mirror of sm_100 and later: cuobjdump lists its sections, but not the contents of
  `.nv.merc.symtab`, `.nv.merc.rela*` and `.nv.merc.nv.info*`; `cubin dump` shows them all;
- four section types that cuobjdump prints like their plain counterparts have names of their own in
  `cubin dump`, so that every number can be told from its name: CUDA_MERCURY_RELA (RELA),
  CUDA_MERCURY_INFO (CUDA_INFO), CUDA_MERCURY_SYMTAB (SYMTAB) and
  CUDA_MERCURY_CONSTANT_OPT_2 (CUDA_MERCURY_CONSTANT_OPT);
- disassembly-like listings of `.text`, decoded DWARF: see nvdisasm and readelf.

To repeat it with the cuobjdump of any toolkit:

    tests/generate/make_corpus.py --count 46 --spread --targets all \\
        --links plain,relocatable,debug,preserve --out corpus
    tests/compare/compare_cuobjdump.py --cuobjdump PROGRAM examples corpus
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuobjdump", default=os.environ.get("CUOBJDUMP", "cuobjdump"))
    parser.add_argument("--report", help="write the result as a Markdown page")
    parser.add_argument("paths", nargs="*", default=[os.path.join(ROOT, "examples")])
    arguments = parser.parse_args()
    cuobjdump = shutil.which(arguments.cuobjdump)
    if not cuobjdump:
        print("skipped: no cuobjdump (give --cuobjdump or set CUOBJDUMP)")
        return SKIPPED
    cubin = os.environ.get("CUBIN", os.path.join(ROOT, "build", "release", "bin", "cubin"))
    version = re.search(r"V([\d.]+)", run([cuobjdump, "--version"])[1]).group(1)

    files = cubins_under(arguments.paths)
    comparison = Comparison()
    targets = {}
    for path in files:
        shown = os.path.relpath(path, ROOT)
        status, text, errors = run([cuobjdump, "-elf", path])
        if status != 0:
            comparison.problems.append("%s: cuobjdump failed: %s" % (shown, errors.strip()))
            continue
        status, ours, errors = run([cubin, "dump", "--all", "--json", path])
        if status != 0:
            comparison.problems.append("%s: cubin dump failed: %s" % (shown, errors.strip()))
            continue
        dump = json.loads(ours)[0]
        targets[dump["header"]["target"]] = dump["header"]["sm"]
        comparison.file(shown, parse_cuobjdump(text), facts_of_dump(dump))

    for problem in comparison.problems:
        print(problem)
    print("cuobjdump %s, %d files: %s; %d differences"
          % (version, len(files), ", ".join("%d %ss" % (n, what)
                                            for what, n in sorted(comparison.agree.items())),
             len(comparison.problems)))
    if arguments.report:
        names = sorted(targets, key=lambda name: (targets[name], name))
        write_report(arguments.report, version, files, names, comparison)
    return 1 if comparison.problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
