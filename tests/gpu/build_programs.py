#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds and runs CUDA programs through the folder of `culink --make-toolchain`, as a user would.

    tests/gpu/build_programs.py [--cuda FOLDER] [--culink FILE] [--arch sm_90] [--jobs N]
                                [--table FILE.md] [--if-gpu] [PROGRAM...]

Each folder of tests/gpu/programs is built by one call of nvcc, some once more for several targets, by
way of a static library, with -G, with -lineinfo, or by CMake. Each is built three times: with the
toolkit's nvlink, with culink in nvlink's manner, and with culink. The device code in the first two
executables must be the same to the byte; the first and the third must run, succeed and print the same.

Exit status: 0 all pass, 1 something failed, 77 built and compared but not run, because there is no
GPU. With --if-gpu nothing is built where there is none.
"""
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile

from run_programs import (NO_GPU, PROGRAMS, Failed, Program, add_optimiser, call, conclude, option_parser,
                          parse, run)

TWO_TARGETS = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90",
               "-gencode", "arch=compute_90,code=compute_90"]
# Ways of building beside the plain call of nvcc, and the programs that are built so, too.
MORE_WAYS = [
    ("several targets", ["calls", "constants", "templates", "shared_static", "function_pointers"]),
    ("static library", ["calls", "many_files", "globals", "dynamic_parallelism"]),
    ("-G", ["calls", "recursion", "shared_in_functions", "dynamic_parallelism"]),
    ("-lineinfo", ["many_files", "virtual_functions"]),
    ("CMake", ["many_files", "dynamic_parallelism", "statics"]),
    ("CMake, optimised", ["many_files", "calls"]),
]
CMAKE_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(program LANGUAGES CXX CUDA)
add_library(parts STATIC {parts})
add_executable(program {main})
target_link_libraries(program PRIVATE parts cudadevrt)
set_target_properties(parts program PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_STANDARD 17
                      CUDA_ARCHITECTURES {number} INTERPROCEDURAL_OPTIMIZATION {optimised})
"""


class Build:
    """One program, built in one way."""

    def __init__(self, program, way):
        self.program, self.way = program, way
        self.verdict, self.reason, self.same_bytes = "FAIL", "", "-"

    def build(self, arch, nvcc, more, work):
        """Builds a program in work/build. All builds of one row happen in folders of the same name,
        those of the toolkits among them, because the linked image records the words of the link."""
        main = next(source for source in self.program.sources if source.stem == "main")
        parts = [source for source in self.program.sources if source != main]
        flags = ["-arch=" + arch]
        if self.way == "several targets":
            flags = TWO_TARGETS
        elif self.way.startswith("-"):
            flags.append(self.way)
        flags += ["-std=c++17", *self.program.options]
        place = work / "build"
        place.mkdir()
        result = place / "program"
        if self.way.startswith("CMake"):
            self.build_with_cmake(arch, nvcc, more, place, main, parts)
        elif self.way == "static library":
            objects = []
            for source in self.program.sources:
                objects.append(place / (source.stem + ".o"))
                call("nvcc -dc", [nvcc, *flags, "-dc", source, "-o", objects[-1]])
            library = place / "libparts.a"
            call("nvcc -lib", [nvcc, "-lib", *(each for each in objects if each.stem != "main"),
                               "-o", library])
            call("nvcc", [nvcc, *flags, *more, place / "main.o", library, "-o", result])
        else:
            call("nvcc", [nvcc, *flags, *more, "-rdc=true", "--keep", "--keep-dir", place,
                          *self.program.sources, "-o", result])
        return result

    def build_with_cmake(self, arch, nvcc, more, place, main, parts):
        (place / "CMakeLists.txt").write_text(CMAKE_PROJECT.format(
            parts=" ".join(map(str, parts)), main=main, number=arch.removeprefix("sm_"),
            optimised="ON" if self.way == "CMake, optimised" else "OFF"))
        flags = " ".join([*self.program.options, *more])
        call("cmake", ["cmake", "-S", place, "-B", place, "-DCMAKE_CUDA_COMPILER=%s" % nvcc,
                       "-DCMAKE_CUDA_FLAGS=" + flags])
        call("cmake --build", ["cmake", "--build", place])

    def test(self, tools, work):
        work.mkdir(parents=True)
        programs = {}
        try:
            for name, toolkit, more in (("nvlink", tools.with_nvlink, []),
                                        ("imitation", tools.with_culink,
                                         ["-Xnvlink", "--emulate=" + tools.emulates]),
                                        ("culink", tools.with_culink, [])):
                programs[name] = work / name
                (work / "cuda").symlink_to(toolkit)
                nvcc = work / "cuda" / "bin" / "nvcc"
                os.rename(self.build(tools.arch, nvcc, more, work), programs[name])
                (work / "cuda").unlink()
                shutil.rmtree(work / "build")
            self.compare(programs)
        except Failed as failed:
            self.reason = str(failed)
        return self

    def compare(self, programs):
        if device_code(programs["nvlink"]) != device_code(programs["imitation"]):
            self.same_bytes = "no"
            raise Failed("the device code in the executables differs")
        self.same_bytes = "yes"
        status, text = run(programs["nvlink"])
        if status == NO_GPU:
            self.verdict, self.reason = "not run", "no GPU"
            return
        if status != 0:
            raise Failed("linked by nvlink it fails with %s: %s" % (status, text[-200:]))
        status, ours = run(programs["culink"])
        if status != 0 or ours != text:
            raise Failed("linked by culink it ends with %s: %s" % (status, ours[-200:]))
        self.verdict = "PASS"


def device_code(program):
    """The contents of the section with the fatbins; never empty."""
    copy = program.with_suffix(".fatbin")
    call("objcopy", ["objcopy", "-O", "binary", "--only-section=.nv_fatbin",
                     "--set-section-flags", ".nv_fatbin=alloc", program, copy])
    contents = copy.read_bytes()
    if not contents:
        raise Failed("no device code in " + program.name)
    return contents


def table(builds, arch, emulates):
    passed = sum(build.verdict == "PASS" for build in builds)
    lines = ["# Programs built through the toolchain folder", "",
             "Written by `tests/gpu/build_programs.py` for %s: %d of %d builds pass. nvcc and CMake were"
             % (arch, passed, len(builds)),
             "pointed at the folder that `culink --make-toolchain` makes, and at the toolkit itself; both",
             "executables ran and printed the same. *Bytes*: whether the device code inside the",
             "executable is the same with `-Xnvlink --emulate=%s`." % emulates, "",
             "| Program | Built | Result | Bytes |", "|---|---|---|---|"]
    lines += ["| [%s](../tests/gpu/programs/%s) | %s | %s | %s |"
              % (build.program.name, build.program.name,
                 " ".join([build.way, *("`%s`" % each for each in build.program.options)]),
                 build.verdict, build.same_bytes) for build in builds]
    return "\n".join(lines) + "\n"


def make_toolchain(tools, folder):
    call("culink", [tools.culink, "--make-toolchain", folder, "--cuda", tools.cuda])
    add_optimiser(tools.cuda.resolve(), folder)
    return folder


def choose(names):
    """The builds asked for: each program plainly, then the other ways."""
    everything = sorted(path.parent.name for path in PROGRAMS.glob("*/main.cu"))
    rows = [(name, "nvcc") for name in everything]
    rows += [(name, way) for way, programs in MORE_WAYS for name in programs]
    return [Build(Program(PROGRAMS / name), way) for name, way in rows if not names or name in names]


def main(arguments):
    tools = parse(option_parser(__doc__.splitlines()[0]), arguments)
    if not tools:
        return NO_GPU
    builds = choose(tools.programs)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        tools.with_culink = make_toolchain(tools, work / "with_culink")
        tools.with_nvlink = make_toolchain(tools, work / "with_nvlink")
        nvlink = tools.with_nvlink / "bin" / "nvlink"
        nvlink.unlink()
        nvlink.symlink_to(tools.cuda / "bin" / "nvlink")
        with concurrent.futures.ThreadPoolExecutor(tools.jobs) as pool:
            futures = [pool.submit(build.test, tools, work / ("%s-%d" % (build.program.name, number)))
                       for number, build in enumerate(builds)]
            for future in futures:
                done = future.result()
                print("%-24s %-16s %-8s bytes: %-4s %s" % (done.program.name, done.way, done.verdict,
                                                           done.same_bytes, done.reason), flush=True)
    if tools.table:
        tools.table.write_text(table(builds, tools.arch, tools.emulates), encoding="utf-8")
    return conclude(builds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
