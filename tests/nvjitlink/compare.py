#!/usr/bin/env python3
"""Cubins of culink's libnvJitLink beside those of NVIDIA's, for the links of tests/golden.

    tests/nvjitlink/compare.py [--library FILE] [--client FILE] [--real FILE] [--target sm_90]

Both link the same objects with the same options; culink copies nvlink's defects for once. Every section has to be the
same but the note of the tools. Links that NVIDIA's library refuses have to be refused. Exit status 77: it is not installed.
"""
import argparse
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from walk import BUILD, SOURCE, find_real, release_of

OPTIONS = ("-r", "-g", "-kernels-used=", "-arch=")
TOOL_NOTE = ".note.nv.tkinfo"
# Sections without bytes in the file: of ELF, and of global, local and shared memory.
NO_BYTES = (8, 0x70000007, 0x70000009, 0x7000000a, 0x70000015)
# Links in which nvJitLink differs from nvlink, or culink from both.
KNOWN = {
    "whole_programs: linked": "a linked cubin is refused, and not ignored",
    "machine_code_alone": "machine code alone is linked for sm_110 with a warning, as nvlink does",
    "selected_kernels_pack_constants: local-used": "what nvlink writes there is wrong and is not copied",
}
EMULATE = "-culink-emulate=nvlink-13.0.88"


def sections(path):
    """The sections of a 64-bit ELF file: name, header without offsets, contents."""
    data = path.read_bytes()
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    out = []
    for row in rows:
        start = rows[names][4] + row[0]
        name = data[start:data.index(b"\0", start)].decode()
        contents = b"" if row[1] in NO_BYTES else data[row[4]:row[4] + row[5]]
        out.append((name, row[1:4] + row[5:], contents))
    return out


def difference(ours, real):
    """What differs, or nothing. String tables hold the same names."""
    a, b = sections(ours), sections(real)
    if [row[0] for row in a] != [row[0] for row in b]:
        return "sections: " + ", ".join(sorted({row[0] for row in a} ^ {row[0] for row in b})) or "order"
    differing = [x[0] for x, y in zip(a, b) if x != y and x[0] != TOOL_NOTE]
    return ", ".join(differing)


def link(client, library, options, inputs, output):
    """The code of Complete, or of the first input that was refused."""
    output.unlink(missing_ok=True)
    words = [client, library, *options, "--", *(f"data:any:{path}" for path in inputs), "complete",
             f"cubin:{output}"]
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, errors="replace",
                         timeout=120, check=False)
    codes = [line.rsplit(" ", 1)[1] for line in run.stdout.splitlines() if "-> " in line]
    complete = [line for line in run.stdout.splitlines() if line.startswith("complete -> ")]
    failed = run.returncode != 0 or not complete or any(code != "0" for code in codes[:len(inputs) + 2])
    prints_error = "error   :" in run.stderr  # it goes on after some of them
    return "refused" if failed or prints_error else "linked"


def cases(target):
    for links in sorted((SOURCE / "tests/golden").glob("*/links")):
        for line in links.read_text().splitlines():
            name, *words = line.split()
            options = [word for word in words if word.startswith("-")]
            inputs = [word for word in words if not word.startswith("-")]
            if all(word.startswith(OPTIONS) for word in options) and \
                    all(word.endswith(".cubin") for word in inputs) and \
                    (not target or f"-arch={target}" in options) and not (links.parent / "release").exists():
                yield links.parent, name, options, inputs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", default=BUILD / "lib/culink/jit-13/libnvJitLink.so.13")
    parser.add_argument("--client", default=BUILD / "bin/nvjitlink_client")
    parser.add_argument("--real", default=find_real())
    parser.add_argument("--target")
    args = parser.parse_args()
    if not args.real or release_of(args.client, args.real) != "13.0":
        print("skipped: NVIDIA's libnvJitLink of 13.0 is not installed")
        return 77
    equal = differing = refused = known = 0
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        for source, name, options, inputs in cases(args.target):
            here = folder / source.name
            if not here.exists():
                shutil.copytree(source, here)
            paths = [here / path for path in inputs]
            if not all(path.exists() for path in paths):
                continue  # of a link that was left out
            real, ours = here / f"{name}.out.cubin", here / f"{name}.ours"
            outcome = link(args.client, args.real, options, paths, real)
            with_ours = link(args.client, args.library, [*options, EMULATE], paths, ours)
            found = "" if outcome == with_ours else f"{with_ours}, NVIDIA's: {outcome}"
            if outcome == "refused":
                real.unlink(missing_ok=True)
            if not found and outcome == "linked":
                found = difference(ours, real)
            if found and (source.name in KNOWN or f"{source.name}: {name}" in KNOWN):
                known += 1
                continue
            differing += bool(found)
            refused += outcome == "refused" and not found
            equal += outcome == "linked" and not found
            if found:
                print(f"{source.name}: {name}: {found}")
    print(f"{equal} equal, {refused} refused by both, {differing} differ, {known} by intent")
    return 1 if differing or not equal else 0


if __name__ == "__main__":
    sys.exit(main())
