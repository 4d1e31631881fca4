#!/usr/bin/env python3
"""How fast are links, compared with nvlink, and how do they grow?

    bench/link_bench.py BIN [--shapes NAME,...] [--runs N] [--no-growth] [--no-reference] [--instructions]

BIN is the folder with culink and floor. Makes objects of five shapes (link_inputs.py), links them
with nvlink and with culink by turns, compares the two files byte for byte and prints, as Markdown
tables, processor time, wall time and peak memory of both beside the floor: a program that only reads
all inputs and writes as many bytes as the output has. Then links 50, 100, 200, 400 and 800 files of each shape with culink alone, and fits time = c * files^exponent, for the whole and for
each pass.
--instructions counts instructions instead, with one thread under valgrind, for 100 to 1,600 files.
Two small objects, the everyday link, are linked 200 times by each: there, what counts is the mean.

Processor time is what to trust on a machine that does other things; the best of several runs is
shown. Seconds are printed and never checked. Exit status: 1 when outputs differ, 77 (skipped) when
there is no ptxas to make objects with.
"""
import argparse
import csv
import filecmp
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import link_inputs

# Links are measured, not what culink remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

EMULATE = "--emulate=nvlink-13.0.88"
GROWTH = [50, 100, 200, 400, 800]
COUNTED = [100, 200, 400, 800, 1600]
# Name, files, what it is, how many times faster than nvlink we want to be by wall time on two cores.
SHAPES = {
    "helpers": (100, "1,000 functions in a chain, 1,000 kernels that call it", 100),
    "templates": (400, "400 objects with the same 200 weak functions", 60),
    "bulk": (400, "400 objects, 32,000 functions", 12),
    "debug": (400, "400 objects of nvcc -G", None),
    "pair": (2, "two small objects", None),
}
# Functions and kernels of one file.
FUNCTIONS = {"bulk": 80, "debug": 40}
# A pass that takes less than this has no growth that could be measured.
LEAST_SECONDS = 0.002


def run(command):
    """User time, system time, wall time in seconds and peak resident bytes of a command."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    elapsed = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(command[:6])} ...: status {status}")
    return usage.ru_utime, usage.ru_stime, elapsed, usage.ru_maxrss * 1024


def best(runs):
    """Of each column the least: noise only ever adds."""
    return tuple(min(column) for column in zip(*runs))


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.failed = False

    def culink(self, inputs, output, *more):
        return [os.path.join(self.options.bin, "culink"), EMULATE, f"-arch={link_inputs.TARGET}",
                *more, *inputs, "-o", output]

    def make(self, shape, files):
        """Objects in a folder of their own, which replaces that of earlier objects."""
        place = os.path.join(self.folder, "objects")
        shutil.rmtree(place, ignore_errors=True)
        os.mkdir(place)
        return getattr(link_inputs, shape)(place, files)

    def compare(self, shape):
        files, what, wanted = SHAPES[shape]
        if self.options.files:
            files, what = self.options.files, f"{self.options.files} objects like them"
        inputs = self.make(shape, files)
        ours, theirs, nothing = (os.path.join(self.folder, name)
                                 for name in ("ours.cubin", "theirs.cubin", "nothing"))
        runs = {"nvlink": [], "culink": [], "culink, 1 thread": [], "floor": []}
        commands = {"nvlink": ["nvlink", f"-arch={link_inputs.TARGET}", *inputs, "-o", theirs],
                    "culink": self.culink(inputs, ours),
                    "culink, 1 thread": self.culink(inputs, ours, "--threads=1"),
                    "floor": [os.path.join(self.options.bin, "floor"), nothing, "", *inputs]}
        for i in range(self.options.runs):
            for name, command in commands.items():
                if name == "nvlink" and (self.options.no_reference or (i and shape == "helpers")):
                    continue
                if name == "floor":
                    command[2] = str(os.path.getsize(ours))
                # Twice, because the first run after that of another program may have to wait for
                # memory that a virtual machine has given back meanwhile.
                for _ in range(1 if name == "nvlink" and shape == "helpers" else 2):
                    runs[name].append(run(command))
        size = sum(os.path.getsize(path) for path in inputs)
        print(f"\n**{shape}**: {what}; {size / 1e6:.1f} MB in, {os.path.getsize(ours) / 1e6:.1f} MB "
              f"out")
        if not self.options.no_reference:
            same = filecmp.cmp(ours, theirs, shallow=False)
            self.failed = self.failed or not same
            print("Outputs are identical." if same else "OUTPUTS DIFFER.")
        print("\n| | user | system | wall | peak memory | times faster (user) | (wall) |")
        print("|---|---|---|---|---|---|---|")
        reference = best(runs["nvlink"]) if runs["nvlink"] else None
        for name, results in runs.items():
            if not results:
                continue
            user, system, wall, memory = best(results)
            ratios = ["", ""]
            if reference and name.startswith("culink"):
                ratios = [f"{reference[0] / max(user, 1e-4):.1f}", f"{reference[2] / wall:.1f}"]
                if wanted:
                    ratios[1] += f" (wanted {wanted})"
            print(f"| {name} | {user * 1e3:.1f} ms | {system * 1e3:.1f} ms | {wall * 1e3:.1f} ms "
                  f"| {memory / 1e6:.1f} MB | {ratios[0]} | {ratios[1]} |")
        if shape in FUNCTIONS:
            more = best(runs["culink"])[3] - size - os.path.getsize(ours)
            print(f"\nculink's memory beside inputs and output: {more / (files * FUNCTIONS[shape]):.0f} bytes "
                  "for each function")
        sys.stdout.flush()

    def compare_small(self):
        """Two small objects: mean and median, because such a link is over before noise is."""
        inputs = self.make("pair", 2)
        ours, theirs = (os.path.join(self.folder, name) for name in ("ours.cubin", "theirs.cubin"))
        commands = {"culink": self.culink(inputs, ours)}
        if not self.options.no_reference:
            commands["nvlink"] = ["nvlink", f"-arch={link_inputs.TARGET}", *inputs, "-o", theirs]
        commands["an empty program"] = ["true"]
        runs = {name: [] for name in commands}
        for _ in range(self.options.small_runs):
            for name, command in commands.items():
                user, system, wall, *_ = run(command)
                runs[name].append((user + system, wall))
        print(f"\n**pair**: two small objects, {self.options.small_runs} links each by turns")
        print("\n| | mean wall | median wall | mean processor time |")
        print("|---|---|---|---|")
        for name, results in runs.items():
            processor, wall = zip(*results)
            print(f"| {name} | {statistics.mean(wall) * 1e3:.2f} ms "
                  f"| {statistics.median(wall) * 1e3:.2f} ms "
                  f"| {statistics.mean(processor) * 1e3:.2f} ms |")
        if not self.options.no_reference:
            self.failed = self.failed or not filecmp.cmp(ours, theirs, shallow=False)
        sys.stdout.flush()

    def passes(self, inputs):
        """Processor seconds by pass, and their sum."""
        table = os.path.join(self.folder, "times.csv")
        if os.path.exists(table):
            os.unlink(table)
        command = self.culink(inputs, os.path.join(self.folder, "ours.cubin"), "--threads=1",
                              "-time", table)
        command.remove(EMULATE)  # nvlink has no such rows
        run(command)
        out = {}
        with open(table, newline="", encoding="ascii") as file:
            for row in csv.reader(file):
                cells = [cell.strip() for cell in row]
                if len(cells) == 8 and cells[7] == "cpu ms":
                    out[cells[1]] = out.get(cells[1], 0) + float(cells[6]) / 1e3
        out["all"] = sum(out.values())
        return out

    def growth(self, shape):
        seconds = {}
        for files in GROWTH:
            inputs = self.make(shape, files)
            runs = [self.passes(inputs) for _ in range(self.options.runs)]
            for name in runs[0]:
                seconds.setdefault(name, []).append(min(r[name] for r in runs))
        print(f"\n**{shape}**, processor time by number of files\n")
        print("| pass | " + " | ".join(f"{files} files" for files in GROWTH) + " | exponent |")
        print("|---|" + "---|" * (len(GROWTH) + 1))
        for name, values in seconds.items():
            points = [(f, v) for f, v in zip(GROWTH, values) if v >= LEAST_SECONDS]
            exponent = f"{fit(points):.2f}" if len(points) > 2 else "too short"
            print(f"| {name} | " + " | ".join(f"{v * 1e3:.1f} ms" for v in values) +
                  f" | {exponent} |")
        sys.stdout.flush()


    def count(self, inputs):
        """Millions of instructions of a link with one thread."""
        command = self.culink(inputs, os.path.join(self.folder, "ours.cubin"), "--threads=1")
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                              capture_output=True, text=True, errors="replace", check=True)
        return int(re.search(r"Collected : (\d+)", done.stderr)[1]) / 1e6

    def counted_growth(self, shape):
        counts = [self.count(self.make(shape, files)) for files in COUNTED]
        print(f"| {shape} | " + " | ".join(f"{count:,.0f}" for count in counts) +
              f" | {fit(list(zip(COUNTED, counts))):.3f} |", flush=True)


def fit(points):
    """The slope of log(seconds) over log(files), by least squares."""
    xs, ys = [math.log(p[0]) for p in points], [math.log(p[1]) for p in points]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("bin", help="folder of culink and floor")
    parser.add_argument("--shapes", default=",".join(SHAPES), help="which shapes")
    parser.add_argument("--files", type=int, help="objects of the comparison, of every shape")
    parser.add_argument("--runs", type=int, default=5, help="runs of each link; the best counts")
    parser.add_argument("--small-runs", type=int, default=200, help="of the link of two objects")
    parser.add_argument("--no-growth", action="store_true", help="only the comparison")
    parser.add_argument("--no-comparison", action="store_true", help="only the growth")
    parser.add_argument("--no-reference", action="store_true", help="without nvlink")
    parser.add_argument("--instructions", action="store_true", help="only the growth, in instructions")
    options = parser.parse_args()
    if not shutil.which("ptxas"):
        print("skipped: there is no ptxas to make objects with")
        sys.exit(77)
    options.no_reference = options.no_reference or not shutil.which("nvlink")
    shapes = options.shapes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        if options.instructions:
            print("| millions of instructions | " + " | ".join(f"{files:,} files" for files in COUNTED) +
                  " | exponent |\n|---|" + "---|" * (len(COUNTED) + 1))
            for shape in shapes:
                if shape != "pair":
                    bench.counted_growth(shape)
            return
        for shape in shapes:
            if not options.no_comparison and shape == "pair":
                bench.compare_small()
            elif not options.no_comparison:
                bench.compare(shape)
        for shape in shapes:
            if not options.no_growth and shape != "pair":
                bench.growth(shape)
    sys.exit(1 if bench.failed else 0)


if __name__ == "__main__":
    main()
