#!/usr/bin/env python3
"""Every row of cases.py through a C client: with culink's library, and with NVIDIA's where one is.

    tests/nvjitlink/walk.py [--library FILE] [--real FILE] [-v] [NAME...]

Each case runs in a process of its own, so that a library that crashes fails one case. Exit status 0: all
rows hold; 1: some do not, and are printed.
"""
import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from cases import all_cases

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = SOURCE / "examples/vector_math"
BUILD = pathlib.Path(os.environ.get("CULINK_BUILD", SOURCE / "build/release"))

PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p)
{
  ret;
}
"""


def host_object():
    """An object of x86-64 without any code: a header, and the section that names of sections are in."""
    names = b"\0.shstrtab\0".ljust(16, b"\0")
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64 + len(names), 0, 64, 0, 0, 64, 2, 1)
    section = struct.pack("<IIQQQQIIQQ", 1, 3, 0, 0, 64, 11, 0, 0, 1, 0)
    return header + names + bytes(64) + section


def archive(name, data):
    head = f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
    return b"!<arch>\n" + head + data + (b"\n" if len(data) % 2 else b"")


LTO_SOURCES = {"k": "extern __device__ int f(int); __global__ void k(int *p) { *p = f(*p); }",
               "f": "__device__ int f(int x) { return 3 * x; }"}


def write_lto_inputs(folder):
    """Whether there is a compiler to make them."""
    if not shutil.which("nvcc"):
        return False
    for name, source in LTO_SOURCES.items():
        (folder / f"{name}.cu").write_text(source)
        if subprocess.run(["nvcc", "-arch=sm_90", "-dlto", "-ltoir", "-dc", "-o", f"{name}.ltoir", f"{name}.cu"],
                          cwd=folder, capture_output=True, check=False).returncode != 0:
            return False
    return True


def write_inputs(folder):
    main = (EXAMPLE / "sm_90/main.cubin").read_bytes()
    part = (EXAMPLE / "sm_90/filter.cubin").read_bytes()
    files = {"a.cubin": main, "b.cubin": part, "c.cubin": part, "cut100": main[:100], "almost.cubin": main[:-1],
             "shorter.cubin": main[:-2],
             "cut1500": main[:1500], "old.cubin": (EXAMPLE / "sm_80/main.cubin").read_bytes(),
             "linked.cubin": (EXAMPLE / "sm_90/linked.cubin").read_bytes(), "junk": b"junk\n",
             "empty": b"", "nodev.o": host_object(), "libb.a": archive("b.o", (EXAMPLE / "fat/filter.o").read_bytes()),
             "cubins.a": archive("b.cubin", part),
             "a.fatbin": (EXAMPLE / "fat/main.fatbin").read_bytes(), "k.ptx": PTX.encode(),
             "bad.ptx": PTX.replace("ret;", "rett;").encode(),
             "some.ltoir": b"\xed\x43\x4e\x7f\x01\x41\x02\x62" + bytes(100)}
    shutil.copy(EXAMPLE / "fat/main.o", folder / "a.o")
    for name, data in files.items():
        (folder / name).write_bytes(data)


def find_real():
    places = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    for place in filter(None, places):
        for lib in ("lib64", "lib"):
            library = pathlib.Path(place) / lib / "libnvJitLink.so.13"
            if library.exists():
                return library
    return None


def release_of(client, library):
    """ "13.0": the release of a library; empty if it cannot be loaded."""
    run = subprocess.run([client, library, "-arch=sm_90", "--", "version"], capture_output=True, text=True,
                         check=False)
    found = re.search(r"version -> 0 (\S+)", run.stdout)
    return found.group(1) if found else ""


def run_case(client, library, case, folder):
    """What a case prints, as codes, errors and infos."""
    words = [client, library, *case.options.split(" "), "--", *case.steps.split()]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace",
                         timeout=120, check=False)
    codes, logs, log = [], {"error log": [], "info log": []}, None
    for line in run.stdout.splitlines():
        if line.startswith("| "):
            logs[log].append(line[2:])
        elif line.split(":")[0] in logs:
            log = line.split(":")[0]
        elif "-> " in line:
            codes.append(re.match(r"-?\d+|.*", line.split("-> ")[1]).group())
    if run.returncode != 0:
        codes.append("crash" if run.returncode < 0 else f"status {run.returncode}")
    return {"codes": " ".join(codes), "errors": logs["error log"], "infos": logs["info log"]}


def matches(lines, patterns):
    def fits(line, pattern):
        return fnmatch.fnmatchcase(line, pattern.replace("[", "[[]"))
    return len(lines) == len(patterns) and all(map(fits, lines, patterns))


def findings(case, got, expected):
    if not (expected["codes"] == "..." or got["codes"] == expected["codes"] or
            ("crash" in expected["codes"] and "crash" in got["codes"])):
        yield f"codes {got['codes']}, expected {expected['codes']}"
    if "crash" in got["codes"]:
        return
    for log in ("errors", "infos"):
        if expected[log] != ("...",) and not matches(got[log], expected[log]):
            yield f"{log}:\n" + "\n".join(got[log]) + "\n  expected:\n" + "\n".join(expected[log])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default=BUILD / "lib/culink/jit-13/libnvJitLink.so.13")
    parser.add_argument("--client", default=BUILD / "bin/nvjitlink_client")
    parser.add_argument("--real", default=find_real())
    parser.add_argument("-v", action="store_true")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    args.library, args.client = (pathlib.Path(path).resolve() for path in (args.library, args.client))
    if args.real and release_of(args.client, args.real) != "13.0":
        args.real = None  # the rows are those of 13.0
    failed = count = differing = 0
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        write_inputs(folder)
        found = {"ptxas": shutil.which("ptxas") is not None,
                 "lto": bool(args.real) and write_lto_inputs(folder)}
        libraries = [("culink", args.library)] + ([("NVIDIA", args.real)] if args.real else [])
        for case in all_cases():
            if (args.names and case.name not in args.names) or not all(found[need] for need in case.needs):
                continue
            assert bool(case.real) == bool(case.why), case.name
            differing += bool(case.real)
            for who, library in libraries:
                expected = {"codes": case.codes, "errors": case.errors, "infos": case.infos}
                if who == "NVIDIA" and case.real:
                    expected.update(case.real)
                count += 1
                for finding in findings(case, run_case(args.client, library, case, folder), expected):
                    failed += 1
                    print(f"{case.name} ({who}): {finding}")
                if args.v:
                    print(f"{case.name} ({who})")
    print(f"{count} runs, {failed} failed; {differing} cases differ by intent"
          + ("" if args.real else "; NVIDIA's library of 13.0 is not installed"))
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
