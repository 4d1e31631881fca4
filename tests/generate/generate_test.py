# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the generator itself; they need no compiler."""

import hashlib
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from dice import Dice                          # noqa: E402
from features import (FEATURES, LATER_FEATURES, LATER_FROM, LATEST_FEATURES, LATEST_FROM,  # noqa: E402
                      NEWEST_FEATURES, NEWEST_FROM)
from features.matrices import KINDS, statement  # noqa: E402
from generate import generate                  # noqa: E402
from many_sections import synthesize           # noqa: E402
from select_corpus import Sections, shown_by   # noqa: E402

SEEDS = range(1, 401)
EXPECTED_SOURCES = "bacd6159fc49c0fd"  # of some programs before the newest
EXPECTED_SEQUENCE = [749, 651, 722, 147, 835, 563, 333, 57]


def sources(program):
    return [(file.name, file.text()) for file in program.files]


class DiceTest(unittest.TestCase):
    def test_sequence_never_changes(self):
        dice = Dice("culink", 1)
        self.assertEqual([dice.below(1000) for _ in range(8)], EXPECTED_SEQUENCE)

    def test_forks_do_not_disturb_each_other(self):
        dice = Dice("culink", 1)
        alone = dice.fork("a").next()
        dice.fork("b").next()
        self.assertEqual(dice.fork("a").next(), alone)

    def test_choices_stay_in_range(self):
        dice = Dice("range")
        for _ in range(1000):
            self.assertIn(dice.between(3, 5), (3, 4, 5))
        self.assertFalse(any(dice.chance(0) for _ in range(100)))
        self.assertTrue(all(dice.chance(1) for _ in range(100)))


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = [generate(seed) for seed in SEEDS]

    def test_a_seed_gives_the_same_program_again(self):
        for program in self.programs[:40]:
            again = generate(program.seed)
            self.assertEqual(sources(program), sources(again))
            self.assertEqual(program.manifest(), again.manifest())

    def test_every_feature_is_drawn(self):
        drawn = {name for program in self.programs for name in program.features}
        for name, _, _ in FEATURES:
            self.assertIn(name, drawn)
        for name in ("debug", "lineinfo", "maxrregcount", "optimization", "native ptx"):
            self.assertIn(name, drawn)

    def test_later_features_are_drawn_by_later_programs_only(self):
        early = {name for program in self.programs for name in program.features}
        late = {name for seed in range(LATER_FROM, LATER_FROM + 30)
                for name in generate(seed).features}
        for name, _, _ in LATER_FEATURES:
            self.assertNotIn(name, early)
            self.assertIn(name, late)

    def test_latest_features_are_drawn_by_the_latest_programs_only(self):
        drawn = {name for seed in range(LATER_FROM, LATEST_FROM) for name in generate(seed).features}
        latest = {name for seed in range(LATEST_FROM, LATEST_FROM + 80)
                  for name in generate(seed).features}
        for name, _, _ in LATEST_FEATURES:
            self.assertNotIn(name, drawn)
            self.assertIn(name, latest)
        for name in ("assembler options", "older targets", "default visibility", "mixed debug"):
            self.assertIn(name, latest)

    def test_newest_features_are_drawn_by_the_newest_programs_only(self):
        drawn = {name for seed in range(NEWEST_FROM - 40, NEWEST_FROM) for name in generate(seed).features}
        newest = {name for seed in range(NEWEST_FROM, NEWEST_FROM + 80) for name in generate(seed).features}
        for name, _, _ in NEWEST_FEATURES:
            self.assertNotIn(name, drawn)
            self.assertIn(name, newest)

    def test_earlier_programs_never_change(self):
        digest = hashlib.sha256()
        for seed in list(range(1, 1001, 37)):
            digest.update(repr(sources(generate(seed))).encode())
        self.assertEqual(digest.hexdigest()[:16], EXPECTED_SOURCES)

    def test_matrix_instructions_name_all_their_registers(self):
        for kind in KINDS:
            text = statement(kind)
            registers = len(kind[2]) + len(kind[3]) + len(kind[4]) + (1 if kind[5] else 0)
            self.assertIn("%%%d" % (registers - 1), text)
            self.assertNotIn("%%%d" % registers, text)

    def test_programs_have_two_to_about_forty_files(self):
        counts = [len(program.files) for program in self.programs]
        self.assertGreaterEqual(min(counts), 2)
        self.assertGreaterEqual(max(counts), 35)

    def test_few_programs_are_meant_to_fail(self):
        failing = sum(1 for program in self.programs if program.failure)
        self.assertGreater(failing, len(self.programs) // 100)
        self.assertLess(failing, len(self.programs) // 10)

    def test_names_are_unique(self):
        for program in self.programs:
            names = [file.name for file in program.files]
            self.assertEqual(len(names), len(set(names)))
            self.assertEqual(len(program.kernels), len(set(program.kernels)))

    def test_kernels_get_a_prefix_wherever_they_are_named(self):
        for seed in SEEDS[:20]:
            program = generate(seed, "cutlass_")
            text = "".join(file.text() for file in program.files)
            self.assertTrue(all(name.startswith("cutlass_") and name in text for name in program.kernels))
            plain = "".join(file.text() for file in generate(seed).files)
            self.assertEqual(text.replace("cutlass_", ""), plain)

    def test_writing_leaves_sources_and_manifest(self):
        with tempfile.TemporaryDirectory() as folder:
            self.programs[0].write(folder)
            expected = {file.name for file in self.programs[0].files} | {"manifest.json"}
            self.assertEqual(set(os.listdir(folder)), expected)


class ManySectionsTest(unittest.TestCase):
    def test_counts_beyond_sixteen_bits_stand_in_section_zero(self):
        file = Sections(synthesize(65301))
        self.assertEqual(len(file.headers), 65301)
        self.assertEqual(file.name(file.headers[-1]), ".text.f32646")

    def test_small_files_count_in_the_header(self):
        facts = shown_by(synthesize(101))
        self.assertIn(("info", 4, 0x37), facts)


if __name__ == "__main__":
    unittest.main()
