#!/usr/bin/env python3
"""What does looking into large libraries cost, compared with unpacking the code in them?

    bench/size_bench.py BIN [--libraries FOLDER] [--runs N]

BIN is the folder with cubin, unpack_bench and run_measured. Runs `cubin size`, `cubin list` and `cubin usage`
on each large shared library of the installed toolkit (libcublasLt, libcufft, ...), and unpack_bench, which only
unpacks the same machine code with libzstd and LZ4 on the same cores. Prints a Markdown row for each library:
sizes, the times (processor time, which other programs on the machine do not change), the largest ratio, and
peak memory. That `stored` of all rows adds up to the file is checked for each view.

Exit status: 1 when a sum is wrong, a command takes more than three times the time of unpacking (if that takes
a second at least), or more than 500 MB; 77 without such libraries.
"""
import argparse
import glob
import json
import os
import subprocess
import sys

LARGE = 20_000_000
NAMES = ("cublas", "cufft", "cusparse", "cusolver", "cudnn", "curand", "npp", "nccl")
VIEWS = ("kernel", "section", "target", "packing")
RATIO = 3
MEMORY = 500_000_000


def measured(options, command):
    """Processor time and wall time in seconds and peak resident bytes; the best of several runs."""
    runs = []
    for _ in range(options.runs):
        result = subprocess.run([os.path.join(options.bin, "run_measured"), *command],
                                capture_output=True, text=True, check=True)
        status, user, system, wall, peak = result.stdout.split()[-5:]
        if int(status) != 0:
            sys.exit(f"{' '.join(command)}: status {status}")
        runs.append((float(user) + float(system), float(wall), int(peak)))
    return min(runs)


def adds_up(options, library):
    for view in VIEWS:
        output = subprocess.check_output([os.path.join(options.bin, "cubin"), "size", "--json", "-n", "0",
                                          "--by", view, library])
        table, = json.loads(output)
        if sum(row["stored"] for row in table["sizes"]) != os.path.getsize(library):
            return False
    return True


def has_code(options, library):
    command = [os.path.join(options.bin, "cubin"), "list", "--quick", library]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def measure(options, library):
    """A row of the table, and whether all is well."""
    cubin = os.path.join(options.bin, "cubin")
    unpacking = os.path.join(options.bin, "unpack_bench")
    unpacked = int(subprocess.check_output([unpacking, library]))
    floor = measured(options, [unpacking, library])
    times = [measured(options, [cubin, *command.split(), library])
             for command in ("size", "list", "usage")]
    ratio = max(time[0] for time in times) / floor[0] if floor[0] else 0
    peak = max(time[2] for time in times)
    sums = adds_up(options, library)
    cells = [os.path.basename(library), f"{os.path.getsize(library) / 1e6:.0f}", f"{unpacked / 1e6:.0f}",
             f"{floor[0]:.2f}", *(f"{time[0]:.2f}" for time in times), f"{ratio:.1f}", f"{peak / 1e6:.0f}",
             "yes" if sums else "NO"]
    good = sums and peak <= MEMORY and (floor[0] < 1 or ratio <= RATIO)
    return "| " + " | ".join(cells) + " |", good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--libraries", default="/usr/local/cuda/lib64")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    libraries = sorted({os.path.realpath(path) for name in NAMES
                        for path in glob.glob(f"{options.libraries}/lib{name}*.so")
                        if os.path.getsize(path) >= LARGE})
    if not libraries:
        print("skipped: no large libraries in", options.libraries)
        return 77
    print("| library | MB | MB of machine code, unpacked | unpacking, s | size, s | list, s | usage, s | largest ratio "
          "| peak, MB | adds up |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    good = True
    for library in libraries:
        if not has_code(options, library):
            continue
        row, well = measure(options, library)
        print(row, flush=True)
        good = good and well
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
