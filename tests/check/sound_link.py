# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the makers of faults (faults.py) know of a sound link: its files, fields and definitions."""

from collections import defaultdict

from elf_edit import STT_FUNC, ElfFile

OBJECT = (1, 13)  # plain, and as ptxas writes variables of device memory
REGCOUNT, MIN_STACK, FRAME, BARRIERS, BRANCH_TARGETS = 0x2f, 0x12, 0x11, 0x4c, 0x34
TEXT, SHARED, BANK2, BANK3 = ".text.", ".nv.shared.", ".nv.constant2", ".nv.constant3"
INITIALISED = ".nv.global.init"
ADDRESS_TYPES = (55, 74)  # a shared variable's offset in an instruction
# Bit position and width of the fields that links of today's objects store into.
FIELDS = {1: (0, 32), 2: (0, 64), 55: (32, 32), 56: (32, 32), 57: (32, 32), 59: (32, 16), 64: (40, 14),
          66: (38, 16), 74: (40, 24), 115: (37, 17)}
DESCRIPTORS = set(range(31, 36)) | set(range(47, 50)) | set(range(61, 64)) | set(range(92, 100))
FUNCTION_POINTERS = (1, 2, 4, 56, 57, 102, 103, 112, 113)


def base_name(table):
    return table.name[5:] if table.name.startswith(".rela") else table.name[4:]


def field_of(section, offset, kind):
    """The field's value in a section's bytes, and how to store another one."""
    bit, width = FIELDS[kind]
    data = bytearray(section.bytes[offset:offset + 16])
    word = int.from_bytes(data, "little")
    mask = (1 << width) - 1

    def store(value):
        changed = word & ~(mask << bit) | (value & mask) << bit
        section.write(offset, changed.to_bytes(len(data), "little"))
    return word >> bit & mask, store


class Link:
    """A sound link: output, inputs, and where its fields and definitions are."""

    def __init__(self, output, inputs, other_order=None):
        self.output = output
        self.inputs = [ElfFile(data) for data in inputs]
        self.other_order = other_order  # the same link with the inputs in reverse
        self.reached = self.find_reached()
        self.fields = self.find_fields()

    def file(self):
        return ElfFile(self.output)

    def find_reached(self):
        """Names of functions that kernels may get to. Others keep places in no kernel's memory."""
        self.named = defaultdict(set)
        for object_file in self.inputs:
            for r in object_file.relocations(".rel"):
                symbol = object_file.symbols[r.symbol]
                if symbol.type == STT_FUNC:
                    self.named[base_name(r.section)].add(TEXT + symbol.name)
        return self.reached_from([kernel.name for kernel in self.kernels(self.file())])

    def reached_from(self, names):
        reached, todo = set(), [TEXT + name for name in names]
        while todo:
            name = todo.pop()
            if name not in reached:
                reached.add(name)
                todo += self.named[name]
        return reached

    def barriers_of(self, kernel):
        """How many the kernel and what it calls were compiled with; a link may count more."""
        return max((record.half & 0xff for name in self.reached_from([kernel]) for file in self.inputs
                    if ".nv.info" + name[len(".text"):] in file.by_name
                    for record in file.records(file.by_name[".nv.info" + name[len(".text"):]])
                    if record.attribute == BARRIERS), default=0)

    def find_fields(self):
        """(section, offset, type, symbol's name, is shared) of fields that the link stored into."""
        sound = self.file()
        kept = {(base_name(r.section), r.offset) for r in sound.relocations(".rel")}
        out = set()
        for object_file in self.inputs:
            shared = {s.index for s in object_file.sections if s.name.startswith((SHARED, ".nv_debug.shared"))}
            for r in object_file.relocations(".rel" + TEXT, ".rela" + TEXT):
                name = base_name(r.section)
                section = sound.by_name.get(name)
                if r.type not in FIELDS or (name, r.offset) in kept or name not in self.reached:
                    continue
                if section is None or self.definitions(name) != 1 or r.offset + 16 > section.size:
                    continue
                symbol = object_file.symbols[r.symbol]
                out.add((name, r.offset, r.type, symbol.name, symbol.section in shared and symbol.size > 0))
        return sorted(out)

    def definitions(self, section):
        return sum(section in file.by_name for file in self.inputs)

    def kernels(self, file):
        return [s for s in file.symbols if s.type == STT_FUNC and s.section and s.other & 0x10]


def pick(dice, choices):
    return dice.choice(choices) if choices else None


def done(file, words, *values):
    return bytes(file.data), words % values
