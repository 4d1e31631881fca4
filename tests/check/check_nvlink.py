#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the checker over nvlink's files for generated programs, and counts the files by cause.

  check_nvlink.py --seeds 1-100 --targets all --cache DIR --culink FILE --cubin FILE [--own] [--spread]

Programs, ways to link and the cache are those of tests/diff/run_diff.py. Each file that nvlink writes is
compared with the files it was made from. An executable of relocatable files is compared with the compiler's
objects as well: that is what its user wants. With --own culink links in nvlink's place, by default. The
numbers are in docs/nvlink-defects.md. Exit status: 0, 77 no nvlink here.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "diff"))
from cached_toolchain import CachedToolchain, LinkMemory, run_linker  # noqa: E402
from recipes import OUTPUT, RECIPES, RELOCATABLE  # noqa: E402
from run_diff import (MERCURY_TARGETS, TARGETS, Build, add_device_runtime,  # noqa: E402
                      arguments_parser, compare_programs, finish_arguments, find_toolkit, generate)

DIRECT, RELINKED, CHAIN, JOINED = "executables", "executables of -r files", "the same with their objects", "-r files"
UNKNOWN = "no known cause"

# Causes of findings, by the kind of file: the first row whose pattern is in a finding's line. Names are
# those of the generator.
NAMES = [
    ("Q041", r"\bptx_shared_0\b|unusual_data_\d"),
    ("Q130", r"same_kernel|record 04 0a 08|memory of \S+, found that of other code"),
    ("Q131", r"opaque_\d|record 04 17 0c"),
]
IN_EXECUTABLE = NAMES + [
    ("Q131", r"in its slot"),
    ("Q019", r"\.debug_loc"),
    ("Q050", r"\.nv\.constant3"),
    ("Q110", r"__cuda_sm20"),
    ("none: a size rounded up", r"constant\.optimizer\S* in \S+: expected size"),
    ("Q052", r"^missing-definition|^lost-reference|expected stack"),
]
IN_CHAIN = NAMES + [
    ("Q052", r"expected stack"),
    ("Q023 debug information", r"\.(nv_)?debug_\w+"),
    ("Q021 dynamic shared memory", r"dynamic memory of"),
    ("Q024 images", r"in its slot|bank 0 of|(tex|surf|sampler)(ref)?_\d|picture_\d"),
    ("Q023 compiler constants", r"\.nv\.constant2\.|ptx\.const\d\.size"),
    ("Q023 constants", r"bank 3 of|ABS16"),
    ("Q023 shared variables", r"\.nv\.shared|\.nv_debug\.shared"),
    # A link in two steps may choose so; checker.md.
    ("none: function of an alias", r"^wrong-call-graph"),
    ("none: other padding", r"zeros between blocks|the end of the section|^wrong-bytes:  in \.nv\.(constant3|global)"),
]
IN_JOINED = NAMES + [
    ("Q023 debug information", r"\.(nv_)?debug_\w+"),
    ("Q020, Q021 dynamic shared memory", r"externsharedinstance|dynamic_\d"),
    ("Q024 images", r"(tex|surf|sampler)(ref)?_\d|sampler_kernel|(picture|image)_\d"),
    ("Q023 compiler constants", r"\.const_opt\.|constant\.optimizer|\.nv\.constant2|ptx\.const\d\.size"),
    ("Q023 constants", r"R_\w+_(ABS16|CONST)\w* against"),
    ("Q023 shared variables", r"R_\w+_(ABS24|ABS32|ABS20|UNIFIED)\w* against"),
    ("Q057 common symbols", r"\.nv\.global\b"),
    ("Q110", r"__cuda_sm20"),
    ("none: code made anew", r"R_CUDA_ABS55_16_34"),  # of sm_100 and later, with -g
]
TABLES = {DIRECT: IN_EXECUTABLE, RELINKED: IN_EXECUTABLE, CHAIN: IN_CHAIN, JOINED: IN_JOINED}
# What comes with another finding: bytes of a field that was resolved; code that was finalized again.
FOLLOWS = re.compile(r"^wrong-bytes: .* in \.text|capmerc|bytes of code|record 04 1c|^wrong-mercury")


def causes_of(kind, findings):
    """The causes of the findings in one file."""
    causes, followers = set(), False
    for finding in findings:
        line = "%(kind)s: %(symbol)s in %(section)s: expected %(expected)s, found %(found)s" % finding
        cause = next((name for name, pattern in TABLES[kind] if re.search(pattern, line)), None)
        if cause or not FOLLOWS.search(line):
            causes.add(cause or UNKNOWN)
        followers = True
    return causes or ({UNKNOWN} if followers else set())


class Program:
    """One generated program for one target."""

    def __init__(self, tools, options, memory, place, target):
        self.tools, self.options, self.memory = tools, options, memory
        self.place, self.target = place, target

    def link(self, step):
        """Whether there is an output."""
        path = os.path.join(self.place, step.output)
        if os.path.exists(path):
            os.remove(path)
        arguments = ["-arch=" + self.target] + step.options + step.inputs + ["-o", step.output]
        if self.options.own:
            return run_linker([self.options.culink] + arguments, self.place)[0] == 0
        return self.memory.link(self.place, arguments, step.inputs, step.output, True)["status"] == 0

    def findings(self, output, inputs):
        done = subprocess.run([self.options.cubin, "check", "--json", output, "--inputs"] + inputs,
                              cwd=self.place, stdout=subprocess.PIPE, text=True, errors="replace",
                              check=False)
        return json.loads(done.stdout)[0]["findings"]

    def check(self, recipe, objects, kernels):
        """Yields (kind of file, causes) for each file of a recipe."""
        for number, step in enumerate(recipe.build(objects, kernels)):
            if not self.link(step):
                return
            joined = RELOCATABLE in step.options
            kind = JOINED if joined else RELINKED if number > 0 else DIRECT
            yield kind, causes_of(kind, self.findings(step.output, step.inputs))
            if kind == RELINKED and step.output == OUTPUT:
                yield CHAIN, causes_of(CHAIN, self.findings(step.output, objects))


def check_program(tools, options, seed, targets):
    with tempfile.TemporaryDirectory() as scratch:
        folder = os.path.join(scratch, "s%04d" % seed)
        generate(seed).write(folder)
        build = Build(tools, folder)
        results = []
        for target in targets:
            objects = build.compile(target)
            place = os.path.join(folder, target)
            if build.manifest["link"]["device_runtime"]:
                objects = objects + add_device_runtime(tools, target, place)
            program = Program(tools, options, LinkMemory(tools, "s%04d-%s" % (seed, target)), place, target)
            results.append((target, [outcome for recipe in RECIPES
                                     for outcome in program.check(recipe, objects, build.manifest["kernels"])]))
            shutil.rmtree(place)
    return results


class Report:
    def __init__(self):
        self.files, self.with_findings, self.by_cause = Counter(), Counter(), Counter()

    def add(self, seed, target, outcomes):
        for kind, causes in outcomes:
            self.files[kind] += 1
            self.with_findings[kind] += bool(causes)
            for cause in causes:
                self.by_cause[kind, cause] += 1
            if UNKNOWN in causes:
                print("seed %d %s: a finding in %s has no known cause" % (seed, target, kind), flush=True)

    def print_table(self):
        for kind in TABLES:
            print("%s: %d of %d have findings" % (kind, self.with_findings[kind], self.files[kind]))
            for (other, cause), count in sorted(self.by_cause.items()):
                if other == kind:
                    print("  %6d %s" % (count, cause))


def main():
    parser = arguments_parser(__doc__)
    parser.add_argument("--own", dest="own", action="store_true", help="culink links in nvlink's place")
    parser.set_defaults(own=False)
    options = finish_arguments(parser)
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    known = {"all": TARGETS, "mercury": MERCURY_TARGETS}
    with tempfile.TemporaryDirectory() as temporary:
        tools = CachedToolchain(options.cache or temporary, linker=options.linker)
        report = Report()
        compare_programs(options, known.get(options.targets) or options.targets.split(","), report,
                         lambda seed, chosen: check_program(tools, options, seed, chosen))
    report.print_table()
    return 0


if __name__ == "__main__":
    sys.exit(main())
