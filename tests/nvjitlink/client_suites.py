#!/usr/bin/env python3
"""Clients' own tests, with NVIDIA's libnvJitLink and with culink's loaded before it, in environments that differ in
the compilers that are there: `toolkit` (CUDA_HOME names one), `beside` (the packages with ptxas and nvvm are
installed, too) and `bare` (only what clients need: nvidia-nvjitlink and nvidia-cuda-nvrtc).

    tests/nvjitlink/client_suites.py --work DIR [--jit FOLDER] [--cuda TOOLKIT] [NAME...]

DIR keeps the environments (venv, pip) and the tests (git) for the next run. No device is needed: a stand-in for the
driver says that there is one, and tests that want more fail alike with both libraries. Below the table are the tests
that pass with NVIDIA's library only or fail for another reason. Exit status 1: there are some.
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

@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
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
    python_path: str = ""


BARE = {13: ("nvidia-nvjitlink", "nvidia-cuda-nvrtc"), 12: ("nvidia-nvjitlink-cu12", "nvidia-cuda-nvrtc-cu12")}
SUITES = [
    Suite("cuda-bindings 13", "cuda-python", "cuda_bindings/tests", ("test_nvjitlink.py",), ("cuda-bindings>=13",)),
    Suite("cuda-bindings 12", "cuda-python", "cuda_bindings/tests", ("test_nvjitlink.py",), ("cuda-bindings<13",), 12,
          "v12.9.7"),
    Suite("cuda.core, linker", "cuda-python", "cuda_core/tests", ("test_linker.py",),
          ("cuda-bindings>=13", "cuda-core")),
    Suite("cuda.core, program", "cuda-python", "cuda_core/tests", ("test_program.py",),
          ("cuda-bindings>=13", "cuda-core")),
    Suite("numba-cuda", "numba-cuda", "testing",
          ("--pyargs", "numba.cuda.tests.cudadrv.test_nvjitlink", "numba.cuda.tests.cudadrv.test_linker"),
          ("cuda-bindings>=13", "cuda-core", "numba-cuda", "filecheck")),
    Suite("cuda-cccl", "cccl", "python/cuda_cccl/tests/compute",
          ("test_multi_cc_serialization.py", "test_serialization_diagnostics.py"),
          ("cuda-bindings>=13", "cuda-core", "cuda-cccl", "numba-cuda-mlir"), tag="python-1.1.1", python_path=".."),
]


def run(words, **options):
    return subprocess.run([str(word) for word in words], check=True, **options)


def build_inputs(tests, python, toolkit):
    """What numba-cuda's tests link: its Makefile builds it, for the device that the stand-in is."""
    folder = tests / "testing"
    if (folder / "Makefile").exists() and not (folder / "test_device_functions.ltoir").exists():
        run(["make", "-s", "GPU_CC=90", "test_device_functions"], cwd=folder, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={"PATH": f"{toolkit}/bin:{python.parent}:/usr/bin:/bin"})
    return folder


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
    """Test to outcome; that of a test that fails has its reason."""
    folder = tests / suite.folder
    helpers = tests / "cuda_python_test_helpers"
    path = os.pathsep.join(map(str, (variables["PLUGINS"], helpers, folder, folder / suite.python_path)))
    words = [python, "-m", "pytest", "-q", "-rA", "--tb=line", "-c", os.devnull, "--noconftest",
             "-o", "consider_namespace_packages=true", "-p", "no:cacheprovider", "-p", "no_device", *suite.tests]
    report = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=limit,
                            env={**variables, "CI": "1", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"})
    found = {test: kind + re.sub(r"[0-9a-f]{6,}|/tmp/\S+", "", reason) for kind, test, reason in
             re.findall(r"^(PASSED|FAILED|ERROR|XFAIL|XPASS|SUBFAILED\S*) (\S+)(.*)", report.stdout, re.MULTILINE)}
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
                         "PLUGINS": str(plugins), "CULINK_NO_CACHE": "1",
                         "NUMBA_CUDA_TEST_BIN_DIR": str(build_inputs(tests, python, args.cuda))}
            if place == "toolkit":
                variables["CUDA_HOME"] = args.cuda
            theirs = outcomes(python, tests, suite, variables, args.limit)
            variables["LD_PRELOAD"] = str(jit / f"libnvJitLink.so.{suite.major}")
            ours = outcomes(python, tests, suite, variables, args.limit)
            passed = [sum(one == "PASSED" for one in found.values()) for found in (theirs, ours)]
            print(f"| {suite.name} | {place} | {passed[0]} of {len(theirs)} | {passed[1]} of {len(ours)} |",
                  flush=True)
            lost += [f"{suite.name}, {place}: {test}" for test, outcome in theirs.items()
                     if ours.get(test) not in (outcome, "PASSED")]
    print(*lost, sep="\n")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
