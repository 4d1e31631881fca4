#!/usr/bin/env python3
"""A rule test can fail: each kind of CHECK, exit statuses, and files that are not well-formed."""
import contextlib
import io
import unittest

from filecheck import Check, Failure, run_checks
from run_rule import parse, run_test

OUTPUT = """\
Symbols
  index   value  name
      1    0x10  first
      2   0x100  second
      3    0x10  third
"""

# Checks that hold, and checks that do not: (kind, pattern)...
HOLD = (
    [("CHECK", "0x10 first"), ("CHECK", "third")],
    [("CHECK", "Symbols"), ("CHECK-NEXT", "index value")],
    [("CHECK", "index"), ("CHECK-SAME", "name")],
    [("CHECK", "first"), ("CHECK-NOT", "first"), ("CHECK", "third")],
    [("CHECK-NOT", "fourth")],
    [("CHECK", "{{0x[0-9]+}} second")],
    [("CHECK", "[[AT:0x[0-9]+]] first"), ("CHECK", "[[AT]] third")],
    [("CHECK", "[[AT:0x1]]0 first")],
    [("CHECK", "{{irs}}")],
    [("CHECK", "third"), ("CHECK-NEVER", "fourth")],
)
DO_NOT_HOLD = (
    [("CHECK", "fourth")],
    [("CHECK", "third"), ("CHECK", "first")],  # in this order
    [("CHECK", "0x10 second")],
    [("CHECK", "x10 first")],  # not in the middle of a word
    [("CHECK", "0x1")],
    [("CHECK", "irs")],
    [("CHECK", "Symbols"), ("CHECK-NEXT", "first")],
    [("CHECK", "third"), ("CHECK-NEXT", "anything")],
    [("CHECK", "index"), ("CHECK-SAME", "first")],
    [("CHECK", "name"), ("CHECK-SAME", "value")],
    [("CHECK-NOT", "second")],
    [("CHECK-NOT", "eco")],  # in the middle of a word, too
    [("CHECK", "first"), ("CHECK-NOT", "second"), ("CHECK", "third")],
    [("CHECK", "third"), ("CHECK-NOT", "{{.}}"), ("CHECK", "third")],
    [("CHECK", "[[AT:0x[0-9]+]] first"), ("CHECK", "[[AT]] second")],
    [("CHECK", "[[AT]] first")],  # no value
    [("CHECK-NEXT", "Symbols")],  # next to what?
    [("CHECK", "{{(}}")],
    [("CHECK", "second"), ("CHECK-NEVER", "irs")],  # also before the match
)

PROSE = "# A rule that is explained in a sentence or two, so that one can judge what comes next.\n"
OBJECT = "#--- a.yaml\narch: sm_80\nfunctions: [{name: k, kernel: true, code: nop}]\n"
LINK = "# RUN: culink -arch=sm_80 a.cubin -o out.cubin\n"
PASSES = PROSE + LINK + "# RUN: cubin usage out.cubin\n# CHECK: kernel {{.*}} k\n" + OBJECT

# What is wrong with a test, and a part of what it says.
BROKEN = (
    (PASSES.replace("} k\n", "} other\n"), "CHECK: kernel {{.*}} other"),
    (PASSES.replace("RUN: culink", "RUN: not culink"), "exit status 0 instead of 1"),
    (PASSES.replace("sm_80 a.cubin", "sm_90 a.cubin"), "exit status 1 instead of 0"),
    (PASSES.replace("RUN: culink", "RUN: exits 255 culink"), "exit status 0 instead of 255"),
    (PASSES.replace("RUN: culink", "RUN: rm"), "no program that may be run"),
    (PASSES.replace("CHECK:", "CHECKS:"), "unknown keyword CHECKS"),
    (PASSES.replace(LINK, LINK + "# CHECK:\n"), "without a value"),
    (PASSES.replace(LINK, ""), "no RUN line names a.cubin"),
    (PASSES.replace(PROSE, "# Short.\n"), "does not begin with a comment"),
    (PASSES.replace(PROSE, PROSE + "# CHECK: k\n"), "before the first RUN"),
    (PASSES.replace(OBJECT, "arch: sm_80\n" + OBJECT), "inside a part"),
    (PASSES + "# CHECK: k\n", "inside a part has no effect"),
    (PASSES + OBJECT, "there twice"),
    (PASSES + "#--- b.yaml\narch: sm_80\n", "no RUN line names b.cubin"),
    (PASSES.replace("kernel: true", "kernl: true"), "cannot assemble a.yaml"),
    (PROSE + OBJECT, "no RUN line"),
    (PASSES.replace(LINK, "# XFAIL: a defect\n" + LINK), "remove XFAIL"),
    (PASSES.replace("CHECK:", "CHECK-COUNT-2:"), "CHECK: kernel {{.*}} k"),
    (PASSES.replace("CHECK:", "CHECK-COUNT:"), "unknown keyword CHECK-COUNT"),
    (PASSES.replace("out.cubin\n# CHECK", "out.cubin > told\n# CHECK"), "CHECK: kernel {{.*}} k"),
)


def hold(checks, output=OUTPUT):
    run_checks([Check(kind, pattern, line) for line, (kind, pattern) in enumerate(checks)], output)


class ChecksTest(unittest.TestCase):
    def test_checks_that_hold(self):
        for checks in HOLD:
            with self.subTest(checks):
                hold(checks)

    def test_checks_that_do_not_hold(self):
        for checks in DO_NOT_HOLD:
            with self.subTest(checks), self.assertRaises(Failure):
                hold(checks)

    def test_no_output(self):
        hold([("CHECK-NOT", "{{.}}")], "")
        with self.assertRaises(Failure):
            hold([("CHECK", "{{.*}}")], "")


class RunTest(unittest.TestCase):
    def test_passes(self):
        run_test(PASSES)

    def test_output_in_a_file(self):
        run_test(PASSES.replace("out.cubin\n# CHECK", "out.cubin > told\n# CHECK-NOT: {{.}}\n# RUN: cat told\n# CHECK"))

    def test_broken(self):
        for text, reason in BROKEN:
            with self.subTest(reason), self.assertRaises(Failure) as caught:
                run_test(text)
            self.assertIn(reason, str(caught.exception))

    def test_line_of_the_failure_is_told(self):
        with self.assertRaises(Failure) as caught:
            run_test(PASSES.replace("} k\n", "} other\n"))
        self.assertEqual(caught.exception.line, 4)

    def test_known_defect(self):
        text = PASSES.replace("} k\n", "} other\n").replace(LINK, "# XFAIL: a defect\n" + LINK)
        with contextlib.redirect_stdout(io.StringIO()) as told:
            run_test(text)
        self.assertIn("known defect: a defect", told.getvalue())

    def test_a_known_defect_does_not_excuse_a_bad_test(self):
        with self.assertRaises(Failure):
            run_test(PASSES.replace(LINK, "# XFAIL: a defect\n" + LINK).replace("nop", "nopp"))

    def test_parts_are_files(self):
        test = parse(PASSES + "#--- b.txt\none\ntwo\n")
        self.assertEqual(test.parts["b.txt"], (8, "one\ntwo\n"))


if __name__ == "__main__":
    unittest.main()
