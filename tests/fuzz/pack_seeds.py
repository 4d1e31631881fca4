#!/usr/bin/env python3
"""Puts what belongs to each fuzz target beside it, under the names that OSS-Fuzz expects.

    tests/fuzz/pack_seeds.py FOLDER [NAME...]

Writes FOLDER/<target>_seed_corpus.zip, <target>.dict and <target>.options for all targets, or those
named. Seeds are the stored inputs, and the shipped cubins for targets that read them, so that no
file has to be stored twice.
"""
import pathlib
import re
import struct
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MAX_FILE = 1 << 16
MAX_RECORDS = 1 << 11  # of targets that read one section or one text: longer ones show nothing new
# The budgets of an input: seconds, and megabytes with all that a sanitizer adds.
OPTIONS = "[libfuzzer]\nmax_len = {}\ntimeout = 10\nrss_limit_mb = 2560\nmalloc_limit_mb = 2048\n"
# Files of examples that are seeds of one target.
ENDINGS = {"fatbin": ".fatbin", "host_object": ".o", "archive": ".a"}


def rows():
    """The rows of targets.h, by name: (kind of mutation, kind of seeds)."""
    row = re.compile(r'^    {"(\w+)", \w+, Mutation::(\w+), Seeds::(\w+)},$', re.MULTILINE)
    return {name: (mutation, seeds) for name, mutation, seeds in row.findall((HERE / "targets.h").read_text())}


ROWS = rows()


def reads_cubins(name):
    return ROWS[name][1] == "Cubins"


def longest_input(name):
    """In bytes. Targets with a mutator of their own, or with a long seed, read files."""
    stored = [path.stat().st_size for path in (HERE / "corpus" / name).glob("*")]
    return MAX_RECORDS if ROWS[name][0] == "Bytes" and max(stored, default=0) <= MAX_RECORDS else MAX_FILE


def pairs():
    """The recorded programs of two objects, as inputs of the target `link`."""
    for first in sorted(ROOT.glob("tests/golden/*/a.cubin")):
        second = first.with_name("b.cubin")
        if second.exists():
            a, b = first.read_bytes(), second.read_bytes()
            yield first.parent.name, a + b + struct.pack("<QB", len(a), len(a) % 20)


def seeds_of(name):
    """(name of the file, bytes) of each seed of a target."""
    for path in sorted((HERE / "corpus" / name).glob("*")):
        yield path.name, path.read_bytes()
    if reads_cubins(name):
        for path in [*ROOT.glob("examples/*/sm_*/*.cubin"), *ROOT.glob("tests/corpus/*.cubin")]:
            yield f"{path.parent.parent.name}-{path.parent.name}-{path.name}", path.read_bytes()
    if name in ENDINGS:
        for path in ROOT.glob(f"examples/**/*{ENDINGS[name]}"):
            yield path.name, path.read_bytes()
    if name == "link":
        yield from pairs()
    if name == "demangle":
        rows = (ROOT / "tests" / "unit" / "demangled_names.txt").read_text().splitlines()
        for number, row in enumerate(rows):
            yield f"name-{number}", row.split("\t")[0].encode()


def dictionary_of(name):
    """The path of the dictionary of a target, or nothing."""
    own = HERE / "dictionaries" / f"{name}.dict"
    if own.exists():
        return own
    return HERE / "dictionaries" / "cubins.dict" if reads_cubins(name) else None


def pack(folder, targets):
    """Writes the files of some targets."""
    for name in targets:
        with zipfile.ZipFile(folder / f"{name}_fuzz_seed_corpus.zip", "w",
                             zipfile.ZIP_DEFLATED) as archive:
            for file_name, seed in sorted(dict(seeds_of(name)).items()):
                if len(seed) <= longest_input(name):
                    entry = zipfile.ZipInfo(file_name)  # the same bytes at any time
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, seed)
        (folder / f"{name}_fuzz.options").write_text(OPTIONS.format(longest_input(name)))
        if dictionary := dictionary_of(name):
            (folder / f"{name}_fuzz.dict").write_bytes(dictionary.read_bytes())


if __name__ == "__main__":
    pack(pathlib.Path(sys.argv[1]), sys.argv[2:] or ROWS)
