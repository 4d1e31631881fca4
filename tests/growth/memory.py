#!/usr/bin/env python3
"""How much memory does a link take for each byte of its inputs?

    tests/growth/memory.py [--bin DIR] [--shapes PATTERN] [--times N] [--compiled FILES]

For each row of shapes.py: makes a program of n and one of N times n (10), links both with one thread, and
divides what the larger one takes more by what its inputs have more. Mapped inputs count as far as they are
read, and so does the output. The rows are programs that consist of one thing only, so they show the worst of
each kind. --compiled adds the programs of bench/link_inputs.py, of so many files, which
need ptxas. Exit status 1 if a row takes more than docs/security.md says.
"""
import argparse
import dataclasses
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Callable

import growth
import shapes

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench"))
# Bytes for each byte of the inputs, as docs/security.md promises them: of links, and of links that fail, with
# a message for each name.
MOST, MOST_WITH_MESSAGES = 12, 40
# Less than this says nothing about bytes: the rows are about words of the command line.
LEAST = 50_000


def size_of(path, ending):
    """The bytes of the files with that ending."""
    return sum(file.stat().st_size for file in pathlib.Path(path).iterdir() if file.name.endswith(ending))


def peak_of(command, folder, tools):
    """Whether a link succeeds, and the most memory that it has had. Python could not see less than its own."""
    run = subprocess.run([os.path.join(tools, "run_measured"), *command], cwd=folder, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    words = run.stdout.split()
    return words[0] == b"0", int(words[4])


class Memory:
    """Links programs and measures them."""

    def __init__(self, options):
        self.tools, self.bin = growth.Growth(options), os.path.abspath(options.bin)

    def measure(self, make, target, fails):
        """Bytes of inputs, of the output, and of memory, of a program that make(folder) writes."""
        with tempfile.TemporaryDirectory() as path:
            words = make(path)
            inputs = size_of(path, (".cubin", ".a"))
            command = [os.path.join(self.bin, "culink"), "--no-cache", "--threads=1", f"-arch={target}",
                       *words, "-o", "out.linked"]
            succeeds, peak = peak_of(command, path, self.bin)
            if succeeds == fails:
                sys.exit(f"unexpected status: {' '.join(command)[:300]}")
            return inputs, size_of(path, ".linked"), peak

    def factor(self, row):
        """What the larger program has, and bytes for each further byte of the inputs."""
        before, after = (self.measure(lambda path, n=n: row.make(path, n), row.target, row.fails)
                         for n in (row.small, row.large))
        inputs = after[0] - before[0]
        return after, (after[2] - before[2]) / inputs if inputs >= LEAST else None


@dataclasses.dataclass
class Row:
    """Programs of two sizes."""
    name: str
    make: Callable
    small: int
    large: int
    target: str
    fails: bool = False


def rows_of(options, memory):
    """All that are asked for."""
    rows = [Row(shape.name, lambda path, n, shape=shape: memory.tools.make(shape, n, path), shape.size,
                shape.size * options.times, shapes.TARGET, shape.fails)
            for shape in shapes.SHAPES if fnmatch.fnmatch(shape.name, options.shapes)]
    if options.compiled:
        import link_inputs  # pylint: disable=import-outside-toplevel
        rows += [Row(make.__name__, make, options.compiled // 4, options.compiled, link_inputs.TARGET)
                 for make in (link_inputs.helpers, link_inputs.templates, link_inputs.bulk, link_inputs.debug)]
    return rows


def main():
    """Exit status 1 if a row takes too much."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default=str(ROOT / "build/release/bin"))
    parser.add_argument("--shapes", default="*")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--compiled", type=int, default=0)
    options = parser.parse_args()
    memory, failed = Memory(options), []
    print(f"{'':40} {'inputs':>11} {'output':>11} {'peak':>12} {'per input byte':>15}")
    for row in rows_of(options, memory):
        (inputs, output, peak), factor = memory.factor(row)
        shown = "-" if factor is None else f"{factor:.1f}"
        print(f"{row.name:40} {inputs:11,} {output:11,} {peak:12,} {shown:>15}", flush=True)
        if factor and factor > (MOST_WITH_MESSAGES if row.fails else MOST):
            failed.append(row.name)
    if failed:
        print("more than is promised: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
