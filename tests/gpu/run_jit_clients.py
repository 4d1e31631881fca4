#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that link while they run, with culink as their libnvJitLink.

    tests/gpu/run_jit_clients.py [--culink FILE] [--if-gpu] [--only NAME]

Each program of tests/gpu/jit checks its own results. It runs twice, in processes of its own: as it is, and with culink's
library preloaded, whose log then has to have a line for a link that succeeded. A program whose packages are not installed,
or that fails without culink as well, is skipped by name. Exit status: 0 all pass, 1 something failed, 77 nothing could run.
"""
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NOTHING_RAN = 77
XLA = "--xla_gpu_enable_libnvjitlink=true --xla_gpu_force_compilation_parallelism=8"
# What each program needs beside the library.
CLIENTS = {
    "cupy_links": {},
    "cupy_nvcc": {"toolchain": True},
    "cuda_core_links": {},
    "jax_links": {"environment": {"XLA_FLAGS": XLA, "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
                                  "JAX_ENABLE_COMPILATION_CACHE": "false"}},
}


def has_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


def run(name, environment):
    done = subprocess.run([sys.executable, "-B", HERE / "jit" / f"{name}.py"], capture_output=True, text=True,
                          errors="replace", env=environment, timeout=400, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def last_line(text):
    return text.splitlines()[-1] if text else ""


def run_client(name, culink, work):
    """(outcome, what it said): outcome is passed, failed or skipped."""
    wants = CLIENTS[name]
    plain = dict(os.environ, CUPY_CACHE_DIR=str(work / "plain"), **wants.get("environment", {}))
    status, said = run(name, plain)
    if status != 0:
        return "skipped", f"fails without culink: {last_line(said)}"
    log = work / f"{name}.log"
    ours = dict(plain, CUPY_CACHE_DIR=str(work / "ours"), CULINK_JIT_LOG=str(log))
    if wants.get("toolchain"):
        made = subprocess.run([culink, "--make-toolchain", work / "cuda"], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return "skipped", made.stderr.strip()
        status, with_ours = run(name, dict(ours, NVCC=str(work / "cuda/bin/nvcc")))
        return ("passed", last_line(with_ours)) if status == 0 else ("failed", with_ours)
    ours["LD_PRELOAD"] = str(work / "jit/libnvJitLink.so.13")
    status, with_ours = run(name, ours)
    links = log.read_text().splitlines() if log.exists() else []
    if status != 0:
        return "failed", with_ours + "\n" + "\n".join(links)
    if not any(" code=0 " in line for line in links):
        return "failed", "culink was not asked to link anything"
    return "passed", f"{last_line(with_ours)}; {len(links)} links, the last: {links[-1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK", ROOT / "build/release/bin/culink"))
    parser.add_argument("--if-gpu", action="store_true")
    parser.add_argument("--only", choices=sorted(CLIENTS))
    args = parser.parse_args()
    if args.if_gpu and not has_gpu():
        print("skipped: no GPU")
        return NOTHING_RAN
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        subprocess.run([args.culink, "--make-jit-folder", work / "jit"], check=True, capture_output=True)
        for name in [args.only] if args.only else CLIENTS:
            outcome, said = run_client(name, args.culink, work)
            outcomes.append(outcome)
            print(f"{name}: {outcome}: {said}", flush=True)
    if "failed" in outcomes:
        return 1
    return 0 if "passed" in outcomes else NOTHING_RAN


if __name__ == "__main__":
    sys.exit(main())
