# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of how code that nvlink has made anew is recognised; they need neither linker."""

import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from rewritten import FRAMES, File, info_records, joined_in, parts, unexplained, units  # noqa: E402
from scheduling import differ_in_scheduling_only  # noqa: E402

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")


def read(name, folder="mercury_and_machine_code"):
    with open(os.path.join(GOLDEN, folder, name), "rb") as file:
        return file.read()


LINKED = read("both.expected")
OBJECTS = [read("caller.cubin"), read("callee.cubin")]


def changed(section, offset, value, linked=LINKED):
    """The linked file with another byte in a section."""
    file = File(linked)
    data = bytearray(linked)
    data[file.headers[file.names.index(section)][4] + offset] ^= value
    return bytes(data)


class Rewritten(unittest.TestCase):
    def test_equal_files_leave_nothing_to_explain(self):
        self.assertEqual(unexplained(LINKED, LINKED, OBJECTS), [])

    def test_scheduling_bits_are_no_other_instructions(self):
        scheduled = changed(".text.kernel", 14, 4)
        self.assertTrue(differ_in_scheduling_only(LINKED, scheduled))
        self.assertEqual(unexplained(LINKED, scheduled, OBJECTS), [])

    def test_operands_must_be_the_same(self):
        other = changed(".text.kernel", 3, 1)
        self.assertFalse(differ_in_scheduling_only(LINKED, other))
        self.assertEqual(unexplained(LINKED, other, OBJECTS),
                         ["kernel: nvlink did not change it"])

    def test_other_instructions_of_nvlink_are_its_own(self):
        self.assertEqual(unexplained(LINKED, changed(".text.kernel", 0, 1), OBJECTS), [])

    def test_spills_move_with_the_code(self):
        spills = lambda *words: struct.pack("<BBH%dI" % len(words), 4, 0x55, 4 * len(words), *words)
        first = info_records(spills(1, 0x40, 1, 0x80))
        self.assertEqual(first, info_records(spills(1, 0x50, 1, 0x90)))
        self.assertNotEqual(first, info_records(spills(1, 0x50)))
        self.assertNotEqual(first, info_records(spills(3, 4, 0x61, 0)))

    def test_other_instructions_of_ours_are_not(self):
        findings = unexplained(changed(".text.kernel", 0, 1), LINKED, OBJECTS)
        self.assertIn("kernel: not as it was compiled", findings)

    def test_all_else_must_be_the_same(self):
        for section in (".nv.info", ".nv.merc.nv.info.kernel", ".rela.text.kernel", ".symtab",
                        ".nv.constant3", ".nv.callgraph", ".nv.capmerc.text.twice",
                        ".nv.constant0.kernel", ".debug_frame"):
            offset = 24 + 5 if section == ".symtab" else 12
            if section == ".nv.constant3":
                offset = 0
            with self.subTest(section):
                self.assertTrue(unexplained(LINKED, changed(section, offset, 1), OBJECTS))

    def test_frames_of_differing_copies_are_joined_by_nvlink(self):
        folder = "frames_of_weak_definitions"
        linked = read("replaced.expected", folder)
        objects = [read("old.cubin", folder), read("new.cubin", folder)]
        file = File(linked)
        frames = file.names.index(FRAMES)
        for (_, end), (function, _) in zip(units(file.content(frames)), parts(file, frames)):
            other = changed(FRAMES, end - 1, 1, linked)
            with self.subTest(function):
                self.assertEqual(unexplained(linked, other, objects) == [],
                                 function in joined_in(file))

    def test_records_of_changed_code_keep_their_kinds(self):
        data = bytearray(changed(".text.kernel", 0, 1))
        file = File(LINKED)
        data[file.headers[file.names.index(".nv.info.kernel")][4] + 1] ^= 1
        self.assertIn(".nv.info.kernel", unexplained(LINKED, bytes(data), OBJECTS))

    def test_headers_count(self):
        file = File(LINKED)
        data = bytearray(LINKED)
        table, = struct.unpack_from("<Q", LINKED, 40)
        data[table + 64 * file.names.index(".text.twice") + 8] ^= 1  # sh_flags
        self.assertIn(".text.twice: header", unexplained(LINKED, bytes(data), OBJECTS))


if __name__ == "__main__":
    unittest.main()
