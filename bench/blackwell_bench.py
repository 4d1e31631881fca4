#!/usr/bin/env python3
"""How fast are links for sm_100, whose code nvlink schedules again?

    bench/blackwell_bench.py BIN [--files N] [--runs N] [--target SM] [--kinds KIND,...]

BIN is the folder with culink, finalize_bench and floor. Makes objects with 20 functions and 20
kernels each (link_inputs.py), links them with nvlink and with culink --code=sass, mercury and exact
by turns, and prints, as a Markdown table, processor time, wall time and peak memory beside the floor:
a program that only reads all inputs and writes as many bytes as the output has. The output of exact
is compared with nvlink's byte for byte. Then measures the finalizer alone, with one worker process
and with one per core.

Times of exact are of all its processes together. Seconds are printed and never checked. Exit status:
1 when outputs differ, 77 (skipped) when there is no ptxas to make objects with.
"""
import argparse
import filecmp
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import link_inputs

# Links are measured, not what culink remembers (docs/cache.md).
os.environ["CULINK_NO_CACHE"] = "1"

EMULATE = "--emulate=nvlink-13.0.88"
WANTED = {"sass": 60, "exact": 3}


def run(command):
    """User and system time of all processes, wall time in seconds, peak resident bytes of the
    largest process. Nothing if the command fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status != 0:
        print(f"{' '.join(command[:6])} ...: status {status}", file=sys.stderr)
        return None
    return (after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, wall,
            usage.ru_maxrss * 1024)


def measure(commands, count):
    """The least of each column, by name; commands run by turns, so that noise meets all of them."""
    results = {}
    for _ in range(count):
        for name, command in commands.items():
            if name not in results or results[name]:
                done = run(command)
                results[name] = results.get(name, []) + [done] if done else []
    return {name: tuple(min(column) for column in zip(*rows)) for name, rows in results.items()
            if rows}


def print_table(best, reference):
    print("| | user | system | wall | peak memory | times faster (processor) | (wall) |")
    print("|---|---|---|---|---|---|---|")
    for name, (user, system, wall, memory) in best.items():
        ratios = ["", ""]
        if reference and name not in ("nvlink", "floor"):
            ratios = [f"{(reference[0] + reference[1]) / max(user + system, 1e-4):.1f}",
                      f"{reference[2] / wall:.1f}"]
            if name in WANTED:
                ratios[1] += f" (wanted {WANTED[name]})"
        print(f"| {name} | {user:.2f} s | {system:.2f} s | {wall:.2f} s | {memory / 1e6:.0f} MB "
              f"| {ratios[0]} | {ratios[1]} |")


def finalizer_alone(options, inputs, library):
    program = os.path.join(options.bin, "finalize_bench")
    for threads in sorted({1, os.cpu_count() or 1}):
        done = subprocess.run([program, os.path.join(options.bin, "culink"), library,
                               options.target, str(threads), *inputs], capture_output=True,
                              text=True, check=False)
        print(f"{threads} worker process{'es' if threads > 1 else ''}: "
              f"{(done.stdout or done.stderr).strip()}")


def bench(options, folder):
    link_inputs.set_target(options.target)
    inputs = link_inputs.bulk(folder, options.files, 20, 20)
    at = lambda name: os.path.join(folder, name + ".out")
    commands = {"nvlink": ["nvlink", f"-arch={options.target}", *inputs, "-o", at("nvlink")]}
    for kind in options.kinds.split(","):
        commands[kind] = [os.path.join(options.bin, "culink"), EMULATE, f"--code={kind}",
                          f"-arch={options.target}", *inputs, "-o", at(kind)]
    best = measure(commands, options.runs)
    size = sum(os.path.getsize(path) for path in inputs)
    largest = max(os.path.getsize(at(name)) for name in best)
    best.update(measure({"floor": [os.path.join(options.bin, "floor"), at("floor"), str(largest),
                                   *inputs]}, options.runs))
    print(f"{options.files} objects for {options.target}, {40 * options.files} functions; "
          f"{size / 1e6:.1f} MB in, {largest / 1e6:.1f} MB out at most\n")
    print_table(best, best.get("nvlink"))
    same = True
    if "exact" in best:
        same = filecmp.cmp(at("nvlink"), at("exact"), shallow=False)
        print("\nThe outputs of nvlink and of exact are identical." if same else
              "\nTHE OUTPUTS OF NVLINK AND OF EXACT DIFFER.")
    library = os.path.join(os.path.dirname(os.path.realpath(shutil.which("nvlink"))), "..", "lib64",
                           "libnvJitLink.so.13")
    if os.path.exists(library):
        print("\nThe finalizer alone:")
        finalizer_alone(options, inputs, library)
    return 0 if same else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("bin")
    parser.add_argument("--files", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--target", default="sm_100")
    parser.add_argument("--kinds", default="sass,mercury,exact")
    options = parser.parse_args()
    if not shutil.which("ptxas") or not shutil.which("nvlink"):
        print("skipped: no ptxas and nvlink")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return bench(options, folder)


if __name__ == "__main__":
    sys.exit(main())
