#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that no input defines: which of them may stay undefined, for nvlink and for culink.

  run_names.py --targets sm_80,sm_90 | all [--culink PROGRAM] [--list]

Every function that NVIDIA's headers declare for device code without a body is called from a kernel; where
the compiler leaves it to the linker, the kernel is linked with and without -lcudadevrt. Verdict, text and
bytes have to be nvlink's, and culink's hint about -lcudadevrt has to come exactly where that library helps.
Then names like those of the driver's functions, each with a letter more, less and changed, are called
together: nvlink's list of undefined ones has to be culink's. Exit status: 0 all agree, 1 not, 77 no nvlink.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "generate"))
import declared_functions as headers  # noqa: E402
from device_runtime import find_library  # noqa: E402
from run_diff import MERCURY_TARGETS, TARGETS  # noqa: E402
from toolchain import ToolError, Toolchain, number_of  # noqa: E402

EMULATE = ["--emulate=nvlink-13.0.88", "--error-format=nvlink"]
TABLE = os.path.join(HERE, "..", "..", "src", "elf", "target", "driver_functions.cc")
HINT = "add -lcudadevrt"
SKIPPED = 77
ROUNDS = 5      # of compiling without the kernels that do not compile
# The first version of dynamic parallelism has names of its own, and targets up to sm_89.
COMPILATIONS = [("80", ["-DCUDA_FORCE_CDP1_IF_SUPPORTED"]), ("75", []), ("90", [])]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout


class Compiler:
    """Headers to kernels."""

    def __init__(self, tools, folder):
        self.tools = tools
        self.folder = folder
        self.names = headers.headers_of(tools.include)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def declarations(self, header, compute, macros):
        source = "header_%s.cu" % re.sub(r"\W", "_", header)
        self.write(source, "#include <cuda_runtime.h>\n#include <stdio.h>\n#include <%s>\n" % header)
        status, text = run([self.tools.nvcc, "-E", "-rdc=true", "-arch=sm_" + compute, "-w", *macros,
                            "-Xcompiler", "-D__CUDA_ARCH__=%s0" % compute, source], self.folder)
        return headers.read_declarations(text) if status == 0 else []

    def find(self, pool, compute, macros):
        """All declarations; afterwards self.names are the headers that have any."""
        found = pool.map(lambda name: self.declarations(name, compute, macros), self.names)
        out, used = {}, []
        for name, declarations in zip(self.names, found):
            new = [one for one in declarations if one.key() not in out]
            out.update((one.key(), one) for one in new)
            if new:
                used.append(name)
        self.names = used
        return list(out.values())

    def head(self):
        return "#include <stdio.h>\n%s%s" % (
            "".join("#include <%s>\n" % name for name in self.names), headers.PRELUDE)

    def kernels(self, pool, compute, macros):
        """{function: PTX}"""
        declarations = self.find(pool, compute, macros)
        left = list(enumerate(declarations))
        for _ in range(ROUNDS):
            head = self.head()
            self.write("calls.cu", head + "".join(headers.kernel_of(*one) for one in left))
            status, log = run([self.tools.nvcc, "-rdc=true", "-ptx", "-w", "-arch=sm_" + compute,
                               *macros, "-Xcudafe", "--error_limit=100000", "calls.cu"], self.folder)
            if status == 0:
                with open(os.path.join(self.folder, "calls.ptx"), encoding="utf-8") as file:
                    return headers.split_kernels(file.read())
            first = head.count("\n") + 1
            bad = {(int(line) - first) // headers.LINES_OF_KERNEL
                   for line in re.findall(r"calls\.cu\((\d+)\): error", log)}
            wrong = {name for name in self.names if name + "(" in "".join(re.findall(r"\S+\(\d+\): error", log))}
            if not bad and not wrong:
                break
            self.names = [name for name in self.names if name not in wrong]
            left = [one for place, one in enumerate(left) if place not in bad]
        raise ToolError("the calls do not compile:\n" + log[-2000:])


class Comparison:
    """Both linkers on one object."""

    def __init__(self, tools, culink, folder, target):
        self.tools = tools
        self.culink = culink
        self.folder = folder
        self.target = target
        self.library = ["-L" + os.path.dirname(find_library(tools.folder)), "-lcudadevrt"]
        self.links = 0
        self.problems = []

    def link(self, linker, tag, inputs):
        output = os.path.join(self.folder, tag)
        if os.path.exists(output):
            os.remove(output)
        status, log = run([*linker, "-arch=" + self.target, *inputs, "-o", output], self.folder)
        data = b""
        if os.path.exists(output):
            with open(output, "rb") as file:
                data = file.read()
            os.remove(output)
        return status, log, data

    def compile(self, tag, ptx):
        """The object, or None where the compiler refuses it, and why."""
        path = os.path.join(self.folder, tag)
        with open(path + ".ptx", "w", encoding="utf-8") as file:
            file.write(ptx)
        status, log = run([self.tools.ptxas, "-c", "-arch=" + self.target, path + ".ptx", "-o",
                           path + ".cubin"], self.folder)
        return (path + ".cubin" if status == 0 else None), log

    def compare(self, name, tag, inputs):
        """Whether nvlink links it."""
        self.links += 1
        theirs = self.link([self.tools.nvlink], tag + ".nvlink", inputs)
        ours = self.link([self.culink, *EMULATE], tag + ".culink", inputs)
        if theirs != ours:
            what = ("status %d against %d" % (ours[0], theirs[0]) if ours[0] != theirs[0] else
                    "text" if ours[1] != theirs[1] else "bytes")
            self.problems.append("%s, %s: %s" % (self.target, name, what))
        return theirs[0] == 0

    def function(self, name, ptx):
        tag = "%s.%s" % (self.target, name)
        cubin, _ = self.compile(tag, ptx.replace("\n.target ", "\n.target %s //" % self.target, 1))
        if cubin is None:
            return None
        alone = self.compare(name, tag, [cubin])
        helped = self.compare(name + " with the library", tag, [cubin, *self.library])
        _, log, _ = self.link([self.culink], tag + ".own", [cubin])
        if (HINT in log) != (helped and not alone):
            self.problems.append("%s, %s: the hint %s" % (
                self.target, name, "does not help" if HINT in log else "is missing"))
        return alone, helped

    def similar(self, names):
        """One object that calls all of them, those apart that the compiler refuses on this target."""
        ptx = ".version 9.0\n.target %s\n.address_size 64\n" % self.target
        ptx += "".join(".extern .func %s();\n" % name for name in names)
        ptx += ".visible .entry k() {\n%sret;\n}\n" % "".join("call %s;\n" % name for name in names)
        cubin, log = self.compile(self.target + ".similar", ptx)
        refused = re.search(r"Unsupported Function '(\w+)'", log)
        if cubin is None and refused and refused.group(1) in names:
            self.similar([name for name in names if name != refused.group(1)])
        elif cubin is None:
            self.problems.append("%s: the similar names do not compile" % self.target)
        else:
            self.compare("similar names", self.target + ".similar", [cubin])


def similar_names():
    """The names in the linker's table, and variants that a looser rule would take."""
    with open(TABLE, encoding="utf-8") as file:
        names = re.findall(r'"([A-Za-z_]\w\w+)"', file.read())  # not the prefix _Z
    out = []
    for name in names:
        out += [name, name + "2", name + "V2", name[:-1], "_" + name, name[0].swapcase() + name[1:]]
    return sorted(set(out + ["cnp", "cnpFoo", "cudaFoo", "__cuda_sysca", "__cuda_syscallx"]))


def targets_of(text):
    if text == "all":
        return TARGETS + MERCURY_TARGETS
    return text.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--targets", default="sm_80,sm_90,sm_100", help="list with commas, or 'all'")
    parser.add_argument("--culink", default=os.environ.get("CULINK", "culink"))
    parser.add_argument("--list", action="store_true", help="print the functions and nvlink's verdicts")
    options = parser.parse_args()
    try:
        tools = Toolchain()
    except ToolError as error:
        print("skipped: %s" % error)
        return SKIPPED
    culink = os.path.abspath(options.culink)
    jobs = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        kernels = {}
        compiler = Compiler(tools, folder)
        for compute, macros in COMPILATIONS:
            found = compiler.kernels(pool, compute, macros)
            kernels.update(((name, int(compute)), ptx) for name, ptx in found.items())
        comparisons = []
        for target in targets_of(options.targets):
            one = Comparison(tools, culink, folder, target)
            usable = {}
            for (name, compute), ptx in kernels.items():
                if compute <= number_of(target):
                    usable[name] = ptx
            verdicts = pool.map(lambda item, one=one: one.function(*item), usable.items())
            one.similar(similar_names())
            comparisons.append(one)
            for name, verdict in zip(usable, verdicts):
                if options.list:
                    print(target, name, verdict)
    problems = [text for one in comparisons for text in one.problems]
    for text in problems:
        print(text)
    print("%d functions, %d links for %d targets, %d different" % (
        len({name for name, _ in kernels}), sum(one.links for one in comparisons), len(comparisons),
        len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
