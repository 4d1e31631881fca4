# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of how the objects of a program are divided among assemblers, with scripts in their place."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "generate"))

from toolchain import OWN, Toolchain, ToolError  # noqa: E402

# Writes its release and the version of its input; refuses what is for sm_90a.
PTXAS = """#!/bin/sh
case "$*" in
*--version*) echo "release %(release)s, V%(release)s.1"; exit 0;;
*sm_90a*) [ %(release)s = 13.0 ] || exit 1;;
esac
for word; do case "$word" in *.ptx) input=$word;; esac; output=$word; done
{ echo %(release)s; grep version "$input"; } > "$output"
"""
TEXT = ".version 9.0\n.target sm_90\n// %d\n"


def toolkit(folder, release):
    place = os.path.join(folder, release)
    os.makedirs(os.path.join(place, "bin"))
    path = os.path.join(place, "bin", "ptxas")
    with open(path, "w", encoding="utf-8") as file:
        file.write(PTXAS % {"release": release})
    os.chmod(path, 0o755)
    return place


class Assemblers(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        self.own, self.old = toolkit(self.folder, "13.0"), toolkit(self.folder, "12.4")

    def assemble(self, assemblers, number, target="sm_90"):
        """(release, version) of one object."""
        with open(os.path.join(self.folder, "a.ptx"), "w", encoding="utf-8") as file:
            file.write(TEXT % number)
        Toolchain(self.own, assemblers=assemblers).assemble(self.folder, "a.ptx", "a.cubin", target)
        with open(os.path.join(self.folder, "a.cubin"), encoding="utf-8") as file:
            return tuple(file.read().splitlines())

    def test_older_ones_get_ptx_of_their_age(self):
        self.assertEqual(self.assemble([self.old], 1), ("12.4", ".version 8.4"))
        self.assertEqual(self.assemble([], 1), ("13.0", ".version 9.0"))

    def test_all_of_them_take_part(self):
        makers = {self.assemble([OWN, self.old], number)[0] for number in range(20)}
        self.assertEqual(makers, {"12.4", "13.0"})

    def test_own_makes_what_the_others_refuse(self):
        with self.assertRaises(ToolError):
            self.assemble([self.old], 1, "sm_90a")
        makers = {self.assemble([OWN, self.old], number, "sm_90a") for number in range(20)}
        self.assertEqual(makers, {("13.0", ".version 9.0")})


if __name__ == "__main__":
    unittest.main()
