#!/usr/bin/env python3
"""Writes the seeds of fuzz targets: sections cut out of the example cubins for the codecs, and
pairs of objects for the linker.

    tests/fuzz/make_seeds.py

Run it after the examples changed; the results are committed. Each target gets a few different
sections, the smallest first, so that the whole corpus stays small.
"""
import hashlib
import pathlib
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
PER_TARGET = 8
MAX_SEED = 2048

# Fuzz target -> prefixes of the names of the sections that it decodes.
SECTIONS = {
    "nv_info": (".nv.info", ".nv.merc.nv.info"),
    "nv_callgraph": (".nv.callgraph", ".nv.prototype"),
    "nv_compat": (".nv.compat",),
    "nv_notes": (".note.nv",),
    "nv_capmerc": (".nv.capmerc.text",),
    "nv_rel_action": (".nv.rel.action",),
    "symbol_codec": (".symtab", ".rela.text", ".rel.text"),
    "nv_host_refs": (".nvHR",),
}

# Targets for which the examples have no section: a plausible one by hand.
CRAFTED = {
    "nv_metadata": [b"", struct.pack("<4I", 1, 8, 0, 0)],
    "nv_unified": [struct.pack("<4I", 1, 2, 3, 4), struct.pack("<8I", *range(8))],
    "nv_rel_action": [struct.pack("<2I", 0x73, 0)],
}


def sections(path):
    """(name, contents) of each section of an ELF file, 64 bit."""
    data = path.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        return
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + 64 * i) for i in range(count)]
    strings = headers[names][4]
    for header in headers[1:]:
        name = data[strings + header[0]:data.index(b"\0", strings + header[0])].decode()
        if header[1] != 8:
            yield name, data[header[4]:header[4] + header[5]]


def write_links():
    """Two objects, where the second one starts, and a byte that chooses options."""
    folder = CORPUS / "link"
    folder.mkdir(parents=True, exist_ok=True)
    pairs = sorted(path.parent for path in ROOT.glob("tests/golden/*/b.cubin"))
    for number, pair in enumerate(pairs[:10]):
        first, second = ((pair / name).read_bytes() for name in ("a.cubin", "b.cubin"))
        tail = struct.pack("<QB", len(first), number)
        (folder / f"seed-{number}").write_bytes(first + second + tail)


def main():
    write_links()
    files = sorted(ROOT.glob("examples/**/*.cubin")) + sorted(ROOT.glob("examples/**/*.o"))
    found = {target: {hashlib.sha1(seed).hexdigest(): seed for seed in CRAFTED.get(target, [])}
             for target in {**SECTIONS, **CRAFTED}}
    for path in files:
        for name, contents in sections(path):
            for target, prefixes in SECTIONS.items():
                if name.startswith(prefixes) and 0 < len(contents) <= MAX_SEED:
                    found[target][hashlib.sha1(contents).hexdigest()] = contents
    for target, seeds in found.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("seed-*"):
            old.unlink()
        smallest = sorted(seeds.values(), key=lambda seed: (len(seed), seed))
        step = max(1, len(smallest) // PER_TARGET)
        for number, seed in enumerate(smallest[::step][:PER_TARGET]):
            (folder / f"seed-{number}").write_bytes(seed)


if __name__ == "__main__":
    main()
