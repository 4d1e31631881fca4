# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of how refusals are compared; they need neither linker."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from reasons import NVLINK, Reason, culink_reasons, culink_rows, missing, nvlink_reasons  # noqa: E402

ROWS = culink_rows()
UNDEFINED = "nvlink error   : Undefined reference to '%s' in 'a.cubin'\n"
LARGE = "nvlink error   : File uses too much global constant data (0x13938 bytes, 0x10000 max)\n"


def untold(nvlink_log, culink_log):
    return missing(nvlink_reasons(nvlink_log), culink_reasons(culink_log, ROWS))


class ReasonsTest(unittest.TestCase):
    def test_every_reason_of_nvlink_is_one_of_culinks(self):
        keys = {key for key, _ in ROWS}
        for _, names in NVLINK:
            for name in names:
                self.assertIn(name, keys)

    def test_same_symbol_for_the_same_reason(self):
        log = "culink: error: undefined symbol: f\n>>> referenced by a.cubin\n"
        self.assertEqual(untold(UNDEFINED % "f", log), [])
        self.assertEqual(len(untold(UNDEFINED % "g", log)), 1)

    def test_other_reason_is_noticed(self):
        log = "culink: error: duplicate symbol: f\n"
        self.assertEqual(len(untold(LARGE.replace("too much global constant", "much"), log)), 1)
        self.assertEqual(len(untold("nvlink error   : Multiple definition of 'f' in 'b.cubin', first "
                                    "defined in 'a.cubin'\n", "culink: error: undefined symbol: f\n")), 1)

    def test_culink_may_say_more(self):
        log = "culink: error: undefined symbol: f\nculink: error: undefined symbol: g\n"
        self.assertEqual(untold(UNDEFINED % "g", log), [])

    def test_later_steps_need_not_be_reached(self):
        log = "culink: error: undefined symbol: f\n"
        self.assertEqual(untold(UNDEFINED % "f" + LARGE, log), [])
        self.assertEqual(len(untold(LARGE + UNDEFINED % "f",
                                    "culink: error: too much __constant__ data: 0x13938 bytes in bank 3, "
                                    "the limit is 0x10000\n")), 1)

    def test_silence_is_no_reason(self):
        self.assertEqual(len(untold(UNDEFINED % "f", "")), 1)

    def test_records_can_be_read_back(self):
        for reason in nvlink_reasons(UNDEFINED % "f" + LARGE):
            again = Reason.from_record(reason.record())
            self.assertEqual((again.keys, again.name), (reason.keys, reason.name))


if __name__ == "__main__":
    unittest.main()
