#!/usr/bin/env python3
"""How fast are links for sm_100, whose code nvlink schedules again?

    bench/blackwell_bench.py BIN [--files N] [--runs N] [--target SM] [--shapes SHAPE,...]

BIN is the folder with culink, finalize_bench and floor. Links four shapes of objects (link_inputs.py)
with nvlink and with culink by turns:

    pair       two small objects
    runtime    two small objects and -lcudadevrt, of which something is used
    library    a kernel that calls 5 of the 100 large functions of an object
    bulk       many objects with 20 functions and 20 kernels each, with --code=sass, mercury and exact;
               and with a cache: nothing changed, and one object changed

and prints, as a Markdown table for each, processor and wall time and peak memory beside nvlink's and, for
bulk, beside the floor: a program that only reads all inputs and writes as many bytes as the output
has. All is without culink's cache unless the row says so. Then measures the finalizer alone, with one
engine at a time and with one per core. The output of exact is compared with nvlink's byte for byte.

Times are of all processes together. Seconds are printed and never checked. Exit status: 1 when outputs
differ, 77 (skipped) when there is no ptxas to make objects with.
"""
import argparse
import filecmp
import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import link_inputs

EMULATE = "--emulate=nvlink-13.0.88"
CODE = 20  # functions, and as many kernels, in an object of bulk
# How many times faster than nvlink we want to be, by wall time; library: by processor time.
WANTED = {"pair": {"exact": 1 / 3}, "runtime": {"exact": 1 / 3}, "library": {"exact": 3},
          "bulk": {"sass": 150, "exact": 12, "exact, one object changed": 50}}


def run(command, before=None):
    """Processor time of all processes and wall time in seconds, and peak resident bytes of the
    largest process. Nothing if the command fails."""
    if before:
        before()
    start_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    wall = time.perf_counter() - start
    end_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status != 0:
        print(f"{' '.join(command[:6])} ...: status {status}", file=sys.stderr)
        return None
    processor = (end_usage.ru_utime + end_usage.ru_stime - start_usage.ru_utime -
                 start_usage.ru_stime)
    return processor, wall, usage.ru_maxrss * 1024


def measure(commands, count, before=None):
    """The least of each column, by name; commands run by turns, so that noise meets all of them.
    `before` has what is done, unmeasured, before each run of a command."""
    results = {}
    for _ in range(count):
        for name, command in commands.items():
            if name not in results or results[name]:
                done = run(command, (before or {}).get(name))
                results[name] = results.get(name, []) + [done] if done else []
    return {name: tuple(min(column) for column in zip(*rows)) for name, rows in results.items()
            if rows}


def print_table(best, shape):
    reference = best.get("nvlink")
    print("| | processor | wall | peak memory | times faster (processor) | (wall) |")
    print("|---|---|---|---|---|---|")
    for name, (processor, wall, memory) in best.items():
        ratios = ["", ""]
        if reference and name not in ("nvlink", "floor"):
            ratios = [f"{reference[0] / max(processor, 1e-4):.2f}", f"{reference[1] / wall:.2f}"]
            if name in WANTED[shape]:
                ratios[0 if shape == "library" else 1] += f" (wanted {WANTED[shape][name]:.3g})"
        print(f"| {name} | {1e3 * processor:.1f} ms | {1e3 * wall:.1f} ms | {memory / 1e6:.0f} MB "
              f"| {ratios[0]} | {ratios[1]} |")


def is_same(folder, one, other):
    same = filecmp.cmp(os.path.join(folder, one + ".out"), os.path.join(folder, other + ".out"),
                       shallow=False)
    print(f"\nThe outputs of nvlink and of {other} are identical.\n" if same else
          f"\nTHE OUTPUTS OF NVLINK AND OF {other.upper()} DIFFER.\n")
    return same


class Links:
    """The commands for some inputs in a folder."""

    def __init__(self, options, folder, inputs):
        self.options, self.folder, self.inputs = options, folder, inputs

    def nvlink(self):
        return ["nvlink", f"-arch={self.options.target}", *self.inputs, "-o", self.output("nvlink")]

    def culink(self, kind, name=None, cache="--no-cache"):
        return [os.path.join(self.options.bin, "culink"), EMULATE, f"--code={kind}", cache,
                f"-arch={self.options.target}", *self.inputs, "-o", self.output(name or kind)]

    def output(self, name):
        return os.path.join(self.folder, name + ".out")


def small(options, folder, shape, inputs, title):
    links = Links(options, folder, inputs)
    commands = {"nvlink": links.nvlink(), "exact": links.culink("exact"),
                "sass": links.culink("sass")}
    print(f"## {shape}: {title}, for {options.target}\n")
    print_table(measure(commands, options.runs * 10), shape)
    return is_same(folder, "nvlink", "exact")


def bench_pair(options, folder):
    return small(options, folder, "pair", link_inputs.pair(folder), "two small objects")


def bench_runtime(options, folder):
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("nvlink"))))
    found = glob.glob(f"{toolkit}/targets/*/lib/libcudadevrt.a") + glob.glob(
        f"{toolkit}/lib*/libcudadevrt.a")
    if not found:
        print("no libcudadevrt.a beside nvlink\n")
        return True
    inputs = [*link_inputs.runtime_pair(folder), "-L" + os.path.dirname(found[0]), "-lcudadevrt"]
    return small(options, folder, "runtime", inputs, "two small objects and -lcudadevrt")


def bench_library(options, folder):
    return small(options, folder, "library", link_inputs.library(folder),
                 "a kernel and 5 of the 100 functions of an object")


def bench_bulk(options, folder):
    inputs = link_inputs.bulk(folder, options.files, CODE, CODE)
    links = Links(options, folder, inputs)
    commands = {"nvlink": links.nvlink(), **{kind: links.culink(kind) for kind in
                                             ("sass", "mercury", "exact")}}
    best = measure(commands, options.runs)
    same = is_same(folder, "nvlink", "exact")
    largest = max(os.path.getsize(links.output(name)) for name in commands)
    floor = [os.path.join(options.bin, "floor"), links.output("floor"), str(largest), *inputs]
    best.update(measure({"floor": floor}, options.runs))
    cache = "--cache-dir=" + os.path.join(folder, "cache")
    subprocess.run(links.culink("exact", "cached", cache), check=True)
    best.update(measure({"exact, all in the cache": links.culink("exact", "cached", cache)},
                        options.runs))
    number = iter(range(1, 1 << 20))
    change = lambda: link_inputs.change_bulk(inputs[0], folder, CODE, CODE, next(number))
    name = "exact, one object changed"
    best.update(measure({name: links.culink("exact", "changed", cache)}, options.runs,
                        {name: change}))
    size = sum(os.path.getsize(path) for path in inputs)
    print(f"## bulk: {options.files} objects, {2 * CODE * options.files} functions; "
          f"{size / 1e6:.1f} MB in, {largest / 1e6:.1f} MB out at most, for {options.target}\n")
    print_table(best, "bulk")
    subprocess.run(links.nvlink(), check=True)
    same = is_same(folder, "nvlink", "changed") and same
    finalizer_alone(options, inputs)
    return same


def finalizer_alone(options, inputs):
    library = os.path.join(os.path.dirname(os.path.realpath(shutil.which("nvlink"))), "..", "lib64",
                           "libnvJitLink.so.13")
    program = os.path.join(options.bin, "finalize_bench")
    if not os.path.exists(library) or not os.path.exists(program):
        return
    print("The finalizer alone:")
    for threads in sorted({1, os.cpu_count() or 1}):
        done = subprocess.run([program, os.path.join(options.bin, "culink"), library,
                               options.target, str(threads), *inputs], capture_output=True,
                              text=True, check=False)
        print(f"{threads} worker process{'es' if threads > 1 else ''}: "
              f"{(done.stdout or done.stderr).strip()}")


SHAPES = {"pair": bench_pair, "runtime": bench_runtime, "library": bench_library,
          "bulk": bench_bulk}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("bin")
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--target", default="sm_100")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    options = parser.parse_args()
    if not shutil.which("ptxas") or not shutil.which("nvlink"):
        print("skipped: no ptxas and nvlink")
        return 77
    link_inputs.set_target(options.target)
    same = True
    for shape in options.shapes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            same = SHAPES[shape](options, folder) and same
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
