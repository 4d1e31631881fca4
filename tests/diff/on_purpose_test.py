# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of what counts as a difference on purpose; they need neither linker."""

import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from on_purpose import RULES, refused_on_purpose, unexplained_lines  # noqa: E402

NULL_SYMBOL = "symbols: .symtab: symbol 0 no symbol: value 0x0 vs 0x50"
CONSTANTS = "data: '.nv.constant3': bytes differ from 0x8 (4 in all): at 0x8 01 vs 02"
CODE = "code: '.text.k': bytes differ from 0x10 (1 in all): at 0x10 08 vs 10"
SELECTED = ["-kernels-used=k"]


class OnPurposeTest(unittest.TestCase):
    def test_each_rule_is_about_a_defect(self):
        with open(os.path.join(HERE, "..", "..", "docs", "compat.md"), encoding="utf-8") as file:
            text = file.read()
        for rule in RULES:
            self.assertTrue(re.search(r"\b%s\b" % rule.quirk, text), rule.quirk)

    def test_null_symbol_may_lose_its_value_and_not_get_one(self):
        self.assertEqual(unexplained_lines([], NULL_SYMBOL + "\n1 difference\n"), [])
        other = "symbols: .symtab: symbol 0 no symbol: value 0x50 vs 0x0"
        self.assertEqual(unexplained_lines([], other), [other])
        other = "symbols: .symtab: symbol 1 'x': value 0x0 vs 0x50"
        self.assertEqual(unexplained_lines([], other), [other])

    def test_reserved_area_is_added_once_more(self):
        twice = "symbols: .symtab: symbol 6 'v': value 0x418 vs 0x818"
        self.assertEqual(unexplained_lines(["-g"], twice), [])
        other = twice.replace("0x818", "0x828")
        self.assertEqual(unexplained_lines(["-g"], other), [other])

    def test_code_differs_only_where_constants_have_moved(self):
        self.assertEqual(unexplained_lines(SELECTED, CONSTANTS + "\n" + CODE), [])
        self.assertEqual(unexplained_lines(SELECTED, CODE), [CODE])
        self.assertEqual(unexplained_lines(SELECTED, NULL_SYMBOL + "\n" + CODE), [CODE])

    def test_launched_kernels_are_complete_where_kernels_are_selected(self):
        record = "info: '.nv.info': record 7 only in the first file: EIATTR_MIN_STACK_SIZE 'child': 0x0"
        callee = "functions: function only in the first file: 'callee'"
        self.assertEqual(unexplained_lines(SELECTED, record + "\n" + callee), [])
        self.assertEqual(unexplained_lines(SELECTED, callee), [callee])
        self.assertEqual(unexplained_lines([], record), [record])
        lost = record.replace("first", "second")
        self.assertEqual(unexplained_lines(SELECTED, lost), [lost])

    def test_constants_move_only_where_kernels_are_selected(self):
        self.assertEqual(unexplained_lines([], CONSTANTS), [CONSTANTS])

    def test_offsets_that_count_as_alignments_are_larger_than_any_declared(self):
        align = "headers: '.nv.shared.k': alignment 8 vs 32"
        section = "sections: section 78 only in the second file: '.nv.shared.other'"
        self.assertEqual(unexplained_lines([], align + "\n" + section), [])
        self.assertEqual(unexplained_lines([], section), [section])
        for other in ("headers: '.nv.shared.k': alignment 8 vs 16", "headers: '.nv.shared.k': alignment 32 vs 8"):
            self.assertEqual(unexplained_lines([], other), [other])

    def test_kernels_have_more_stack_only_where_the_driver_is_called_for_images(self):
        more = "info: '.nv.info': record 3 EIATTR_MIN_STACK_SIZE 'k': 0x58 vs 0x0"
        less = "info: '.nv.info': record 3 EIATTR_MIN_STACK_SIZE 'k': 0x10 vs 0x58"
        self.assertEqual(unexplained_lines([], more, (13, 4), "sm_107"), [])
        self.assertEqual(unexplained_lines([], less, (13, 4), "sm_107"), [less])
        for release, target in (((13, 4), "sm_100"), ((13, 3), "sm_107"), ((13, 4), "sm_90")):
            self.assertEqual(unexplained_lines([], more, release, target), [more])

    def test_records_of_local_functions_may_have_another_order(self):
        order = "info: '.nv.info.__cuda_sm20_div_u64' (2): record order differs from record 2: EIATTR_A vs EIATTR_B"
        self.assertEqual(unexplained_lines([], order), [])
        other = order.replace("__cuda_sm20_div_u64", "f")
        self.assertEqual(unexplained_lines([], other), [other])

    def test_textures_with_and_without_samplers_are_refused(self):
        log = ("culink: error: a.cubin: has calls of the driver for textures without samplers, beside objects with samplers\n"
               "hint: --code=sass can link it\n")
        self.assertTrue(refused_on_purpose([], log))
        self.assertFalse(refused_on_purpose([], log + "culink: error: b.cubin: something else\n"))

    def test_slots_of_parameters_are_filled_and_not_lost(self):
        slot = "relocs: '.rel.nv.constant0.k': relocation 1 only in the first file: at 0x220: R_CUDA_TEX_HEADER_INDEX against 't'"
        self.assertEqual(unexplained_lines([], slot), [])
        lost = slot.replace("first", "second")
        self.assertEqual(unexplained_lines([], lost), [lost])

    def test_records_of_the_first_are_those_of_compilers_functions(self):
        record = "info: '.nv.info.__cuda_sm20_div_u64' (2): record 0 EIATTR_CUDA_API_VERSION: 0x82 vs 0x84"
        self.assertEqual(unexplained_lines([], record), [])
        other = record.replace("__cuda_sm20_div_u64", "f")
        self.assertEqual(unexplained_lines([], other), [other])

    def test_loads_of_images_lead_to_their_index(self):
        load = "code: '.text.k': instruction at 0xd0: 0x0001000002027b82 0x0032 vs 0x0000e40002027b82 0x0032"
        index = "code: '.text.k': instruction at 0xb0: 0x0000000400027802 0x003f vs 0x0000040400027802 0x003f"
        self.assertEqual(unexplained_lines([], load + "\n" + index), [])
        other = index.replace("7802", "7824")
        self.assertEqual(unexplained_lines([], other), [other])


if __name__ == "__main__":
    unittest.main()
