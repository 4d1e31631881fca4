#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses a small set of cubins that together show everything a large folder of them shows.

  select_corpus.py FOLDER --out tests/corpus --limit 400000 [--besides examples]

What a file shows: its section kinds (names without the function's part, with type and flags),
nv.info attributes, relocation types, symbol kinds, and its header flags. Files are taken greedily by
how much new they show per byte, so the result depends on the folder's contents only.
"""

import argparse
import os
import re
import shutil
import struct
import sys

SHT_REL, SHT_RELA, SHT_SYMTAB, SHT_NOBITS, SHT_CUDA_INFO = 9, 4, 2, 8, 0x70000000
SHT_MERC_RELA, SHT_MERC_INFO, SHT_MERC_SYMTAB = 0x70000082, 0x70000083, 0x70000085

# The part of a section's name that is not a function's.
STEM = re.compile(r"^((?:\.(?:nv|rela?|text|debug_[a-z]+|nv_debug_[a-z_]+|merc|capmerc|info|shared|local|"
                  r"constant\d*|global|init|uft|udt|entry|user|optimizer|reserved|note|metadata|action|"
                  r"callgraph|prototype|compat|tkinfo|cuinfo|host|entry_image_header_indices|"
                  r"resolvedrela|symtab|strtab|shstrtab|symtab_shndx)(?![A-Za-z_]))+)")


class Sections:
    """The section table of an ELF64 file that its maker got right."""

    def __init__(self, data):
        self.data = data
        self.type, = struct.unpack_from("<H", data, 16)
        self.flags, = struct.unpack_from("<I", data, 48)
        start, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        first = struct.unpack_from("<IIQQQQIIQQ", data, start)
        count = count or first[5]
        names = first[6] if names == 0xffff else names
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * index)
                        for index in range(count)]
        self.names_at = self.headers[names][4]

    def name(self, header):
        start = self.names_at + header[0]
        return self.data[start:self.data.index(b"\0", start)].decode()

    def bytes(self, header):
        return b"" if header[1] == SHT_NOBITS else self.data[header[4]:header[4] + header[5]]


def info_attributes(data):
    at = 0
    while at + 4 <= len(data):
        yield data[at], data[at + 1]
        at += 4 + (struct.unpack_from("<H", data, at + 2)[0] if data[at] == 4 else 0)


def shown_by(data):
    """The set of facts that a file is an example of."""
    sections = Sections(data)
    # The top byte of the flags is a section number.
    facts = {("flags", sections.flags & 0xffffff, sections.type)}
    kind = (sections.flags & 0xff, sections.type)
    for header in sections.headers[1:]:
        name = sections.name(header)
        match = STEM.match(name)
        facts.add(("section", match.group(1) if match else name, header[1], header[2] & 0xff) + kind)
        content = sections.bytes(header)
        if header[1] in (SHT_CUDA_INFO, SHT_MERC_INFO):
            facts.update(("info",) + entry for entry in info_attributes(content))
        elif header[1] in (SHT_REL, SHT_RELA, SHT_MERC_RELA) and header[9]:
            for at in range(0, len(content) - 15, header[9]):
                facts.add(("relocation", struct.unpack_from("<Q", content, at + 8)[0] & 0xffffffff))
        elif header[1] in (SHT_SYMTAB, SHT_MERC_SYMTAB):
            for at in range(24, len(content), 24):
                info, other, index = struct.unpack_from("<BBH", content, at + 4)
                facts.add(("symbol", info, other, index if index >= 0xff00 or index == 0 else 1))
    return facts


def read(path):
    with open(path, "rb") as file:
        return file.read()


def shown_below(folder):
    facts = set()
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".cubin"):
                facts |= shown_by(read(os.path.join(place, name)))
    return facts


def choose(folder, limit, known):
    """Returns the chosen names; the best ratio of new facts to bytes goes first."""
    known, chosen, total = set(known), [], 0
    files = {}
    for name in sorted(os.listdir(folder)):
        data = read(os.path.join(folder, name))
        files[name] = (shown_by(data), len(data))
    while files:
        best = max(files, key=lambda name: (len(files[name][0] - known) / files[name][1], name))
        facts, size = files.pop(best)
        if not facts - known:
            break
        if total + size <= limit:
            known |= facts
            chosen.append(best)
            total += size
    return chosen, len(known), total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--out", required=True)
    parser.add_argument("--limit", type=int, default=400000, help="bytes in all")
    parser.add_argument("--besides", nargs="+", default=[],
                        help="folders of cubins that need not be shown again")
    options = parser.parse_args()
    known = set().union(*(shown_below(folder) for folder in options.besides))
    chosen, facts, total = choose(options.folder, options.limit, known)
    os.makedirs(options.out, exist_ok=True)
    for name in chosen:
        shutil.copyfile(os.path.join(options.folder, name), os.path.join(options.out, name))
    print("%d files, %d bytes, %d facts" % (len(chosen), total, facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
