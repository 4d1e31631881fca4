# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two linked files for sm_100 or later differ in functions that nvlink has made anew, and in
what follows from that, and in nothing else.

nvlink's finalizer adds instructions to some functions (barriers before the exits of kernels, with -g)
and leaves some out. A file with the code as it was compiled cannot be equal then. So every function is
looked at for itself. Where both files have the same instructions but for the bits of scheduling,
everything about the function must be the same. Where they do not, culink's must be those of an object
and nvlink's must not be: that shows that nvlink has changed them. Of such a function only places in its
code and sizes may differ. All other sections, symbols, relocations and records must be equal.

Where copies of a function differ, nvlink joins what debug information says about them (Q106), which
only its finalizer can do. Call frames, lines and registers of such functions may differ, too.
"""

import struct

from scheduling import without_scheduling

SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
TEXT, CAPSULE, INFO = ".text.", ".nv.capmerc.text.", ".nv.info."
SYMTABS = (".symtab", ".nv.merc.symtab")
TABLES = (4, 0x70000003, 0x70000082, 0x70000088)  # SHT_RELA and those of NVIDIA
NO_BYTES = (8, 0x70000007, 0x7000000a, 0x70000015)
FRAMES, REGISTERS = ".debug_frame", ".nv_debug_info_reg_sass"
LINES = (".debug_line", ".nv_debug_line_sass")
DEBUG_INFO = ".debug_info"
BANK = ".nv.constant2."
INSTRUCTION = 16
ADDRESS = 2  # R_CUDA_64
WRITABLE = 6
STUB = ".nv.uft.rel."  # code that calls a unified function
# Attributes of .nv.info whose payload are places in the code.
PLACES = {0x1c, 0x1d, 0x28, 0x31, 0x34, 0x39, 0x47}
ANNOTATIONS = 0x55  # spills are marks there: a word 1, then the place
MARK = 1
SIZED = 4


class File:
    def __init__(self, data):
        self.data = data
        table, = struct.unpack_from("<Q", data, 40)
        count, names = struct.unpack_from("<HH", data, 60)
        self.headers = [SECTION.unpack_from(data, table + SECTION.size * i) for i in range(count)]
        self.names = [self.text(names, header[0]) for header in self.headers]

    def text(self, section, offset):
        at = self.headers[section][4] + offset
        return self.data[at:self.data.index(b"\0", at)].decode()

    def content(self, index):
        header = self.headers[index]
        return b"" if header[1] in NO_BYTES else self.data[header[4]:header[4] + header[5]]

    def symbols(self, index):
        strings = self.headers[index][6]
        return [(self.text(strings, row[0]),) + row[1:]
                for row in SYMBOL.iter_unpack(self.content(index))]

    def relocations(self, index):
        """(offset, type, name of the symbol, addend) of each entry."""
        symbols = self.symbols(self.headers[index][6])
        return [(offset, info & 0xffffffff, symbols[info >> 32][0] or info >> 32, addend)
                for offset, info, addend in RELOCATION.iter_unpack(self.content(index))]

    def table_of(self, target, prefix=".rela"):
        name = prefix + target
        return self.relocations(self.names.index(name)) if name in self.names else []

    def program_headers(self):
        """What is loaded: type, flags, and the section that it begins with."""
        offset, = struct.unpack_from("<Q", self.data, 32)
        count, = struct.unpack_from("<H", self.data, 56)
        starts = {}
        for header, name in zip(self.headers, self.names):
            if header[2] & 2 and header[5] and header[1] not in NO_BYTES:
                starts.setdefault(header[4], name)
        rows = [PROGRAM_HEADER.unpack_from(self.data, offset + PROGRAM_HEADER.size * i)
                for i in range(count)]
        # Memory without bytes in the file begins wherever the file is at.
        return [(row[0], row[1], None if row[1] == WRITABLE else starts.get(row[2]), row[7])
                for row in rows]


def opcodes(code):
    return [struct.unpack_from("<H", code, at)[0] & 0xfff for at in range(0, len(code), INSTRUCTION)]


def codes(data):
    """{function: code} of a file or object."""
    file = File(data)
    return {name.removeprefix(TEXT): file.content(i) for i, name in enumerate(file.names)
            if name.startswith((TEXT, STUB))}


def without_places(annotations):
    """How many marks there are, if there is nothing else."""
    words = struct.unpack_from("<%dI" % ((len(annotations) - 2) // 4), annotations, 2)
    return len(words) if set(words[::2]) == {MARK} else annotations


def info_records(content):
    """(format, attribute, payload) of each record; places in the code are left out."""
    at, out = 0, []
    while at + 4 <= len(content):
        form, attribute, value = struct.unpack_from("<BBH", content, at)
        size = value if form == SIZED else 0
        payload = content[at + 2:at + 4 + size]
        if attribute in PLACES:
            payload = None
        elif attribute == ANNOTATIONS:
            payload = without_places(payload)
        out.append((form, attribute, payload))
        at += 4 + size
    return out


def units(content):
    """(start, end) of each unit of a DWARF section."""
    at, out = 0, []
    while at + 4 <= len(content):
        length, = struct.unpack_from("<I", content, at)
        size = 4 + length
        if length == 0xffffffff:
            size = 12 + struct.unpack_from("<Q", content, at + 4)[0]
        out.append((at, at + size))
        at += size
    return out


def parts(file, index):
    """A debug section in parts: [(function or None, bytes)]."""
    name, content = file.names[index], file.content(index)
    if name == REGISTERS:
        return register_parts(content)
    mentions = sorted((offset, symbol) for offset, _, symbol, _ in file.table_of(name))
    out = []
    if name == FRAMES:
        return frame_parts(content, mentions)
    for start, end in units(content):
        inside = [(offset, symbol) for offset, symbol in mentions if start <= offset < end]
        cuts = [offset - 3 for offset, _ in inside] + [end]
        out.append((None, content[start + 4:cuts[0]]))  # without the length of the unit
        out += [(symbol, content[cut:cuts[i + 1]])
                for i, (cut, (_, symbol)) in enumerate(zip(cuts, inside))]
    return out


def frame_parts(content, mentions):
    """A CIE belongs to the function behind it; where it is, which the frame says, does not matter."""
    out, last = [], None
    for start, end in reversed(units(content)):
        inside = [symbol for offset, symbol in mentions if start <= offset < end]
        last = inside[0] if inside else last
        out.append((last, content[start:start + 12] + content[start + 20:end]))
    return out[::-1]


def register_parts(content):
    out, at = [], 0
    while at < len(content):
        start, end = at, content.index(b"\0", at)
        function = content[at:end].decode()
        count, = struct.unpack_from("<I", content, end + 1)
        at = end + 5
        for _ in range(count):
            at = content.index(b"\0", at + 4) + 13
        out.append((function, content[start:at]))
    return out


def joined_in(file):
    """Functions with several call frames, of copies that were replaced; or with one that an earlier
    link has left unfinished: its CIE counts code in single bytes."""
    if FRAMES not in file.names:
        return set()
    unfinished = {symbol for symbol, frame in parts(file, file.names.index(FRAMES))
                  if frame[12:15] == b"\3\0\1"}
    named = [symbol for _, number, symbol, _ in file.table_of(FRAMES) if number == ADDRESS]
    return unfinished | {symbol for symbol in named if named.count(symbol) > 1}


class Comparison:
    def __init__(self, ours, theirs, objects):
        self.ours, self.theirs = File(ours), File(theirs)
        self.compiled = {}
        for data in objects:
            for function, code in codes(data).items():
                self.compiled.setdefault(function, []).append(opcodes(code))
        self.changed = set()
        self.joined = {function for function, copies in self.compiled.items()
                       if any(copy != copies[0] for copy in copies)}
        for file in [self.ours, self.theirs] + [File(data) for data in objects]:
            self.joined |= joined_in(file)
        self.findings = []

    def expect(self, same, what):
        if not same:
            self.findings.append(what)

    def run(self):
        if self.ours.names != self.theirs.names:
            return ["other sections"]
        self.find_changed(codes(self.ours.data), codes(self.theirs.data))
        self.expect(self.ours.program_headers() == self.theirs.program_headers(), "program headers")
        for index, name in enumerate(self.ours.names):
            kept = lambda header: header[1:3] + header[6:]
            self.expect(kept(self.ours.headers[index]) == kept(self.theirs.headers[index]),
                        name + ": header")
            self.expect(self.same(index, name), name)
        return self.findings

    def find_changed(self, ours, theirs):
        for function in ours:
            if without_scheduling(ours[function]) == without_scheduling(theirs[function]):
                continue
            self.changed.add(function)
            compiled = self.compiled.get(function, [])
            self.expect(opcodes(ours[function]) in compiled, function + ": not as it was compiled")
            self.expect(opcodes(theirs[function]) not in compiled,
                        function + ": nvlink did not change it")

    def same(self, index, name):
        function = name.partition(TEXT)[2]
        if name.startswith(STUB):  # looked at with the code
            return True
        if name.startswith(TEXT) or name.startswith(CAPSULE):
            return function in self.changed or name.startswith(TEXT) or (
                self.ours.content(index) == self.theirs.content(index))
        if name in (".shstrtab", ".strtab"):
            return self.ours.content(index) == self.theirs.content(index)
        if name in SYMTABS:
            return self.views(index, self.symbol_view)
        if self.ours.headers[index][1] in TABLES:
            return self.views(index, self.relocation_view)
        if name.startswith(INFO) and name[len(INFO):] in self.changed:
            return info_records(self.ours.content(index)) == info_records(self.theirs.content(index))
        touched = self.changed or self.joined
        if touched and (name in LINES or name in (FRAMES, REGISTERS)):
            return self.views(index, self.part_view)
        if touched and name == DEBUG_INFO:
            return self.same_but_for_units(index)
        if self.changed and name.startswith(BANK):
            return self.views(index, self.bank_view)
        return self.ours.content(index) == self.theirs.content(index)

    def views(self, index, view):
        return view(self.ours, index) == view(self.theirs, index)

    def symbol_view(self, file, index):
        return [row[:5] + (None if row[0] in self.changed else row[5],)
                for row in file.symbols(index)]

    def relocation_view(self, file, index):
        name = file.names[index]
        in_changed = name.partition(TEXT)[2] in self.changed and not name.startswith(".nv.merc.")
        debug = (any(name.endswith(part) for part in LINES + (FRAMES,)) and
                 not name.startswith(".nv.merc."))
        moved = in_changed or (debug and (self.changed or self.joined))
        # Places in code, and what other debug information says about copies that were joined.
        of_moved = self.changed | (self.joined if name.startswith(".rela.debug_") else set())
        return [(None if moved else offset, number, symbol,
                 None if symbol in of_moved else addend)
                for offset, number, symbol, addend in file.relocations(index)
                if not (debug and symbol in self.joined)]

    def part_view(self, file, index):
        return [(function, None if function in self.changed else content)
                for function, content in parts(file, index) if function not in self.joined]

    def bank_view(self, file, index):
        """Branch tables hold places in the code that they belong to."""
        content = bytearray(file.content(index))
        table = ".nv.constant.optimizer." + file.names[index][len(BANK):]
        for offset, _, symbol, _ in file.table_of(table, ".nv.merc.rela"):
            if symbol in self.changed:
                content[offset:offset + 4] = bytes(4)
        return bytes(content)

    def same_but_for_units(self, index):
        """Units of .debug_info say where their lines are."""
        mine, other = self.ours.content(index), self.theirs.content(index)
        if LINES[0] not in self.ours.names or len(mine) != len(other):
            return mine == other
        lines = self.ours.names.index(LINES[0])
        starts = [[start for start, _ in units(file.content(lines))]
                  for file in (self.ours, self.theirs)]
        pairs = set(zip(*starts))
        at = 0
        while at < len(mine):
            if mine[at] == other[at]:
                at += 1
                continue
            words = [(struct.unpack_from("<I", mine, k)[0], struct.unpack_from("<I", other, k)[0])
                     for k in range(max(at - 3, 0), min(at + 1, len(mine) - 3))]
            if not pairs.intersection(words):
                return False
            at += 4
        return True


def unexplained(ours, theirs, objects):
    """What differs without being about functions that nvlink has made anew; [] if nothing does.
    `objects`: the files that were linked."""
    return Comparison(ours, theirs, objects).run()
