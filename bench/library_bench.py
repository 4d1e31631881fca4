#!/usr/bin/env python3
"""What do NVIDIA's own static libraries cost a small link, compared with nvlink?

    bench/library_bench.py BIN [--libraries FOLDER] [--targets LIST] [--runs N]

BIN is the folder with culink and run_measured. Links the two small cubins of examples/vector_math against each
lib*_static*.a of the installed toolkit, with both linkers in turn, and prints a Markdown row for each
library: its size, whether the results are the same, wall time, processor time and peak memory of both.
Both linkers find each archive in the page cache (it is read once first).

Exit status: 1 when a result differs, or when culink needs more than a tenth of nvlink's time or memory
for a library of 100 MB and more; 77 without nvlink or without such libraries.
"""
import argparse
import filecmp
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from link_bench import EMULATE, best

# Links are measured, not what culink remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Host code alone, or the runtime itself, which every link sees anyway.
NOT_MEASURED = ("libcudart_static.a",)
LARGE = 100_000_000
SHARE = 10


def objects(target):
    folder = os.path.join(ROOT, "examples", "vector_math", target)
    return [os.path.join(folder, name) for name in ("main.cubin", "filter.cubin")]


def run(options, command):
    """Exit status, and user time, system time, wall time in seconds and peak resident bytes."""
    measured = subprocess.run([os.path.join(options.bin, "run_measured"), *command],
                              capture_output=True, text=True, check=True)
    status, user, system, wall, peak = measured.stdout.split()
    return int(status), (float(user), float(system), float(wall), int(peak))


def verdict(statuses, ours, theirs):
    if statuses["culink"] != 0 or statuses["nvlink"] != 0:
        same = (statuses["culink"] != 0) == (statuses["nvlink"] != 0)
        return "refused by both" if same else "status {culink} against {nvlink}".format(**statuses)
    return "identical" if filecmp.cmp(ours, theirs, shallow=False) else "DIFFERENT"


def read_once(path):
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def compare(options, library, target, folder):
    """One row of the table. True when it is as it must be."""
    ours, theirs = (os.path.join(folder, name) for name in ("ours", "theirs"))
    for each in (ours, theirs):
        if os.path.exists(each):
            os.remove(each)
    arguments = ["-arch=" + target, *objects(target), library, "-o"]
    commands = {"culink": [os.path.join(options.bin, "culink"), EMULATE, *arguments, ours],
                "nvlink": ["nvlink", *arguments, theirs]}
    read_once(library)
    statuses, times = {}, {name: [] for name in commands}
    for _ in range(options.runs):
        for name, command in commands.items():
            statuses[name], measured = run(options, command)
            times[name].append(measured)
    result = verdict(statuses, ours, theirs)
    our, their = best(times["culink"]), best(times["nvlink"])
    size = os.path.getsize(library)
    print(f"| {os.path.basename(library)} | {target} | {size / 1e6:.0f} MB | {result} "
          f"| {our[2] * 1e3:.1f} / {their[2] * 1e3:.0f} ms | {their[2] / our[2]:.0f} "
          f"| {(our[0] + our[1]) * 1e3:.1f} / {(their[0] + their[1]) * 1e3:.0f} ms "
          f"| {our[3] / 1e6:.1f} / {their[3] / 1e6:.0f} MB |", flush=True)
    cheap = size < LARGE or (our[2] * SHARE <= their[2] and our[3] * SHARE <= their[3])
    return result in ("identical", "refused by both") and cheap


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("bin")
    parser.add_argument("--libraries")
    parser.add_argument("--targets", default="sm_90")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    nvlink = shutil.which("nvlink")
    if not nvlink:
        print("skipped: nvlink not found")
        return 77
    toolkit = os.path.join(os.path.dirname(os.path.realpath(nvlink)), "..")
    place = options.libraries or os.path.join(toolkit, "lib64")
    libraries = [path for path in sorted(glob.glob(os.path.join(place, "lib*_static*.a")))
                 if os.path.basename(path) not in NOT_MEASURED]
    if not libraries:
        print(f"skipped: no static libraries with device code in {place}")
        return 77
    print("| library | target | size | result | wall, culink / nvlink | ratio | processor | peak memory |")
    print("|---|---|---|---|---|---|---|---|")
    folder = tempfile.mkdtemp()
    try:
        rows = [compare(options, library, target, folder)
                for library in libraries for target in options.targets.split(",")]
    finally:
        shutil.rmtree(folder)
    print(f"\n{len(rows)} links, {rows.count(False)} not as they must be")
    return 1 if False in rows else 0


if __name__ == "__main__":
    sys.exit(main())
