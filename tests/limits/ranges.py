# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every relocation that a linker stores a whole value through, with the values its field can hold.

`bits` is the width of the value, which may be signed or unsigned; it must be a multiple of `step`.
Types that store a half or a byte of an address hold any value.
"""

from rows import document

# (types, bits, step)
FIELDS = [
    (["32", "ABS32_26", "ABS32_23", "ABS32_20", "ABS32_32", "UNIFIED_32"], 32, 1),
    (["ABS24_26", "ABS24_23", "ABS24_20", "ABS24_32", "ABS24_40"], 24, 1),
    (["ABS20_44"], 20, 1),
    (["ABS16_26", "ABS16_23", "ABS16_20", "ABS16_32"], 16, 1),
    (["CONST_FIELD22_37"], 17, 1),
    (["CONST_FIELD21_26", "QUERY_DESC21_37", "CONST_FIELD21_23", "CONST_FIELD21_20",
      "CONST_FIELD21_38"], 16, 1),
    (["CONST_FIELD19_28", "CONST_FIELD19_23", "CONST_FIELD19_26", "CONST_FIELD19_20",
      "CONST_FIELD19_40", "BINDLESSOFF14_40"], 16, 4),
    (["TEX_BINDLESSOFF13_32", "TEX_BINDLESSOFF13_47", "TEX_BINDLESSOFF13_41",
      "TEX_BINDLESSOFF13_45", "BINDLESSOFF13_36"], 15, 4),
    (["TEX_SLOT9_49"], 9, 1),
    (["TEX_SLOT"], 8, 1),
    (["SURF_SLOT", "6_31"], 6, 1),
    (["SAMP_SLOT"], 5, 1),
    (["2_47"], 2, 1),
]


def cases(over):
    """(type, addend): the largest and the smallest value, or what is just beyond them."""
    out = []
    for types, bits, step in FIELDS:
        values = [(1 << bits) - step, -(1 << bits - 1)]
        if over:
            values = [1 << bits, -(1 << bits - 1) - step] + ([2] if step > 1 else [])
        out += [(name, value) for name in types for value in values]
    return out


def program(target, over):
    """One place for each case, all against a constant at offset 0."""
    found = cases(over)
    lines = ["constants:", "- {name: c, size: 16}", "functions:", "- name: k", "  kernel: true",
             "  code: nop x%d" % len(found), "  relocs:"]
    lines += ["  - {at: %d, type: %s, to: c, add: %d}" % (16 * i, name, value)
              for i, (name, value) in enumerate(found)]
    return document(target, lines)
