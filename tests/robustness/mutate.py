#!/usr/bin/env python3
"""Runs every cubin command over damaged cubins, as a user would: one process per command.

    tests/robustness/mutate.py [--count=N] [--seed=N] [--keep=FOLDER] [CUBIN...]

$CUBIN is the program ($CULINK_BUILD/bin/cubin when not set). Without files, the shipped ones are
damaged. The same seed gives the same mutants. A run fails when it dies of a signal or a
sanitizer, takes longer than the limit, needs more memory than the limit, or exits with another
status than 0, 1 or 2; also when exact text does not assemble to the same bytes. Exit status 1 when
a run failed; the mutants that did are kept in FOLDER.

campaign.cc does the same inside one process, a hundred times as fast; this one also tests main().
"""
import argparse
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 20
MEMORY = 1 << 30
SANITIZER_EXIT = 86
ENVIRONMENT = {**os.environ,
               "ASAN_OPTIONS": f"exitcode={SANITIZER_EXIT}:hard_rss_limit_mb=2048",
               "UBSAN_OPTIONS": f"exitcode={SANITIZER_EXIT}:halt_on_error=1"}
INTERESTING = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
               0xffffffff, 0x70000000, 0x70000086]


def parts_of(data):
    """(begin, size) of the header, the section table and each section, as far as they can be read."""
    parts = [(0, min(64, len(data)))]
    try:
        table, = struct.unpack_from("<Q", data, 40)
        count, = struct.unpack_from("<H", data, 60)
        parts.append((table, 64 * count))
        for i in range(count):
            kind, _, _, offset, size = struct.unpack_from("<IQQQQ", data, table + 64 * i + 4)
            if kind not in (0, 8) and size:
                parts.append((offset, size))
    except struct.error:
        pass
    return [(begin, size) for begin, size in parts if size and begin + size <= len(data)]


def mutate(data, parts, rng):
    """A damaged copy: up to four edits, each aimed at a part and then at a place in it."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        begin, size = rng.choice(parts)
        place = min(begin + rng.randrange(size), max(len(out) - 1, 0))
        kind = rng.randrange(8)
        if not out:
            break
        if kind < 2:
            out[place] ^= 1 << rng.randrange(8)
        elif kind < 5:
            width = rng.choice((1, 2, 4, 8))
            value = rng.choice(INTERESTING + [len(out), rng.getrandbits(64)])
            place -= place % width if rng.random() < 0.7 else 0
            if place + width <= len(out):
                out[place:place + width] = (value & (1 << 8 * width) - 1).to_bytes(width, "little")
        elif kind == 5:
            block = rng.randint(1, 64)
            source = rng.randrange(len(out))
            out[place:place + block] = out[source:source + block]
        elif kind == 6:
            del out[place:place + rng.randint(1, 32)]
        else:
            del out[rng.randrange(len(out)):]
    return bytes(out)


def limit():
    """In a child, before the program starts. A sanitizer needs address space without limit."""
    if "CULINK_SANITIZED" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def is_sanitized(program):
    """Sanitizers leave their runtime's name in the program."""
    return b"__asan_init" in pathlib.Path(program).read_bytes()


def run(command, failures):
    """Exit status of a command, or nothing when it failed; then `failures` gets the reason."""
    try:
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                timeout=SECONDS, preexec_fn=limit, env=ENVIRONMENT, check=False)
    except subprocess.TimeoutExpired:
        failures.append(f"{' '.join(command)}: took more than {SECONDS} s")
        return None
    if result.returncode not in (0, 1, 2) or b"Sanitizer" in result.stderr:
        failures.append(f"{' '.join(command)}: status {result.returncode}\n"
                        + result.stderr.decode(errors="replace")[-4000:])
        return None
    return result.returncode


def run_commands(cubin, mutant, original, commands, failures):
    """All commands over one file."""
    path = str(mutant)
    run([cubin, "dump", "--all", path], failures)
    run([cubin, "dump", "--all", "--json", path], failures)
    run([cubin, "usage", path], failures)
    run([cubin, "report", path, "-o", str(mutant.with_suffix(".html"))], failures)
    run([cubin, "verify", path], failures)
    run([cubin, "diff", "--all", str(original), path], failures)
    if "text" not in commands:
        return
    exact = mutant.with_suffix(".yaml")
    again = mutant.with_suffix(".again")
    run([cubin, "text", path, "-o", str(exact)], failures)
    if run([cubin, "text", "--exact", path, "-o", str(exact)], failures) != 0:
        return
    run([cubin, "assemble", str(exact), "-o", str(again)], failures)
    if not again.exists() or again.read_bytes() != mutant.read_bytes():
        failures.append(f"{path}: exact text does not assemble to the same bytes")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    build = os.environ.get("CULINK_BUILD", str(ROOT / "build" / "release"))
    cubin = os.environ.get("CUBIN", os.path.join(build, "bin", "cubin"))
    if is_sanitized(cubin):
        os.environ["CULINK_SANITIZED"] = "1"
    help_text = subprocess.run([cubin, "--help"], capture_output=True, text=True, check=True).stdout
    commands = {line.split()[0] for line in help_text.splitlines() if line.startswith("  ")}
    files = arguments.files or (sorted(ROOT.glob("examples/*/sm_*/*.cubin"))
                                + sorted(ROOT.glob("tests/corpus/*.cubin")))
    rng = random.Random(arguments.seed)
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.count):
            original = rng.choice(files)
            data = original.read_bytes()
            mutant = pathlib.Path(folder) / "mutant.cubin"
            mutant.write_bytes(mutate(data, parts_of(data), rng))
            failures = []
            run_commands(cubin, mutant, original, commands, failures)
            for output in ("mutant.yaml", "mutant.again"):
                (pathlib.Path(folder) / output).unlink(missing_ok=True)
            if not failures:
                continue
            broken += 1
            print(f"mutant {number} of {original.name}:", *failures, sep="\n  ")
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(mutant, arguments.keep / f"{arguments.seed}-{number}.cubin")
    print(f"{arguments.count} mutants, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
