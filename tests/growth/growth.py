#!/usr/bin/env python3
"""Is any part of a link quadratic? Counts instructions at n and at 4n for every dimension of an input.

    tests/growth/growth.py [--bin DIR] [--shapes PATTERN] [--part I/N] [--sizes N,M,...]

For each row of shapes.py: makes programs of three sizes, 16, n and 4n, links each with one thread under
`valgrind --tool=callgrind`, and compares what one more of the dimension costs from 16 to n and from n to
4n. That should be the same, or a little more where something is sorted. Where a pass is quadratic, it is up to
five times as much. Instructions, unlike seconds, are the same in every run.

--part: one of N parts of the rows, I being 1 to N.
--sizes: instead of n and 4n, these multiples of n, as a table with the exponent between neighbours.
Exit status: 0, 1 if a dimension grows too fast, 77 (skipped) where there is no valgrind.
"""
import argparse
import fnmatch
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import shapes

LEAST = 16
# The logarithm of the sizes grows by less than this.
MOST = 1.2


class Growth:
    def __init__(self, options):
        self.options = options
        self.cubin = os.path.join(options.bin, "cubin")
        self.culink = os.path.join(options.bin, "culink")

    def make(self, shape, size, path):
        """Writes the inputs; the words of the command line."""
        folder = shapes.Folder(path)
        words = shape.make(folder, size)
        for name, text in folder.documents:
            source = os.path.join(path, name + ".yaml")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
        sources = [os.path.join(path, name + ".yaml") for name, _ in folder.documents]
        for source in sources:
            subprocess.run([self.cubin, "assemble", source, "-o", source[:-len(".yaml")]], check=True)
        for name, members in folder.archives:
            folder.write(name, shapes.archive_of([(member, read(os.path.join(path, member)))
                                                  for member in members]))
        return words

    def make_ballast(self, path):
        """Code enough for a link that is not checked unless it is asked to (docs/checker.md): else a larger
        link would have less to do than a smaller one."""
        with open(os.path.join(path, "ballast.yaml"), "w", encoding="utf-8") as file:
            file.write(f"arch: {shapes.TARGET}\nfunctions:\n- {{name: ballast, kernel: true, code: nop x5000}}\n")
        subprocess.run([self.cubin, "assemble", "ballast.yaml", "-o", "ballast.cubin"], cwd=path, check=True)
        return "ballast.cubin"

    def count(self, shape, size):
        """The instructions of a link."""
        with tempfile.TemporaryDirectory() as path:
            words = [*self.make(shape, size, path), self.make_ballast(path)]
            command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.culink,
                       "--threads=1", f"-arch={shapes.TARGET}", *words, "-o", "out.cubin"]
            run = subprocess.run(command, cwd=path, capture_output=True, text=True, errors="replace",
                                 check=False)
            if (run.returncode != 0) != shape.fails:
                sys.exit(f"{shape.name}, {size}: status {run.returncode}\n{run.stderr[-2000:]}")
            return int(re.search(r"Collected : (\d+)", run.stderr).group(1))

    def check(self, shape):
        """The line of a shape, and whether it grows as it should."""
        least, once, four = (self.count(shape, size) for size in (LEAST, shape.size, 4 * shape.size))
        before = (once - least) / (shape.size - LEAST)
        after = (four - once) / (3 * shape.size)
        ratio = after / before
        return f"{shape.name:38} {shape.size:6} {before:13,.0f} {after:13,.0f} {ratio:6.2f}", ratio <= MOST

    def table(self, shape, factors):
        counts = [self.count(shape, factor * shape.size) for factor in factors]
        exponents = [math.log(b / a) / math.log(g / f)
                     for f, g, a, b in zip(factors, factors[1:], counts, counts[1:])]
        return f"{shape.name:38} " + " ".join(f"{count:13,}" for count in counts) + "  " + \
            " ".join(f"{exponent:.2f}" for exponent in exponents)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=os.path.join(os.environ.get("CULINK_BUILD", "build/release"), "bin"))
    parser.add_argument("--shapes", default="*")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--sizes")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return 77
    growth = Growth(options)
    part, parts = map(int, options.part.split("/"))
    chosen = [shape for shape in shapes.SHAPES if fnmatch.fnmatch(shape.name, options.shapes)][part - 1::parts]
    failed = 0
    print(f"{'dimension':38} {'n':>6} {'each up to n':>13} {'up to 4n':>13} {'ratio':>6}")
    for shape in chosen:
        if options.sizes:
            print(growth.table(shape, [int(size) for size in options.sizes.split(",")]), flush=True)
            continue
        line, right = growth.check(shape)
        print(line + ("" if right else f"  grows too fast: at most {MOST}"), flush=True)
        failed += not right
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
