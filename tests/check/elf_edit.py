# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A 64-bit device ELF file that can be changed in place: sections, symbols, relocations, records.

It is meant for faults, so it checks nothing and keeps the file's layout: contents change, sizes
shrink, nothing moves but what grows.
"""

import struct

SHT_RELA, SHT_NOBITS, SHT_REL = 4, 8, 9
STT_FUNC = 2
HEADER = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELA, REL = struct.Struct("<QQq"), struct.Struct("<QQ")


class Section:
    def __init__(self, file, index):
        self.file = file
        self.index = index
        at = file.header_table + index * HEADER.size
        (self.name_at, self.type, self.flags, self.address, self.offset, self.size, self.link, self.info,
         self.align, self.entry) = HEADER.unpack_from(file.data, at)
        self.name = ""

    @property
    def bytes(self):
        if self.type == SHT_NOBITS:
            return b""
        return bytes(self.file.data[self.offset:self.offset + self.size])

    def store(self):
        HEADER.pack_into(self.file.data, self.file.header_table + self.index * HEADER.size, self.name_at,
                         self.type, self.flags, self.address, self.offset, self.size, self.link, self.info,
                         self.align, self.entry)

    def write(self, at, data):
        self.file.data[self.offset + at:self.offset + at + len(data)] = data


class Symbol:
    def __init__(self, table, index):
        self.table = table
        self.index = index
        (self.name_at, self.kind, self.other, self.section, self.value,
         self.size) = SYMBOL.unpack_from(table.file.data, table.offset + index * SYMBOL.size)
        self.name = ""

    @property
    def type(self):
        return self.kind & 15

    def store(self):
        SYMBOL.pack_into(self.table.file.data, self.table.offset + self.index * SYMBOL.size, self.name_at,
                         self.kind, self.other, self.section, self.value, self.size)


class Relocation:
    def __init__(self, section, index):
        self.section = section
        self.index = index
        self.form = RELA if section.type == SHT_RELA else REL
        fields = self.form.unpack_from(section.file.data, section.offset + index * self.form.size)
        self.offset, info = fields[0], fields[1]
        self.symbol, self.type = info >> 32, info & 0xffffffff
        self.addend = fields[2] if len(fields) == 3 else 0

    def store(self):
        fields = [self.offset, self.symbol << 32 | self.type]
        if self.form is RELA:
            fields.append(self.addend)
        self.form.pack_into(self.section.file.data, self.section.offset + self.index * self.form.size, *fields)


class Record:
    """One record of .nv.info: format, attribute, value."""

    def __init__(self, section, at, form, attribute, size):
        self.section, self.at, self.form, self.attribute, self.size = section, at, form, attribute, size

    def value(self):
        start = self.section.offset + self.at + 4
        return bytes(self.section.file.data[start:start + self.size])

    def write(self, data):
        self.section.write(self.at + 4, data)

    @property
    def half(self):  # the value of a record that has no more than 16 bits
        return struct.unpack_from("<H", self.section.file.data, self.section.offset + self.at + 2)[0]

    def write_half(self, value):
        self.section.write(self.at + 2, struct.pack("<H", value))


class ElfFile:
    def __init__(self, data):
        self.data = bytearray(data)
        self.is_executable = self.data[16] == 2
        self.header_table, = struct.unpack_from("<Q", self.data, 40)
        count, names = struct.unpack_from("<HH", self.data, 60)
        self.target_flags, = struct.unpack_from("<I", self.data, 48)
        self.sections = [Section(self, index) for index in range(count)]
        for section in self.sections:
            section.name = self.string(self.sections[names], section.name_at)
        self.by_name = {}
        for section in self.sections:
            self.by_name.setdefault(section.name, section)
        self.symbols = self.read_symbols(".symtab")

    def string(self, table, at):
        start = table.offset + at
        return self.data[start:self.data.index(0, start)].decode("latin-1")

    def read_symbols(self, name):
        table = self.by_name.get(name)
        if table is None:
            return []
        symbols = [Symbol(table, index) for index in range(table.size // SYMBOL.size)]
        for symbol in symbols:
            symbol.name = self.string(self.sections[table.link], symbol.name_at)
        return symbols

    def relocations(self, *prefixes):
        """All relocations of tables for the loader or the next link, in file order."""
        return [Relocation(section, index) for section in self.sections
                if section.type in (SHT_REL, SHT_RELA) and section.name.startswith(prefixes)
                for index in range(section.size // (24 if section.type == SHT_RELA else 16))]

    def records(self, section):
        """The records of an info section."""
        at, out = 0, []
        while at + 4 <= section.size:
            form, attribute, size = struct.unpack_from("<BBH", self.data, section.offset + at)
            length = size if form == 4 else 0
            out.append(Record(section, at, form, attribute, length))
            at += 4 + length
        return out
