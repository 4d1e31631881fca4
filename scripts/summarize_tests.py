#!/usr/bin/env python3
"""Adds up ctest's JUnit files: skipped tests by name with their reason, then one line of totals.

Exits with 1 if a test failed or none ran.
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def skip_reason(case):
    """The line `skipped: reason` that a skipped test printed."""
    for line in (case.findtext("system-out") or "").splitlines():
        if line.startswith("skipped: "):
            return line[len("skipped: "):]
    return "no reason given"


def is_skipped(case):
    """ctest also says `notrun` for a test whose program is missing; that one failed."""
    reason = case.find("skipped")
    return reason is not None and "SKIP_RETURN_CODE" in reason.get("message", "")


def main(files):
    passed = failed = skipped = 0
    for file in files:
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            state = case.get("status")
            if state == "run":
                passed += 1
            elif is_skipped(case):
                skipped += 1
                print(f"skipped: {pathlib.Path(file).stem}: {case.get('name')}: {skip_reason(case)}")
            else:
                failed += 1
                print(f"failed: {pathlib.Path(file).stem}: {case.get('name')}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
