# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a generated program is made of.

Features do not know each other. They meet in two places: a Step is one statement that reads and
changes `int x`, offered by a feature and drawn at random into function bodies by others; a
SourceFile collects declarations (each once) and definitions. Levels keep the call graph free of
cycles that nobody asked for: the body of a function of level n draws steps of higher level only.
"""

import json
import os
import re

from toolchain import HEADERS_TINY

LEVEL_KERNEL = -1
LEVEL_CALLS = 0          # functions of features/calls.py: 0, 1, 2 ...
LEVEL_INDIRECT = 500     # targets of pointers and virtual functions
LEVEL_TEMPLATE = 700
LEVEL_LEAF = 1000        # statements that call nothing of ours

PTX_HEADER = ".version 8.0\n.target sm_75\n.address_size 64\n"


class Step:
    """A statement over `int x`; with needs_pointer also over `int *p` (one element)."""

    def __init__(self, text, file=None, declares=(), level=LEVEL_LEAF, kernel_only=False,
                 needs_pointer=False):
        self.text = text
        self.file = file              # only usable there; None: everywhere
        self.declares = list(declares)
        self.level = level
        self.kernel_only = kernel_only
        self.needs_pointer = needs_pointer


class SourceFile:
    def __init__(self, name, language="cuda"):
        self.name = name
        self.language = language      # "cuda" or "ptx"
        self.headers = HEADERS_TINY
        self.native = False           # needs PTX made for the very target
        self.debug = False
        self.lineinfo = False
        self.older = False            # compiled for an older target of the family
        self.visible = False          # without --device-hidden-visibility
        self.compiler_flags = []
        self.assembler_flags = []
        self.min_target = 75          # left out of the program for older targets
        self.declarations = []
        self.definitions = []

    def declare(self, text):
        if text not in self.declarations:
            self.declarations.append(text)

    def define(self, text):
        self.definitions.append(text)

    def text(self):
        head = "" if self.language == "ptx" else "// generated, see tests/generate\n"
        return head + "".join(part.rstrip("\n") + "\n"
                              for part in self.declarations + self.definitions)

    def manifest(self):
        rare = {name: True for name in ("older", "visible") if getattr(self, name)}
        return {"name": self.name, "language": self.language, "headers": self.headers,
                "native": self.native, "debug": self.debug, "lineinfo": self.lineinfo,
                "compiler_flags": self.compiler_flags, "assembler_flags": self.assembler_flags,
                "min_target": self.min_target, **rare}


class Program:
    def __init__(self, seed, file_count):
        self.seed = seed
        self.files = [SourceFile("unit%d.cu" % index) for index in range(file_count)]
        self.steps = []
        self.kernels = []
        self.features = []
        self.device_runtime = False
        self.failure = None           # why the link is meant to fail, or None
        self.counts = {}

    @property
    def cuda_files(self):
        """The files that ordinary features spread their code over."""
        return [file for file in self.files
                if file.language == "cuda" and file.headers == HEADERS_TINY]

    def unique(self, stem):
        self.counts[stem] = self.counts.get(stem, -1) + 1
        return "%s_%d" % (stem, self.counts[stem])

    def add_file(self, stem, language):
        name = self.unique(stem) + (".cu" if language == "cuda" else ".ptx")
        file = SourceFile(name, language)
        if language == "ptx":
            file.declare(PTX_HEADER)
        self.files.append(file)
        return file

    def offer(self, step):
        self.steps.append(step)

    def statements(self, file, dice, level, count, kernel=False, has_pointer=False):
        """Draws statements for a body in `file` and declares there what they use."""
        usable = [step for step in self.steps
                  if step.level > level and step.file in (None, file)
                  and (kernel or not step.kernel_only)
                  and (has_pointer or not step.needs_pointer)]
        lines = []
        for step in dice.sample(usable, count):
            for text in step.declares:
                file.declare(text)
            lines.append("  " + step.text)
        return lines

    def rename_kernels(self, prefix):
        """For compilers that look at names: ptxas at "cutlass"."""
        names = re.compile(r"\b(%s)\b" % "|".join(self.kernels))
        for file in self.files:
            for texts in (file.declarations, file.definitions):
                texts[:] = [names.sub(prefix + r"\1", text) for text in texts]
        self.kernels = [prefix + name for name in self.kernels]

    def manifest(self):
        options = {"plain": [], "relocatable": ["-r"], "debug": ["-g"],
                   "preserve": ["--preserve-relocs"]}
        if len(self.kernels) > 1:
            options["kernels"] = ["--kernels-used=" + self.kernels[0]]
        return {"seed": self.seed, "features": self.features,
                "files": [file.manifest() for file in self.files],
                "kernels": self.kernels,
                "link": {"device_runtime": self.device_runtime, "options": options,
                         "failure": self.failure}}

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        for file in self.files:
            with open(os.path.join(folder, file.name), "w", encoding="utf-8") as out:
                out.write(file.text())
        with open(os.path.join(folder, "manifest.json"), "w", encoding="utf-8") as out:
            json.dump(self.manifest(), out, indent=1)
            out.write("\n")
