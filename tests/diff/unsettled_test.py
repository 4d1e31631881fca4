# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of how bytes that nvlink cannot know are recognised; they need neither linker."""

import os
import struct
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from rewritten import File, REGISTERS  # noqa: E402
from unsettled import MERCURY_REGISTERS, blocks, unsettled_bytes  # noqa: E402

LINKED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "finalize", "steps.answer")


class Unsettled(unittest.TestCase):
    def setUp(self):
        with open(LINKED, "rb") as file:
            self.data = bytearray(file.read())
        self.file = File(bytes(self.data))

    def start_of(self, table):
        return self.file.headers[self.file.names.index(table)][4]

    def test_places_in_the_code_are_known(self):
        self.assertEqual(unsettled_bytes(bytes(self.data)), set())

    def test_places_behind_the_code_are_not(self):
        mercury = blocks(self.file.content(self.file.names.index(MERCURY_REGISTERS)))[0][1]
        last = max(mercury, key=lambda record: (record[0], record[2]))
        struct.pack_into("<I", self.data, self.start_of(MERCURY_REGISTERS) + last[1] + 4, 0x7fffff00)
        records = blocks(self.file.content(self.file.names.index(REGISTERS)))[0][1]
        end = self.start_of(REGISTERS) + records[-1][1] + 4
        self.assertEqual(unsettled_bytes(bytes(self.data)), set(range(end, end + 4)))


if __name__ == "__main__":
    unittest.main()
