#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links programs just at and just over each limit of a target with nvlink and with culink.

  run_limits.py [--targets all] [--kinds shared,textures] [--cache DIR] [--keep DIR]

Under --emulate culink must write nvlink's file, or print nvlink's messages and exit with its status;
by default it must link what nvlink links and refuse what nvlink refuses. Exit status 1 if a link
differs, 77 without nvlink.
"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "diff"))
sys.path.insert(0, os.path.join(HERE, "..", "generate"))
from cached_toolchain import CachedToolchain, put, read  # noqa: E402
from toolchain import Toolchain, ToolError, find_toolkit  # noqa: E402
import programs  # noqa: E402

TARGETS = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_90a", "sm_100",
           "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_110", "sm_110a", "sm_110f",
           "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a", "sm_121f"]
OUTPUT = "out.cubin"
EMULATE = ["--emulate=nvlink-13.0.88", "--error-format=nvlink"]
# Options of a link; a second list is that of a further link of the first one's output.
MODES = [[[]], [["-g"]], [["--preserve-relocs"]], [["-v"]], [["-r"], []]]


class Answer:
    """What a linker did: exit status, messages and file, which is moved to `kept`."""

    def __init__(self, folder, command, kept):
        path = os.path.join(folder, OUTPUT)   # a name for all, since links with -g record it
        if os.path.exists(path):
            os.remove(path)
        done = subprocess.run(command + ["-o", OUTPUT], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
        self.status = done.returncode
        self.text = done.stdout
        self.file = b""
        if self.status == 0 and os.path.exists(path):
            self.file = read(path)
            os.replace(path, os.path.join(folder, kept))


def differences(reference, emulated, own):
    out = []
    if emulated.status != reference.status:
        out.append("status %d, nvlink's is %d" % (emulated.status, reference.status))
    if emulated.text != reference.text:
        out.append("messages differ")
    if emulated.file != reference.file:
        out.append("bytes differ")
    if (own.status == 0) != (reference.status == 0):
        out.append("status %d by default, nvlink's is %d" % (own.status, reference.status))
    return out


class Runner:
    def __init__(self, options, tools):
        self.options = options
        self.tools = tools
        self.links = 0
        self.different = 0

    def compile(self, folder, sources, target):
        names = []
        for number, source in enumerate(sources):
            ptx, cubin = "u%d.ptx" % number, "u%d.cubin" % number
            put(os.path.join(folder, ptx), source.encode())
            self.tools.assemble(folder, ptx, cubin, target)
            names.append(cubin)
        return names

    def compare(self, folder, label, target, inputs, steps):
        for number, extra in enumerate(steps):
            words = ["-arch=" + target] + extra + inputs
            reference = Answer(folder, [self.tools.nvlink] + words, "ref%d.cubin" % number)
            emulated = Answer(folder, [self.options.culink] + EMULATE + words, "emulated.cubin")
            own = Answer(folder, [self.options.culink] + words, "own.cubin")
            self.links += 1
            wrong = differences(reference, emulated, own)
            if wrong:
                self.different += 1
                print("%s %s: %s" % (label, " ".join(words), "; ".join(wrong)))
                print("nvlink (%d):\n%sculink (%d):\n%s" % (reference.status, reference.text,
                                                            emulated.status, emulated.text))
            elif self.options.verbose:
                print("%s %s: %d %s" % (label, " ".join(extra), reference.status,
                                        reference.text.strip()))
            if reference.status != 0:
                return
            inputs = ["ref%d.cubin" % number]

    def run(self, target, kind, program):
        for over in (0, 1):
            label = "%s-%s-%s" % (target, kind, "over" if over else "at")
            with tempfile.TemporaryDirectory() as scratch:
                folder = os.path.join(self.options.keep, label) if self.options.keep else scratch
                os.makedirs(folder, exist_ok=True)
                inputs = self.compile(folder, program(target, over), target)
                for steps in MODES:
                    self.compare(folder, label, target, inputs, steps)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK", "culink"))
    parser.add_argument("--targets", default="all")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--cache", help="folder that remembers compiled objects")
    parser.add_argument("--keep", help="folder for the files of every link")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.culink = os.path.abspath(options.culink)
    options.targets = TARGETS if options.targets == "all" else options.targets.split(",")
    options.kinds = options.kinds.split(",") if options.kinds else [k for k, _ in programs.KINDS]
    return options


def main():
    options = parse_arguments()
    if find_toolkit() is None:
        print("skipped: no CUDA 13 toolkit")
        return 77
    runner = Runner(options, CachedToolchain(options.cache) if options.cache else Toolchain())
    for target in options.targets:
        for kind, program in programs.KINDS:
            if kind in options.kinds:
                try:
                    runner.run(target, kind, program)
                except ToolError as error:
                    print("%s %s: %s" % (target, kind, error))
                    runner.different += 1
    print("%d links, %d different" % (runner.links, runner.different))
    return 1 if runner.different else 0


if __name__ == "__main__":
    sys.exit(main())
