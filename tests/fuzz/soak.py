#!/usr/bin/env python3
"""Runs all fuzz targets of a folder for a time, on several cores, and says what came of it.

    tests/fuzz/soak.py --targets FOLDER --work FOLDER [--seconds N] [--cores N] [--only NAME,NAME]
                       [--coverage]

The first folder is what tests/fuzz/oss-fuzz/build.sh writes: targets with their seeds and
dictionaries. Corpora grow in the second and are used again by the next run; they are merged at the
end, and what breaks a target is kept in its folder `broken`. Executions are those that libFuzzer
counts itself, merging not included.

--coverage adds a table: of each layer, how many of the edges that clang counts are reached by the
seeds, and by the corpora. Of a function that several targets reach, the one counts that reaches
most of it. Needs llvm-symbolizer, and targets with line tables.

Otherwise Python is enough. Exit status 1: an input broke a target.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import queue
import re
import shutil
import subprocess
import sys
import time
import zipfile

# How much of the time targets get: those that reach much code more, those that are exhausted less.
WEIGHTS = {"link": 10, "capi": 5, "nvjitlink": 4, "verify": 3, "describe": 3, "dump": 3, "diff": 3,
           "assemble": 3, "view": 3, "cubin_reader": 3, "fatbin": 3, "host_object": 3, "archive": 2,
           "decompress": 2, "demangle": 4, "command_line": 3}
SLICES = 4  # of the time, at least; a target comes to its turn again with what others have found
KINDS = ("crash", "timeout", "oom", "leak", "slow-unit")
# Stacks of allocations and freed memory cost more time than they are worth here.
SANITIZER = "detect_leaks=0:malloc_context_size=4:quarantine_size_mb=48:detect_stack_use_after_return=0"


class Soak:
    def __init__(self, arguments):
        self.targets = arguments.targets.resolve()
        self.work = arguments.work.resolve()
        self.names = sorted(path.name.removesuffix("_fuzz") for path in self.targets.glob("*_fuzz"))
        if arguments.only:
            self.names = [name for name in self.names if name in arguments.only.split(",")]
        self.executed = collections.Counter()
        self.spent = collections.Counter()
        self.peak = collections.Counter()
        self.broken = self.work / "broken"
        self.broken.mkdir(parents=True, exist_ok=True)
        self.seeds = {name: self.unpack(name) for name in self.names}

    def corpus(self, name):
        return self.work / "corpus" / name

    def unpack(self, name):
        """The folder of the target's seeds."""
        seeds = self.work / "seeds" / name
        for folder in (seeds, self.corpus(name)):
            folder.mkdir(parents=True, exist_ok=True)
        archive = self.targets / f"{name}_fuzz_seed_corpus.zip"
        if archive.exists():
            with zipfile.ZipFile(archive) as zipped:
                zipped.extractall(seeds)
        return seeds

    def flags(self, name):
        """Those of the .options file, and the dictionary."""
        out = ["-print_final_stats=1", "-report_slow_units=10", "-reload=0"]
        options = self.targets / f"{name}_fuzz.options"
        if options.exists():
            out += ["-" + line.replace(" ", "") for line in options.read_text().splitlines()
                    if "=" in line]
        dictionary = self.targets / f"{name}_fuzz.dict"
        return out + ([f"-dict={dictionary}"] if dictionary.exists() else [])

    def run(self, name, arguments, limit):
        environment = {**os.environ, "ASAN_OPTIONS": SANITIZER}
        try:
            result = subprocess.run([self.targets / f"{name}_fuzz", *arguments], text=True,
                                    errors="replace", stderr=subprocess.PIPE, check=False,
                                    stdout=subprocess.DEVNULL, env=environment, timeout=limit,
                                    cwd=self.work)
        except subprocess.TimeoutExpired:
            return None, ""
        return result.returncode, result.stderr

    def fuzz(self, name, seconds):
        """One slice of one target; goes on behind an input that breaks it."""
        end = time.monotonic() + seconds
        for attempt in range(200):
            left = int(end - time.monotonic())
            if left < 1:
                return
            before = time.monotonic()
            status, text = self.run(
                name, [self.corpus(name), self.seeds[name], *self.flags(name),
                       f"-max_total_time={left}", f"-artifact_prefix={self.broken}/{name}-"],
                left + 120)
            self.spent[name] += time.monotonic() - before
            for label, counter in (("number_of_executed_units", self.executed),
                                   ("peak_rss_mb", self.peak)):
                if found := re.search(rf"stat::{label}:\s+(\d+)", text):
                    number = int(found.group(1))
                    counter[name] = (counter[name] + number if counter is self.executed
                                     else max(counter[name], number))
            if status == 0:
                return
            (self.broken / f"{name}-{os.getpid()}-{attempt}-{int(before)}.txt").write_text(text[-20000:])

    def soak(self, seconds, cores):
        """All targets, in slices, so that the cores are used to the end."""
        todo = queue.Queue()
        weights = {name: WEIGHTS.get(name, 1) for name in self.names}
        slice_time = seconds / max(SLICES, 1)
        total = seconds * cores / sum(weights.values())
        pieces = []
        for name, weight in weights.items():
            share = total * weight
            count = max(1, round(share / slice_time))
            pieces += [(number / count, name, share / count) for number in range(count)]
        for _, name, length in sorted(pieces):
            todo.put((name, length))

        end = time.monotonic() + seconds

        def work():
            while True:
                try:
                    name, length = todo.get_nowait()
                except queue.Empty:
                    return
                length = min(length, end - time.monotonic())
                if length >= 1:
                    self.fuzz(name, length)

        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            for worker in [pool.submit(work) for _ in range(cores)]:
                worker.result()

    def merge(self, cores):
        """Leaves of each corpus what reaches more than its seeds do."""
        def one(name):
            merged = self.work / "merged" / name
            shutil.rmtree(merged, ignore_errors=True)
            shutil.copytree(self.seeds[name], merged)
            status, _ = self.run(name, ["-merge=1", merged, self.corpus(name), *self.flags(name),
                                        f"-artifact_prefix={self.broken}/{name}-merge-"], 100)
            if status == 0:
                for seed in self.seeds[name].iterdir():
                    (merged / seed.name).unlink(missing_ok=True)
                shutil.rmtree(self.corpus(name))
                merged.rename(self.corpus(name))

        with concurrent.futures.ThreadPoolExecutor(cores) as pool:
            list(pool.map(one, self.names))
        shutil.rmtree(self.work / "merged", ignore_errors=True)

    def coverage(self, inputs):
        """The edges of each layer, and how many of them inputs reach."""
        functions = {}
        pattern = re.compile(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) (.*) (\S*/src/([a-z]+)/\S*)$",
                             re.MULTILINE)
        for name in self.names:
            _, text = self.run(name, ["-runs=0", "-print_coverage=1", *self.flags(name),
                                      *inputs(name)], 900)
            for covered, edges, function, place, layer in pattern.findall(text):
                key = layer, place, function
                functions[key] = max(functions.get(key, (0, 0)), (int(covered), int(edges)))
        layers = collections.defaultdict(collections.Counter)
        for (layer, _, _), (covered, edges) in functions.items():
            for row in (layer, "all"):
                layers[row]["covered"] += covered
                layers[row]["edges"] += edges
        return layers

    def broken_inputs(self, name, kind):
        return len(list(self.broken.glob(f"{name}-{kind}-*")))

    def summary(self):
        rows = [{"target": name, "executions": self.executed[name],
                 "per_second": round(self.executed[name] / max(self.spent[name], 0.001)),
                 "seconds": round(self.spent[name]), "peak_mb": self.peak[name],
                 "corpus": len(list(self.corpus(name).iterdir())),
                 **{kind: self.broken_inputs(name, kind) for kind in KINDS}}
                for name in self.names]
        return rows


def print_rows(rows):
    keys = list(rows[0])
    total = {key: sum(row[key] for row in rows) if key not in ("target", "per_second", "peak_mb")
             else "" for key in keys}
    total["target"] = "all"
    total["peak_mb"] = max(row["peak_mb"] for row in rows)
    widths = {key: max(len(key), *(len(str(row[key])) for row in [*rows, total])) for key in keys}
    for row in [dict(zip(keys, keys)), *rows, total]:
        print("  ".join(str(row[key]).ljust(widths[key]) if key == "target"
                        else str(row[key]).rjust(widths[key]) for key in keys))


def print_coverage(before, after):
    print(f"{'layer':12}{'edges':>8}{'seeds':>9}{'corpora':>9}")
    for layer in sorted(after, key=lambda name: (name == "all", name)):
        shares = [100 * table[layer]["covered"] / max(after[layer]["edges"], 1)
                  for table in (before, after)]
        print(f"{layer:12}{after[layer]['edges']:>8}{shares[0]:>8.1f}%{shares[1]:>8.1f}%")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--targets", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--only")
    parser.add_argument("--coverage", action="store_true")
    arguments = parser.parse_args()
    soak = Soak(arguments)
    if not soak.names:
        sys.exit(f"soak.py: no targets in {arguments.targets}")
    if arguments.seconds > 0:
        soak.soak(arguments.seconds, arguments.cores)
        rows = soak.summary()
        print_rows(rows)
        (soak.work / "summary.json").write_text(json.dumps(rows, indent=1) + "\n")
        sys.stdout.flush()
        soak.merge(arguments.cores)
    if arguments.coverage:
        print_coverage(soak.coverage(lambda name: [soak.seeds[name]]),
                       soak.coverage(lambda name: [soak.seeds[name], soak.corpus(name)]))
    return 1 if any(soak.broken_inputs(name, kind) for name in soak.names for kind in KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
