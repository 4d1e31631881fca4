#!/usr/bin/env python3
"""What does the cache save in links for sm_100 (docs/compilers.md)?

    bench/cache_bench.py BIN [--files N] [--runs N] [--target SM]

BIN is the folder with culink. Links two small objects, the same with libcudadevrt, and N objects with 40
functions each (link_inputs.py), by turns with nvlink and with culink --code=exact: without a cache,
with an empty one, after one object changed, and with a full one. Prints processor and wall time as a
Markdown table, and how often an engine was asked. The outputs are compared with nvlink's.

Seconds are printed and never checked. Exit status: 1 when an output differs or an engine was asked too
often, 77 (skipped) when there is no ptxas, nvlink or finalizer.
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile

import link_inputs
from blackwell_bench import EMULATE, run


def files_in(folder):
    return {os.path.join(root, name) for root, _, names in os.walk(folder) for name in names}


class Case:
    """One set of inputs, linked in all ways."""

    def __init__(self, options, folder, name, inputs, more=()):
        self.options, self.folder, self.name = options, folder, name
        self.inputs, self.more = inputs, list(more)
        changed = os.path.join(folder, "changed.cubin")
        with open(inputs[0], "rb") as file:
            data = file.read().replace(b"buffer", b"bufFer")
        with open(changed, "wb") as file:
            file.write(data)
        self.changed = [changed] + inputs[1:]
        self.best = {}
        self.sound = True

    def at(self, name):
        return os.path.join(self.folder, name.replace(" ", "-") + ".out")

    def nvlink(self, name, inputs):
        self.keep(name, run(["nvlink", f"-arch={self.options.target}", *inputs, *self.more, "-o", self.at(name)]))

    def culink(self, name, inputs, cache, reference):
        command = [os.path.join(self.options.bin, "culink"), EMULATE, "--code=exact", f"-arch={self.options.target}",
                   *inputs, *self.more, "-o", self.at(name), *cache]
        self.keep(name, run(command))
        if not filecmp.cmp(self.at(name), self.at(reference), shallow=False):
            self.sound = False
            print(f"{self.name}, {name}: NOT WHAT NVLINK WROTE")

    def misses(self, inputs, cache):
        """How often an engine is asked."""
        done = subprocess.run([os.path.join(self.options.bin, "culink"), EMULATE, "--code=exact", "--stats",
                               f"-arch={self.options.target}", *inputs, *self.more, "-o", self.at("stats"), *cache],
                              capture_output=True, text=True, check=True)
        return int(re.search(r"misses (\d+)", done.stdout).group(1))

    def keep(self, name, times):
        processor, wall, _ = times
        old = self.best.get(name, (1e9, 1e9))
        self.best[name] = (min(old[0], processor), min(old[1], wall))

    def measure(self):
        cache = os.path.join(self.folder, "cache")
        used = [f"--cache-dir={cache}"]
        for _ in range(self.options.runs):
            self.nvlink("nvlink", self.inputs)
            self.nvlink("nvlink changed", self.changed)
            self.culink("no cache", self.inputs, ["--no-cache"], "nvlink")
            shutil.rmtree(cache, ignore_errors=True)
            self.culink("empty cache", self.inputs, used, "nvlink")
            full = files_in(cache)
            self.culink("one object changed", self.changed, used, "nvlink changed")
            for path in files_in(cache) - full:
                os.unlink(path)
            self.culink("all in the cache", self.inputs, used, "nvlink")
        asked = [self.misses(self.inputs, used), self.misses(self.changed, used)]
        if asked[0] != 0 or asked[1] > 1:
            self.sound = False
        print(f"\n{self.name}; engines are asked {asked[1]} times after a change, {asked[0]} times without one\n")
        print("| | processor | wall | times faster than nvlink (processor) | (wall) |\n|---|---|---|---|---|")
        reference = self.best["nvlink"]
        for name, (processor, wall) in self.best.items():
            print(f"| {name} | {processor * 1e3:.1f} ms | {wall * 1e3:.1f} ms "
                  f"| {reference[0] / max(processor, 1e-4):.1f} | {reference[1] / wall:.1f} |")
        return self.sound


def device_runtime():
    """Options for a link with libcudadevrt, or nothing."""
    root = os.path.join(os.path.dirname(os.path.realpath(shutil.which("nvlink"))), "..")
    for name in ("lib64", "lib"):
        if os.path.exists(os.path.join(root, name, "libcudadevrt.a")):
            return ["-L" + os.path.join(root, name), "-lcudadevrt"]
    return []


def bench(options, folder):
    link_inputs.set_target(options.target)
    sets = [("Two objects", 2, 1, []), ("Two objects and libcudadevrt", 2, 1, device_runtime()),
            (f"{options.files} objects, {40 * options.files} functions", options.files, 20, [])]
    sound = True
    for i, (name, files, functions, more) in enumerate(sets):
        own = os.path.join(folder, str(i))
        os.mkdir(own)
        sound = Case(options, own, name, link_inputs.bulk(own, files, functions, functions), more).measure() and sound
    return 0 if sound else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("bin")
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--target", default="sm_100")
    options = parser.parse_args()
    if not shutil.which("ptxas") or not shutil.which("nvlink"):
        print("skipped: no ptxas and nvlink")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return bench(options, folder)


if __name__ == "__main__":
    sys.exit(main())
