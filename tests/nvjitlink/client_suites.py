#!/usr/bin/env python3
"""Clients' own tests, with NVIDIA's libnvJitLink and with culink's loaded before it, in environments that differ in
the compilers that are there: `toolkit` (CUDA_HOME names one), `beside` (the packages with ptxas and nvvm are
installed, too) and `bare` (only what clients need: nvidia-nvjitlink and nvidia-cuda-nvrtc).

    tests/nvjitlink/client_suites.py --work DIR [--jit FOLDER] [--cuda TOOLKIT] [NAME...]

DIR keeps the environments (venv, pip) and the tests (git) for the next run. No device is needed: a stand-in for the
driver says that there is one, and tests that want more fail alike with both libraries. Where one does not, it is
named below the table. Exit status 1: a test passes with NVIDIA's library only.
"""
import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("CULINK_BUILD", HERE.parents[1] / "build/release"))
GITHUB = "https://github.com/NVIDIA"
PLUGIN = '''
import pytest

@pytest.fixture
def init_cuda():
    from cuda.core import Device
    return Device()

@pytest.fixture
def deinit_cuda():
    yield
'''
BESIDE = {13: ["nvidia-cuda-nvcc", "nvidia-nvvm"], 12: ["nvidia-cuda-nvcc-cu12"]}


@dataclasses.dataclass
class Suite:
    name: str
    repository: str
    folder: str
    tests: tuple
    packages: tuple
    major: int = 13
    tag: str = "HEAD"


BARE = {13: ("nvidia-nvjitlink", "nvidia-cuda-nvrtc"), 12: ("nvidia-nvjitlink-cu12", "nvidia-cuda-nvrtc-cu12")}
SUITES = [
    Suite("cuda-bindings 13", "cuda-python", "cuda_bindings/tests", ("test_nvjitlink.py",), ("cuda-bindings>=13",)),
    Suite("cuda-bindings 12", "cuda-python", "cuda_bindings/tests", ("test_nvjitlink.py",), ("cuda-bindings<13",), 12,
          "v12.9.7"),
    Suite("cuda.core, linker", "cuda-python", "cuda_core/tests", ("test_linker.py",),
          ("cuda-bindings>=13", "cuda-core")),
    Suite("cuda.core, program", "cuda-python", "cuda_core/tests", ("test_program.py",),
          ("cuda-bindings>=13", "cuda-core")),
    Suite("numba-cuda", "numba-cuda", "numba_cuda/numba/cuda/tests",
          ("cudadrv/test_nvjitlink.py", "cudadrv/test_linker.py"), ("cuda-bindings>=13", "cuda-core", "numba-cuda")),
]


def run(words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def make_environment(work, suite, beside):
    """A venv with the packages of all suites of a release."""
    folder = work / f"{'beside' if beside else 'bare'}-{suite.major}"
    if not folder.exists():
        run([sys.executable, "-m", "venv", folder])
    packages = [*BARE[suite.major], *suite.packages, "pytest", "numpy", "hypothesis", "psutil", "cffi"]
    packages += BESIDE[suite.major] if beside else []
    run([folder / "bin/pip", "install", "-q", *packages])
    return folder / "bin/python"


def fetch_tests(work, suite, mirrors):
    folder = work / "src" / f"{suite.repository}-{suite.tag}"
    if not folder.exists():
        source = mirrors / f"NVIDIA+{suite.repository}" / "repo" if mirrors else f"{GITHUB}/{suite.repository}"
        run(["git", "clone", "-q", source, folder])
        run(["git", "-C", folder, "checkout", "-q", suite.tag])
    return folder


def outcomes(python, tests, suite, variables, limit):
    """Test to outcome."""
    folder = tests / suite.folder
    helpers = tests / "cuda_python_test_helpers"
    path = os.pathsep.join(map(str, (variables["PLUGINS"], helpers, folder)))
    words = [python, "-m", "pytest", "-q", "-rA", "--tb=no", "-c", os.devnull, "--noconftest",
             "-p", "no:cacheprovider", "-p", "no_device", *suite.tests]
    report = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=limit,
                            env={**variables, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"})
    found = dict(reversed(match) for match in
                 re.findall(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S+)", report.stdout, re.MULTILINE))
    return found or {"collection": "ERROR " + report.stdout[-300:] + report.stderr[-300:]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--jit", type=pathlib.Path, help="made by culink --make-jit-folder; else made in DIR")
    parser.add_argument("--cuda", default=os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    parser.add_argument("--mirrors", type=pathlib.Path, help="folder of repositories NVIDIA+NAME/repo")
    parser.add_argument("--limit", type=int, default=1200, help="seconds for one run of one suite")
    parser.add_argument("names", nargs="*", help="of suites")
    args = parser.parse_args()
    args.work = args.work.resolve()
    plugins, driver = args.work / "plugins", args.work / "driver"
    for folder in (plugins, driver):
        folder.mkdir(parents=True, exist_ok=True)
    (plugins / "no_device.py").write_text(PLUGIN)
    run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", driver / "libcuda.so.1", HERE / "no_device.c"])
    jit = args.jit or args.work / "jit"
    if not args.jit:
        run([BUILD / "bin/culink", "--make-jit-folder", jit], stdout=subprocess.DEVNULL)
    print("| tests | environment | NVIDIA | culink |\n|---|---|---|---|", flush=True)
    lost = []
    for suite in SUITES:
        if args.names and suite.name not in args.names:
            continue
        tests = fetch_tests(args.work, suite, args.mirrors)
        for place in ("toolkit", "beside", "bare"):
            python = make_environment(args.work, suite, place == "beside")
            variables = {"PATH": "/usr/bin:/bin", "HOME": str(args.work), "LD_LIBRARY_PATH": str(driver),
                         "PLUGINS": str(plugins), "CULINK_NO_CACHE": "1"}
            if place == "toolkit":
                variables["CUDA_HOME"] = args.cuda
            theirs = outcomes(python, tests, suite, variables, args.limit)
            variables["LD_PRELOAD"] = str(jit / f"libnvJitLink.so.{suite.major}")
            ours = outcomes(python, tests, suite, variables, args.limit)
            passed = [sum(one == "PASSED" for one in found.values()) for found in (theirs, ours)]
            print(f"| {suite.name} | {place} | {passed[0]} of {len(theirs)} | {passed[1]} of {len(ours)} |",
                  flush=True)
            lost += [f"{suite.name}, {place}: {test}" for test, outcome in theirs.items()
                     if outcome == "PASSED" and ours.get(test) != "PASSED"]
    print(*lost, sep="\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
