#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs CUDA programs linked by nvlink and by culink and compares what they print.

    tests/gpu/run_programs.py [--cuda FOLDER] [--culink FILE] [--arch sm_90] [--jobs N]
                              [--table FILE.md] [--work FOLDER] [--if-gpu] [--icf] [PROGRAM...]

Each folder of tests/gpu/programs is a program of several files that checks its own results. nvcc
compiles them once. The device code is linked twice, both times by nvcc: first with its own nvlink,
then in a copy of the toolkit (made of links) where nvlink is culink, which checks its output (docs/checker.md).
Both programs run; both must
succeed and print the same. The last column says whether `culink --emulate` writes nvlink's bytes.
With --icf culink folds functions that are the same (--icf=safe).

Exit status: 0 all pass, 1 something failed, 77 linked but not run, because there is no GPU. With
--if-gpu nothing is compiled where there is none.
"""
import argparse
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = HERE / "programs"
RUN_SECONDS = 60
NO_GPU = 77


class Failed(Exception):
    """A step that went wrong, in words for the table's reader."""


def call(step, command, environment=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          errors="replace", env=environment, check=False)
    if done.returncode != 0:
        raise Failed("%s: %s" % (step, (done.stderr or done.stdout).strip()[-600:]))


def emulated(nvlink):
    """The name of that nvlink for --emulate."""
    told = subprocess.run([str(nvlink), "--version"], capture_output=True, text=True, check=False)
    version = re.search(r"V([0-9.]+)", told.stdout)
    if not version:
        raise Failed("%s does not tell its version" % nvlink)
    return "nvlink-" + version[1]


# ---- In nvlink's place --------------------------------------------------------------------------


def link_in_place_of_nvlink(arguments):
    """What `nvlink` does in the copy of the toolkit. nvlink itself runs first, and culink in its
    manner, for the comparison of bytes; all take the same words, since an image can name them."""
    nvlink, culink = os.environ["NVLINK_PROGRAM"], os.environ["CULINK_PROGRAM"]
    image = pathlib.Path(arguments[arguments.index("-o") + 1])
    call("nvlink", [nvlink, *arguments])
    by_nvlink = image.read_bytes()
    image.unlink()
    call("culink --emulate", [culink, "--emulate=" + emulated(nvlink), *arguments])
    same = image.read_bytes() == by_nvlink
    pathlib.Path(os.environ["CULINK_SAME_BYTES"]).write_text("yes" if same else "no")
    image.unlink()
    checked = [culink, "--check", *os.environ["CULINK_OPTIONS"].split()]
    if not os.environ.get("CULINK_TWO_STEPS"):
        call("culink", [*checked, *arguments])
        return
    # All but the last object, then that one; the registration file was written above.
    objects = [word for word in arguments if word.endswith(".o")]
    options = [word for word in arguments if word.startswith(("--arch", "-m", "-L", "-l", "-cpu"))]
    first = str(image) + ".first.cubin"
    call("culink -r", [culink, "--check", "-r", *options, *objects[:-1], "-o", first])
    call("culink", [*checked, *options, first, objects[-1], "-o", image])


def add_optimiser(cuda, folder):
    """nvcc -dlto tells nvlink that libnvvm is in nvvm/lib64. Toolkits of Python packages have it in lib64."""
    if (cuda / "nvvm" / "lib64").exists() or not (cuda / "lib64" / "libnvvm.so").exists():
        return
    (folder / "nvvm").unlink()
    (folder / "nvvm").mkdir()
    for entry in (cuda / "nvvm").iterdir():
        (folder / "nvvm" / entry.name).symlink_to(entry)
    (folder / "nvvm" / "lib64").symlink_to(cuda / "lib64")


def copy_toolkit(cuda, folder):
    """A toolkit of symbolic links; nvcc takes the tools from the folder it is called in."""
    (folder / "bin").mkdir(parents=True)
    for entry in cuda.iterdir():
        if entry.name != "bin":
            (folder / entry.name).symlink_to(entry)
    for entry in (cuda / "bin").iterdir():
        (folder / "bin" / entry.name).symlink_to(entry)
    add_optimiser(cuda, folder)
    return folder / "bin" / "nvcc"


def make_toolkit(cuda, folder):
    """One in which nvlink is what is above."""
    copy_toolkit(cuda, folder)
    nvlink = folder / "bin" / "nvlink"
    nvlink.unlink()
    nvlink.write_text('#!/bin/sh\nexec "%s" "%s" --in-place-of-nvlink "$@"\n'
                      % (sys.executable, pathlib.Path(__file__).resolve()))
    nvlink.chmod(0o755)
    return folder / "bin" / "nvcc"


# ---- One program --------------------------------------------------------------------------------


def has_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return (driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
            and count.value > 0)


def run(program):
    try:
        done = subprocess.run([str(program)], capture_output=True, text=True, errors="replace",
                              timeout=RUN_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, "no end after %d s" % RUN_SECONDS
    return done.returncode, done.stdout


class Program:
    """One folder: what it shows, how it is compiled, and what came of it."""

    def __init__(self, folder):
        self.name = folder.name
        self.sources = sorted(folder.glob("*.cu"))
        text = (folder / "main.cu").read_text(encoding="utf-8")
        self.what = re.search(r"^// (?!SPDX)(.*)\.$", text, re.MULTILINE)[1]
        options = re.search(r"^// Options: (.*)$", text, re.MULTILINE)
        self.options = options[1].split() if options else []
        self.two_steps = "\n// Link: relocatable\n" in text
        self.verdict, self.reason, self.same_bytes = "FAIL", "", "-"

    def build(self, tools, work):
        nvcc, our_nvcc = tools.their_nvcc, tools.our_nvcc
        flags = ["-arch=" + tools.arch, "-std=c++17", *self.options]
        objects = []
        for source in self.sources:
            objects.append(work / (source.stem + ".o"))
            call("nvcc", [nvcc, *flags, "-rdc=true", "-dc", source, "-o", objects[-1]])
        # The last object in the order of names is linked in the second step.
        call("nvlink", [nvcc, *flags, *objects, "-o", work / "by_nvlink"])
        same_bytes = work / "same_bytes"
        environment = {**os.environ, "NVLINK_PROGRAM": str(tools.cuda / "bin" / "nvlink"),
                       "CULINK_PROGRAM": str(tools.culink), "CULINK_SAME_BYTES": str(same_bytes),
                       "CULINK_TWO_STEPS": "1" if self.two_steps else "",
                       "CULINK_OPTIONS": "--icf=safe" if tools.icf else ""}
        call("culink", [our_nvcc, *flags, *objects, "-o", work / "by_culink"], environment)
        self.same_bytes = same_bytes.read_text()

    def compare(self, work):
        status, text = run(work / "by_nvlink")
        if status == NO_GPU:
            self.verdict, self.reason = "not run", "no GPU"
            return
        if status != 0:
            raise Failed("linked by nvlink it fails with %s: %s" % (status, text[-200:]))
        status, ours = run(work / "by_culink")
        if status != 0:
            raise Failed("linked by culink it fails with %s: %s" % (status, ours[-200:]))
        if ours != text:
            raise Failed("it prints something else than when linked by nvlink")
        self.verdict = "PASS"

    def test(self, tools, work):
        work.mkdir(parents=True)
        try:
            self.build(tools, work)
            self.compare(work)
        except Failed as failed:
            self.reason = str(failed)
        return self


def table(programs, arch, emulates):
    passed = sum(program.verdict == "PASS" for program in programs)
    lines = ["# Programs on a GPU", "",
             "Written by `tests/gpu/run_programs.py` for %s: %d of %d programs pass. Each was linked"
             % (arch, passed, len(programs)),
             "by nvlink and by culink; both ran, checked their results and printed the same. *Bytes*:",
             "whether `culink --emulate=%s` writes the very image nvlink does." % emulates, "",
             "| Program | Shows | Result | Bytes |", "|---|---|---|---|"]
    lines += ["| [%s](../tests/gpu/programs/%s) | %s%s | %s | %s |"
              % (program.name, program.name, program.what,
                 ", `%s`" % " ".join(program.options) if program.options else "",
                 program.verdict, program.same_bytes) for program in programs]
    return "\n".join(lines) + "\n"


def option_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cuda", type=pathlib.Path, default=pathlib.Path("/usr/local/cuda"))
    parser.add_argument("--culink", type=pathlib.Path,
                        default=os.environ.get("CULINK", ROOT / "build/release/bin/culink"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--if-gpu", action="store_true")
    parser.add_argument("--icf", action="store_true")
    parser.add_argument("programs", nargs="*")
    return parser


def parse(parser, arguments):
    """The options, or None where nothing can be tested; then it says why."""
    tools = parser.parse_args(arguments)
    tools.culink = pathlib.Path(tools.culink).resolve()
    if tools.if_gpu and not has_gpu():
        print("skipped: no GPU")
        return None
    for needed in (tools.cuda / "bin" / "nvcc", tools.cuda / "bin" / "nvlink"):
        if not needed.exists():
            print("skipped: no %s" % needed)
            return None
    tools.emulates = emulated(tools.cuda / "bin" / "nvlink")
    return tools


def conclude(results):
    """Prints the totals. The exit status."""
    verdicts = [result.verdict for result in results]
    print("%d pass, %d fail, %d not run" % (verdicts.count("PASS"), verdicts.count("FAIL"),
                                            verdicts.count("not run")))
    if "FAIL" in verdicts:
        return 1
    if "not run" in verdicts:
        print("skipped: no GPU")
        return NO_GPU
    return 0


def main(arguments):
    parser = option_parser(__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path)
    tools = parse(parser, arguments)
    if not tools:
        return NO_GPU
    names = tools.programs or sorted(path.parent.name for path in PROGRAMS.glob("*/main.cu"))
    programs = [Program(PROGRAMS / name) for name in names]
    with tempfile.TemporaryDirectory() as temporary:
        work = tools.work or pathlib.Path(temporary)
        tools.our_nvcc = make_toolkit(tools.cuda.resolve(), work / "toolkit")
        tools.their_nvcc = copy_toolkit(tools.cuda.resolve(), work / "nvlinks_toolkit")
        with concurrent.futures.ThreadPoolExecutor(tools.jobs) as pool:
            futures = [pool.submit(program.test, tools, work / program.name)
                       for program in programs]
            for future in futures:
                done = future.result()
                print("%-24s %-8s bytes: %-4s %s"
                      % (done.name, done.verdict, done.same_bytes, done.reason), flush=True)
    if tools.table:
        tools.table.write_text(table(programs, tools.arch, tools.emulates), encoding="utf-8")
    return conclude(programs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-place-of-nvlink"]:
        try:
            link_in_place_of_nvlink(sys.argv[2:])
        except Failed as failure:
            sys.exit(str(failure))
    else:
        sys.exit(main(sys.argv[1:]))
