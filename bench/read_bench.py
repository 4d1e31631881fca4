#!/usr/bin/env python3
"""How much time and memory does reading a large cubin take?

    bench/read_bench.py BIN [--check]

BIN is the folder with cubin, make_cubin and heap_bench. Makes cubins of different numbers of
sections and sizes, lists their sections with `cubin dump --sections` and prints, as a Markdown
table, the time (the best of several runs), the peak of resident memory and the heap that was
allocated. Heap must follow the number of sections, not the bytes of the file: with --check, exits
with 1 when it grows with the bytes. Seconds are printed and never checked: machines differ.
"""
import os
import subprocess
import sys
import tempfile
import time

RUNS = 15
# Kernels (four sections each), bytes of code per kernel.
SHAPES = [(25000, 1024), (25000, 128), (2500, 19000), (2500, 128)]


def run(command):
    """Wall time and processor time in seconds, peak resident memory in bytes of a command."""
    start = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    elapsed = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def measure(tools, folder, kernels, code):
    path = os.path.join(folder, f"{kernels}-{code}.cubin")
    subprocess.run([os.path.join(tools, "make_cubin"), str(kernels), str(code), path], check=True)
    runs = [run([os.path.join(tools, "cubin"), "dump", "--sections", path]) for _ in range(RUNS)]
    heap = subprocess.run([os.path.join(tools, "heap_bench"), path], check=True,
                          capture_output=True, text=True).stdout.split()
    size, sections, view_heap, peak_heap, allocations = map(int, heap)
    os.unlink(path)
    return {"size": size, "sections": sections, "time": min(r[0] for r in runs),
            "cpu": min(r[1] for r in runs), "resident": min(r[2] for r in runs),
            "view": view_heap, "heap": peak_heap, "allocations": allocations}


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(arguments[0], folder, *shape) for shape in SHAPES]
    print("| file | sections | wall time | processor time | peak resident | heap of the view | peak heap | allocations |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['size'] / 1e6:.1f} MB | {row['sections']:,} | {row['time'] * 1e3:.0f} ms "
              f"| {row['cpu'] * 1e3:.0f} ms "
              f"| {row['resident'] / 1e6:.1f} MB | {row['view'] / 1e6:.1f} MB "
              f"| {row['heap'] / 1e6:.1f} MB | {row['allocations']:,} |")
    if "--check" not in sys.argv:
        return
    large, slim = rows[0], rows[1]
    if large["heap"] > slim["heap"] * 1.05:
        sys.exit("heap grows with the bytes of the file")


if __name__ == "__main__":
    main()
