#!/usr/bin/env python3
"""Runs one libFuzzer target for a short time.

    tests/fuzz/run_target.py TARGET SECONDS RUNS SEED...

A SEED is a file or a folder. New inputs go to a temporary folder, so that the tree stays as it is;
an input that breaks the target is copied to the current folder and named in the output. Exit status
1: the target broke.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pack_seeds

MEMORY_MB = 2048
INPUT_SECONDS = 10
MAX_INPUT = 1 << 16
RANDOM_SEED = 1  # the same inputs in every run: a change is judged by itself, soak.py looks for new ones


def main():
    target, seconds, runs, *seeds = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        corpus = pathlib.Path(folder) / "corpus"
        corpus.mkdir()
        for number, seed in enumerate(seeds):
            path = pathlib.Path(seed)
            if path.is_dir():
                for entry in path.iterdir():
                    shutil.copy(entry, corpus / f"{number}-{entry.name}")
            elif path.stat().st_size <= MAX_INPUT:
                shutil.copy(path, corpus / f"{number}-{path.name}")
        command = [target, str(corpus), f"-max_total_time={seconds}", f"-runs={runs}", f"-timeout={INPUT_SECONDS}",
                   f"-rss_limit_mb={MEMORY_MB}", f"-max_len={MAX_INPUT}", f"-seed={RANDOM_SEED}",
                   "-print_final_stats=1", f"-artifact_prefix={folder}/broken-"]
        name = pathlib.Path(target).name.removesuffix("_fuzz")
        if dictionary := pack_seeds.dictionary_of(name):
            command.append(f"-dict={dictionary}")
        result = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace",
                                check=False)
        if result.returncode == 0:
            print("\n".join(line for line in result.stderr.splitlines()
                            if "number_of_executed_units" in line or line.startswith("Done")))
            return 0
        print(result.stderr)
        for broken in pathlib.Path(folder).glob("broken-*"):
            kept = pathlib.Path.cwd() / f"{pathlib.Path(target).name}-{broken.name}"
            shutil.copy(broken, kept)
            print(f"the input is kept as {kept}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
