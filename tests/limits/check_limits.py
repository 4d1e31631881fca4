#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links the smallest programs at and over each limit, for every target.

  check_limits.py [--targets sm_80,sm_90] [--kinds shared]

At the limit culink has to link; over it, it has to refuse with the message of the row, and with
nvlink's words and status under --emulate. The same goes for the values of relocations, except that
nvlink cuts off what does not fit. Where nvlink 13.0 is installed it gets the same programs and must
write the same bytes. Exit status 1 if anything differs.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from run_limits import EMULATE, TARGETS, Answer  # noqa: E402
from rows import ROWS  # noqa: E402
import ranges  # noqa: E402

KNOWN_NVLINK = "V13.0.88"
RANGE_TARGETS = ["sm_75", "sm_90"]   # whose rows the reloc tests have, too


def find_nvlink():
    """The nvlink whose words the rows have, or None."""
    path = shutil.which("nvlink")
    if path is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        return path if KNOWN_NVLINK in Answer(folder, [path, "--version"], "").text else None


def expected_text(target, words):
    """Objects without Mercury code bind the output of sm_100 and later to one chip."""
    lines = []
    number = int(target[3:].rstrip("af"))
    if number >= 100:
        lines.append("nvlink warning : Output is limited to run on SM Arch '%d' only due to "
                     "limitations in input file in.cubin" % number)
    if words:
        lines.append("nvlink " + words)
    return "".join(line + "\n" for line in lines)


def ids(answer):
    found = []
    for line in answer.text.splitlines():
        if line.startswith("{"):
            found.append(json.loads(line).get("id"))
    return found


class Checker:
    def __init__(self, options):
        self.options = options
        self.nvlink = find_nvlink()
        self.links = 0
        self.wrong = 0

    def complain(self, label, text):
        self.wrong += 1
        print("%s: %s" % (label, text))

    def link(self, folder, label, target, text):
        """Both answers of culink, after a comparison with nvlink's."""
        with open(os.path.join(folder, "in.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        made = Answer(folder, [self.options.cubin, "assemble", "in.yaml"], "in.cubin")
        if made.status != 0:
            self.complain(label, made.text)
        link = ["-arch=" + target, "in.cubin"]
        emulated = Answer(folder, [self.options.culink] + EMULATE + link, "emulated.cubin")
        own = Answer(folder, [self.options.culink, "--error-format=json"] + link, "own.cubin")
        self.links += 1
        if self.nvlink:
            reference = Answer(folder, [self.nvlink] + link, "reference.cubin")
            if (reference.status, reference.text, reference.file) != (
                    emulated.status, emulated.text, emulated.file):
                self.complain(label, "nvlink: status %d\n%s" % (reference.status, reference.text))
        return emulated, own

    def check(self, folder, target, row, over):
        kind, program, message, status, words = row
        label = "%s-%s-%s" % (target, kind, "over" if over else "at")
        emulated, own = self.link(folder, label, target, program(target, over))
        text = expected_text(target, words(target) if over else "")
        if emulated.status != (status if over else 0) or emulated.text != text:
            self.complain(label, "status %d\n%sexpected:\n%s" % (emulated.status, emulated.text,
                                                                text))
        if (own.status != 0) != bool(over) or (message in ids(own)) != bool(over):
            self.complain(label, "by default: status %d\n%s" % (own.status, own.text))

    def check_ranges(self, folder, target, over):
        """Under --emulate all values are stored; by default each that does not fit is reported."""
        label = "%s-ranges-%s" % (target, "over" if over else "at")
        emulated, own = self.link(folder, label, target, ranges.program(target, over))
        if emulated.status != 0:
            self.complain(label, "status %d\n%s" % (emulated.status, emulated.text))
        expected = ["relocation-out-of-range"] * len(ranges.cases(over)) if over else []
        if own.status != (1 if over else 0) or ids(own) != expected:
            self.complain(label, "by default: status %d, %d messages instead of %d\n%s" % (
                own.status, len(ids(own)), len(expected), own.text))

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            for target in self.options.targets:
                for row in ROWS:
                    if not self.options.kinds or row[0] in self.options.kinds:
                        self.check(folder, target, row, 0)
                        self.check(folder, target, row, 1)
            for target in (RANGE_TARGETS if not self.options.kinds else []):
                self.check_ranges(folder, target, 0)
                self.check_ranges(folder, target, 1)
        print("%d links, %d wrong%s" % (self.links, self.wrong,
                                        ", compared with nvlink" if self.nvlink else ""))
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK", "culink"))
    parser.add_argument("--cubin", default=os.environ.get("CUBIN", "cubin"))
    parser.add_argument("--targets", default="")
    parser.add_argument("--kinds", default="")
    options = parser.parse_args()
    options.culink = os.path.abspath(options.culink)
    options.cubin = os.path.abspath(options.cubin)
    options.targets = options.targets.split(",") if options.targets else TARGETS
    options.kinds = options.kinds.split(",") if options.kinds else []
    return Checker(options).run()


if __name__ == "__main__":
    sys.exit(main())
