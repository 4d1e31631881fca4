# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a link was refused, in terms that do not depend on either linker's wording.

A reason is a stable name of culink's table of messages ("undefined-reference") and the names it is
about. culink's messages are recognised by the texts of that table itself, so that a better wording
there needs no change here; nvlink's by the patterns below. nvlink stops at the first file or pass
that has something to say and culink goes on, so culink may give further reasons, but must give
nvlink's.
"""

import os
import re

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "src", "link", "model",
                     "message_rows.cc")

# nvlink's text and the reasons it may stand for. A blank in parentheses is the name it is about.
NVLINK = [
    (r"Could not open input file '(.*)'", ["bad-input", "cannot-open-input"]),
    (r"Input file '(.*)' must be recompiled with toolkit >= Cuda 12\.0", ["old-object"]),
    (r"Undefined reference to '(.*)' in '.*'", ["undefined-reference"]),
    (r"Multiple definition of '(.*)' in '.*', first defined in '.*'", ["multiple-definition"]),
    # One text of nvlink for what culink tells apart.
    (r"Size doesn't match for '(.*)' in '.*', first specified in '.*'",
     ["size-mismatch", "common-too-large"]),
    (r"Common symbol '(.*)' in file '.*' has larger size than initialization",
     ["common-too-large"]),
    (r"Memory space doesn't match for '(.*)' in '.*', first specified in '.*'",
     ["space-mismatch"]),
    (r"Managed attribute doesn't match for '(.*)' in '.*', first specified in '.*'",
     ["managed-mismatch"]),
    (r"Prototype doesn't match for '(.*)' in '.*', first defined in '.*'",
     ["prototype-mismatch"]),
    (r"Function '.*' not declared __global__ in all source files", ["not-a-kernel-everywhere"]),
    (r"Duplicate weak parameter bank for '(.*)' is not the same size", ["parameter-bank-mismatch"]),
    (r"File uses too much global constant data \(.*\)", ["too-much-constant"]),
    (r"More than \d+ (?:textures|samplers|surfaces) used in entry function '(.*)'",
     ["too-many-images"]),
    (r"Input file '(.*)' arch does not match target '.*'", ["wrong-architecture"]),
    (r"Entry function '(.*)' uses too much shared data \(.*\)", ["too-much-shared"]),
    (r"entry function '(.*)' with max regcount of \d+ calls function '.*' with regcount of \d+",
     ["register-limit"]),
    (r"Unified symbols found but index file not specified\.", ["unified-without-index"]),
    (r"Internal error: reference to deleted symbol", ["deleted-symbol"]),
    (r"Internal error: reference to deleted section", ["deleted-constants", "deleted-parameter", "deleted-common"]),
    (r"Internal error: no regcount\?", ["no-register-count"]),
    # Also pointers of constants that were dropped (Q051).
    (r"Internal error: relocation is past end of offset",
     ["relocation-outside-section", "too-much-constant"]),
    (r"Internal error: reloc address not found", ["relocation-outside-section"]),
    (r"Internal error: unexpected NVRS", ["unsupported-relocation"]),
    (r"Internal error: PC relative branch address should be in the same section",
     ["unsupported-relocation"]),
    (r"Internal error: unexpected reloc section", ["unsupported-relocation", "bad-input"]),
]

# culink stops at the end of the first of these steps that has something to say, nvlink at the end of
# the first file that has, so that it may tell of a later step.
STEPS = [["prototype-mismatch"], ["undefined-reference"], ["too-much-constant", "too-much-shared", "too-many-images"]]

# What follows from an error above it and says nothing by itself.
CONSEQUENCES = {"merge_elf failed"}
INTERNAL = "Internal error"


class Reason:
    def __init__(self, keys, name, text):
        self.keys = keys    # any of these
        self.name = name    # or None: about no name
        self.text = text

    def record(self):
        """One line for files: 'KEY|KEY NAME'."""
        return " ".join(["|".join(self.keys)] + ([self.name] if self.name else []))

    @staticmethod
    def from_record(line):
        keys, _, name = line.partition(" ")
        return Reason(keys.split("|"), name or None, line)

    def step(self):
        """The step that finds it: 0 for reading the objects."""
        return next((number for number, keys in enumerate(STEPS, 1) if set(keys) & set(self.keys)),
                    0)

    def among(self, others):
        return any(set(self.keys) & set(other.keys) and self.name in (None, other.name)
                   for other in others)


def errors(log, program):
    found = re.findall(r"^\s*%s\s*:?\s*(?:error|fatal)\s*:\s*(.*?)\s*$" % program, log, re.M)
    return [text for text in found if text not in CONSEQUENCES]


def culink_rows():
    """[(key, pattern)] of the rows in the table of messages."""
    with open(TABLE, encoding="utf-8") as file:
        source = file.read()
    rows = re.findall(r'\{DiagId::\w+,\s*[\w:]+,\s*"([\w-]+)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+),', source)
    result = []
    for key, literals in rows:
        text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
        pattern = "".join("(.*?)" if re.fullmatch(r"\{\ds?\}", part) else re.escape(part)
                          for part in re.split(r"(\{\ds?\})", text))
        result.append((key, pattern))
    if not result:
        raise ValueError("no messages found in " + TABLE)
    # The text with most words of its own first: "{0}: {1}" fits everything.
    return sorted(result, key=lambda row: -len(row[1].replace("(.*?)", "")))


def nvlink_reasons(log):
    """The reasons in nvlink's log. A text that nobody knows is a reason that nothing matches."""
    reasons = []
    for text in errors(log, "nvlink"):
        reason = Reason([], None, text)
        for pattern, keys in NVLINK:
            match = re.fullmatch(pattern, text)
            if match:
                reason = Reason(keys, match.group(1) if match.groups() else None, text)
                break
        reasons.append(reason)
    return reasons


def culink_reasons(log, rows):
    reasons = []
    for text in errors(log, "culink"):
        for key, pattern in rows:
            match = re.fullmatch(pattern, text)
            if match:
                reasons.append(Reason([key], match.group(1), text))
                break
        else:
            reasons.append(Reason([], None, text))
    return reasons


def missing(wanted, given):
    """The texts of reasons that are wanted and not given."""
    # nvlink may stumble over what it has just told.
    wanted = [reason for reason in wanted if not reason.text.startswith(INTERNAL)] or wanted
    # culink says one thing about a symbol, nvlink also that it is defined twice.
    named = {reason.name for reason in wanted if reason.name and reason.among(given)}
    reached = min([reason.step() for reason in given], default=len(STEPS))
    texts = [reason.text for reason in wanted
             if reason.name not in named and not reason.among(given) and reason.step() <= reached]
    return texts or ([] if given else ["no reason at all"])
