# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that a wrong linker could leave in an output: eighteen kinds, each a way to spoil a sound link.

A maker gets the link (its output and inputs) and a source of chance, and gives a changed output with
a word about what was done, or None where the link has no such place. A fault always changes what the
program does: what would merely be another sound link is avoided (padding is not touched, aliases are
not exchanged, variables without contents do not trade places).
"""

import struct
from collections import defaultdict

from elf_edit import SHT_NOBITS, STT_FUNC, ElfFile
from sound_link import (ADDRESS_TYPES, BANK2, BANK3, BARRIERS, BRANCH_TARGETS, DESCRIPTORS, FIELDS, FRAME,
                       FUNCTION_POINTERS, INITIALISED, MIN_STACK, OBJECT, REGCOUNT, SHARED, TEXT, base_name, done,
                       field_of, pick)


def wrong_field(link, dice):
    place = pick(dice, link.fields)
    if place is None:
        return None
    file = link.file()
    value, store = field_of(file.by_name[place[0]], place[1], place[2])
    bit = dice.randrange(FIELDS[place[2]][1])
    store(value ^ 1 << bit)
    return done(file, "%s+%#x: bit %d of the field for %s", place[0], place[1], bit, place[3])


def loader_relocations(file):
    return file.relocations(".rel.text", ".rela.text", ".rel.nv.global", ".rela.nv.global", ".rel.nv.constant",
                            ".rela.nv.constant")


def same_place(file, first, second):
    a, b = file.symbols[first], file.symbols[second]
    return a.section == b.section and a.value == b.value


def retarget(file, relocation, dice, kinds=None):
    old = file.symbols[relocation.symbol]
    others = [s.index for s in file.symbols if s.type == old.type and s.section and s.name and
              not same_place(file, s.index, old.index) and (kinds is None or s.type in kinds)]
    chosen = pick(dice, others)
    if chosen is None:
        return None
    relocation.symbol = chosen
    relocation.store()
    return done(file, "%s+%#x: names %s instead of %s", relocation.section.name, relocation.offset,
                file.symbols[chosen].name, old.name)


def drop(file, relocation):
    section, size = relocation.section, relocation.form.size
    tail = section.bytes[(relocation.index + 1) * size:]
    section.write(relocation.index * size, tail)
    section.size -= size
    section.store()
    return done(file, "%s+%#x: dropped", section.name, relocation.offset)


def is_needed(link, relocation, name):
    """Kernels also have slots for images that they do not use."""
    kernel = base_name(relocation.section).removeprefix(".nv.constant0.")
    if kernel == base_name(relocation.section):
        return True
    users = link.reached_from([kernel])
    return any(file.symbols[r.symbol].name == name for file in link.inputs
               for r in file.relocations(".rel" + TEXT, ".rela" + TEXT) if base_name(r.section) in users)


def wrong_relocation(link, dice):
    file = link.file()
    relocation = pick(dice, [r for r in loader_relocations(file) if r.type and file.symbols[r.symbol].name])
    if relocation is None:
        return None
    way = dice.randrange(5)
    if way == 0:
        return drop(file, relocation) if is_needed(link, relocation, file.symbols[relocation.symbol].name) else None
    if way == 1:
        return retarget(file, relocation, dice)
    if way == 2 and relocation.section.type == 4:
        relocation.addend += 16
    elif way == 3:
        relocation.offset += 16
    else:
        relocation.type = {56: 57, 57: 56, 2: 1, 75: 58, 58: 75}.get(relocation.type, 2)
        if relocation.type == 2:
            return None
    relocation.store()
    return done(file, "%s: entry %d has another %s", relocation.section.name, relocation.index,
                ("", "", "addend", "offset", "type")[way])


def swapped_definitions(link, dice):
    file = link.file()
    if dice.randrange(2):
        groups = defaultdict(list)
        for section in file.sections:
            if section.name.startswith(TEXT):
                groups[section.size].append(section)
        pairs = [(a, b) for group in groups.values() for a in group for b in group
                 if a.index < b.index and a.bytes != b.bytes]
        pair = pick(dice, pairs)
        if pair is None:
            return None
        first, second = pair[0].bytes, pair[1].bytes
        pair[0].write(0, second)
        pair[1].write(0, first)
        return done(file, "code of %s and %s", pair[0].name, pair[1].name)
    found = []
    for section in file.sections:
        if section.name not in (INITIALISED, BANK3):
            continue
        data = section.bytes
        own = [s for s in file.symbols if s.section == section.index and s.type in OBJECT and s.size]
        found += [(a, b) for a in own for b in own if a.index < b.index and a.size == b.size and
                  data[a.value:a.value + a.size] != data[b.value:b.value + b.size]]
    pair = pick(dice, found)
    if pair is None:
        return None
    pair[0].value, pair[1].value = pair[1].value, pair[0].value
    pair[0].store()
    pair[1].store()
    return done(file, "variables %s and %s", pair[0].name, pair[1].name)


def shifted_global(file, dice):
    variables = [s for s in file.symbols if s.type in OBJECT and s.size >= 4 and s.section and
                 s.section < len(file.sections) and
                 file.sections[s.section].name.startswith((".nv.global", BANK3))]
    variable = pick(dice, variables)
    if variable is None:
        return None
    others = [s for s in variables if s.section == variable.section and s.value != variable.value]
    other = pick(dice, others)
    if other is not None and dice.randrange(2):
        variable.value = other.value
        variable.store()
        return done(file, "%s lies where %s does", variable.name, other.name)
    if file.sections[variable.section].name == ".nv.global":
        return None  # there may be room, and any place will do
    variable.value += 1
    variable.store()
    return done(file, "%s lies a byte higher", variable.name)


def shifted_variable(link, dice):
    file = link.file()
    shared = [f for f in link.fields if f[4] and f[2] in ADDRESS_TYPES]
    place = pick(dice, shared)
    if place is None or dice.randrange(2):
        return shifted_global(file, dice)
    value, _ = field_of(file.by_name[place[0]], place[1], place[2])
    others = [f for f in shared if f[0] == place[0] and f[3] != place[3] and
              field_of(file.by_name[f[0]], f[1], f[2])[0] != value]
    other = pick(dice, others)
    target = value + 0x10000
    if other is not None:
        target = field_of(file.by_name[other[0]], other[1], other[2])[0]
    for field in shared:
        if field[3] == place[3]:
            field_of(file.by_name[field[0]], field[1], field[2])[1](target)
    return done(file, "shared variable %s at %#x instead of %#x", place[3], target, value)


def kernel_records(link, file, attribute):
    """Records about kernels: (record, kernel, number) of one attribute in .nv.info."""
    section = file.by_name.get(".nv.info")
    kernels = {s.index: s for s in link.kernels(file)}
    out = []
    for record in file.records(section) if section else []:
        if record.attribute == attribute and record.size == 8:
            symbol, number = struct.unpack("<II", record.value())
            if number and (symbol in kernels or attribute == FRAME):
                out.append((record, symbol, number))
    return out


def lowered_registers(link, dice):
    file = link.file()
    found = pick(dice, kernel_records(link, file, REGCOUNT))
    if found is None:
        return None
    record, symbol, number = found
    lowered = dice.randrange(number)
    record.write(struct.pack("<II", symbol, lowered))
    code = file.sections[file.symbols[symbol].section]
    if code.info >> 24:
        code.info = code.info & 0xffffff | lowered << 24
        code.store()
    return done(file, "%s: %d registers instead of %d", file.symbols[symbol].name, lowered, number)


def lowered_stack(link, dice):
    file = link.file()
    attribute = dice.choice((MIN_STACK, MIN_STACK, FRAME))
    found = pick(dice, kernel_records(link, file, attribute))
    if found is None:
        return None
    record, symbol, number = found
    lowered = dice.randrange(number)
    record.write(struct.pack("<II", symbol, lowered))
    return done(file, "%s: stack or frame %d instead of %d", file.symbols[symbol].name, lowered, number)


def lowered_barriers(link, dice):
    file = link.file()
    found = []
    for kernel in link.kernels(file):
        section = file.by_name.get(".nv.info." + kernel.name)
        for record in file.records(section) if section else []:
            if record.attribute == BARRIERS and 0 < record.half & 0xff <= link.barriers_of(kernel.name):
                found.append((record, kernel))
    chosen = pick(dice, found)
    if chosen is None:
        return None
    record, kernel = chosen
    number = record.half
    record.write_half(number - 1)
    return done(file, "%s: %d barriers instead of %d", kernel.name, number - 1, number)


def missing_function(link, dice):
    file = link.file()
    function = pick(dice, [s for s in file.symbols if s.type == STT_FUNC and s.section and s.size])
    if function is None:
        return None
    code = file.sections[function.section]
    way = dice.randrange(3)
    if way == 0:
        function.section = function.value = function.size = 0
        function.store()
        return done(file, "%s is undefined", function.name)
    if way == 1:
        code.write(0, bytes(code.size))
        return done(file, "%s has no code", function.name)
    cut = code.size - 16 * dice.randrange(1, code.size // 16 + 1)
    code.size = cut
    code.store()
    return done(file, "%s ends at %#x", function.name, cut)


def with_code(file, section, code):
    """The output with the code of an overridden definition, which is not longer than what prevails."""
    section.write(0, code)
    section.size = len(code)
    section.store()
    for symbol in file.symbols:
        if symbol.section == section.index and symbol.type == STT_FUNC and symbol.size:
            symbol.size = len(code)
            symbol.store()
    return done(file, "%s has the code of an overridden definition", section.name)


def stale_definition(link, dice):
    file = link.file()
    found = []
    for section in file.sections:
        if not section.name.startswith(TEXT) or link.definitions(section.name) < 2:
            continue
        fields = {r.offset + i for o in link.inputs for r in o.relocations(".rel" + section.name, ".rela" + section.name)
                  if base_name(r.section) == section.name for i in range(16)}
        code = section.bytes
        for other in link.inputs:
            copy = other.by_name.get(section.name)
            if copy is not None and copy.size <= section.size and any(
                    a != b and i not in fields for i, (a, b) in enumerate(zip(code, copy.bytes))):
                found.append((section, copy.bytes))
    chosen = pick(dice, found)
    if chosen is not None and dice.randrange(4):
        return with_code(file, *chosen)
    if link.other_order is None:
        return None
    other = ElfFile(link.other_order)
    if any(s.name.startswith(TEXT) and s.name in other.by_name and other.by_name[s.name].size != s.size
           for s in file.sections):
        return link.other_order, "definitions of the opposite order of inputs"
    return None


def flip_in(section, places, dice):
    at = pick(dice, places)
    if at is None:
        return None
    section.write(at, bytes([section.bytes[at] ^ 1 << dice.randrange(8)]))
    return done(section.file, "%s+%#x: a bit", section.name, at)


def compiler_constants(link, file, of_tables):
    """(bank, first byte, bytes) of what functions with one definition, or just their tables of branch
    targets, have in the banks of kernels."""
    for object_file in link.inputs:
        for section in object_file.sections:
            if not section.name.startswith(".nv.info.") or (of_tables and not any(
                    r.attribute == BRANCH_TARGETS for r in object_file.records(section))):
                continue
            name = section.name[len(".nv.info"):]
            block = object_file.by_name.get(BANK2 + name)
            if not block or not block.size or link.definitions(".text" + name) != 1:
                continue
            for bank in file.sections:
                if bank.name.startswith(BANK2) and bank.bytes.count(block.bytes) == 1:
                    yield bank, bank.bytes.index(block.bytes), block.size


def wrong_bank_data(link, dice):
    file = link.file()
    block = pick(dice, list(compiler_constants(link, file, False)))
    if block is not None and dice.randrange(2):
        return flip_in(block[0], range(block[1], block[1] + block[2]), dice)
    section = pick(dice, [s for s in file.sections if s.size and s.type != SHT_NOBITS and
                          (s.name.startswith(BANK3) or s.name == INITIALISED)])
    if section is None:
        return None
    data = section.bytes
    fields = {r.offset + i for r in file.relocations(".rel") if base_name(r.section) == section.name
              for i in range(8)}
    covered = [i for s in file.symbols if s.section == section.index and s.type in OBJECT
               for i in range(s.value, min(s.value + s.size, len(data))) if i not in fields]
    return flip_in(section, covered, dice)


def wrong_jump_table(link, dice):
    file = link.file()
    records = [(section, record) for section in file.sections if section.name.startswith(".nv.info.")
               for record in file.records(section) if record.attribute == BRANCH_TARGETS and record.size]
    table = pick(dice, list(compiler_constants(link, file, True)))
    if table is not None and dice.randrange(3):
        return flip_in(table[0], range(table[1], table[1] + table[2]), dice)
    if not records:
        return None
    section, record = dice.choice(records)
    return flip_in(section, range(record.at + 4, record.at + 4 + record.size), dice)


def wrong_descriptor(link, dice):
    file = link.file()
    found = [r for r in loader_relocations(file) if file.symbols[r.symbol].type == STT_FUNC and
             (r.type in DESCRIPTORS or r.type in FUNCTION_POINTERS)]
    relocation = pick(dice, found)
    return retarget(file, relocation, dice, (STT_FUNC,)) if relocation else None


def append(section, data):
    """A longer copy of the section at the end of the file."""
    contents = section.bytes + data
    section.offset, section.size = len(section.file.data), len(contents)
    section.file.data += contents
    section.store()


def contradicting_record(link, dice):
    file = link.file()
    found = [(file.by_name[".nv.info"], struct.pack("<BBHII", 4, attribute, 8, symbol, number ^ 1))
             for attribute in (REGCOUNT, MIN_STACK, FRAME)
             for _, symbol, number in kernel_records(link, file, attribute)]
    found += [(section, struct.pack("<BBH", 3, BARRIERS, record.half ^ 1))
              for section in file.sections if section.name.startswith(".nv.info.")
              for record in file.records(section) if record.attribute == BARRIERS]
    section, record = pick(dice, found) or (None, b"")
    if section is None:
        return None
    append(section, record)
    return done(file, "%s: another record %s", section.name, record.hex())


def wrong_action(link, dice):
    file = link.file()
    section = file.by_name.get(".nv.rel.action")
    return flip_in(section, range(section.size), dice) if section else None


def larger_shared_memory(link, dice):
    file = link.file()
    section = pick(dice, [s for s in file.sections if s.name.startswith(SHARED) and s.size and
                          TEXT + s.name[len(SHARED):] in link.reached])
    if section is None or not file.is_executable:
        return None
    section.size += dice.choice((0x10000, 0x100000))
    section.store()
    return done(file, "%s: %#x bytes", section.name, section.size)


def other_binding(link, dice):
    """Of driver functions among others."""
    file = link.file()
    functions = [s for s in file.symbols if s.type == STT_FUNC and s.kind >> 4]
    symbol = pick(dice, [s for s in functions if not s.section] if dice.randrange(2) else functions)
    if symbol is None:
        return None
    symbol.kind ^= 3 << 4  # global and weak
    symbol.store()
    return done(file, "%s: binding %d", symbol.name, symbol.kind >> 4)


def lost_size(link, dice):
    """Of a variable or a common symbol; names of compiler constants mean nothing in an executable."""
    file = link.file()
    banks = {s.index for s in file.sections if file.is_executable and s.name.startswith(BANK2)}
    symbol = pick(dice, [s for s in file.symbols if s.size and s.section and s.type in OBJECT and
                         s.section not in banks])
    if symbol is None:
        return None
    symbol.size = 0
    symbol.store()
    return done(file, "%s: no size", symbol.name)


MERCURY = ".nv.merc."


def wrong_twin(link, dice):
    """The Mercury half says something else than the SASS half."""
    file = link.file()
    twins = [s for s in file.sections if s.name.startswith((MERCURY, ".nv.capmerc.")) and s.size and
             s.type != SHT_NOBITS]
    way = dice.randrange(4)
    if way == 0:
        code = pick(dice, [s for s in twins if s.name.startswith(".nv.capmerc.text")])
        return flip_in(code, range(code.size), dice) if code else None
    if way == 1:
        symbols = [s for s in file.read_symbols(MERCURY + "symtab") if s.type in OBJECT and s.size and s.section]
        symbol = pick(dice, symbols)
        if symbol is None:
            return None
        symbol.value += symbol.size
        symbol.store()
        return done(file, "Mercury symbol %s moved", symbol.name)
    if way == 2:
        entries = [(s, i) for s in twins if s.name.startswith((MERCURY + "rela.text", MERCURY + "rela.nv.global"))
                   for i in range(s.size // 24)]
        entry = pick(dice, entries)
        if entry is None:
            return None
        section, index = entry
        offset, info, addend = struct.unpack_from("<QQq", section.bytes, index * 24)
        section.write(index * 24, struct.pack("<QQq", offset, info + (1 << 32), addend))
        return done(file, "%s: entry %d names the next symbol", section.name, index)
    info = file.by_name.get(MERCURY + "nv.info")
    records = [r for r in file.records(info) if r.attribute == REGCOUNT and r.size == 8] if info else []
    record = pick(dice, records)
    if record is None:
        return None
    symbol, number = struct.unpack("<II", record.value())
    record.write(struct.pack("<II", symbol, max(number - 1, 0)))
    return done(file, "registers of Mercury symbol %d lowered", symbol)


KINDS = {
    "wrong field": wrong_field,
    "wrong relocation": wrong_relocation,
    "swapped definitions": swapped_definitions,
    "shifted variable": shifted_variable,
    "lowered registers": lowered_registers,
    "lowered stack": lowered_stack,
    "lowered barriers": lowered_barriers,
    "missing function": missing_function,
    "stale definition": stale_definition,
    "wrong bank data": wrong_bank_data,
    "wrong jump table": wrong_jump_table,
    "wrong descriptor": wrong_descriptor,
    "contradicting record": contradicting_record,
    "wrong action": wrong_action,
    "larger shared memory": larger_shared_memory,
    "other binding": other_binding,
    "lost size": lost_size,
    "wrong Mercury twin": wrong_twin,
}
