#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links every recorded program of tests/golden and expects that the checker finds nothing.

  no_alarms.py [--code sass|mercury]

Small links are always checked, so an alarm about a program of a compiler would be a warning in every
build. Links that fail, as some of the recorded ones must, are not counted. Needs neither CUDA nor a
GPU. Exit status: 0 no alarm, 1 some.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = pathlib.Path(__file__).resolve().parent
CULINK = os.path.abspath(os.environ.get("CULINK", HERE.parents[1] / "build/release/bin/culink"))
LEAST = 300  # links that succeed; with fewer of them the test shows nothing
ALARMS = ("check-failed", "check-finding")


def link_all(folder, code):
    """(links that succeeded, alarms) of the recorded links of a folder, in their order."""
    made, alarms = 0, []
    with tempfile.TemporaryDirectory() as name:
        for path in folder.glob("*.cubin"):
            os.symlink(path, os.path.join(name, path.name))
        for line in (folder / "links").read_text().splitlines():
            label, *words = line.split() or ["#"]
            if label.startswith("#"):
                continue
            done = subprocess.run([CULINK, *words, "--code=" + code, "--error-format=json", "-o",
                                   label + ".out.cubin"], cwd=name, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True, errors="replace", check=False)
            made += done.returncode == 0
            alarms += ["%s, %s: %s" % (folder.name, label, text) for text in done.stderr.splitlines()
                       if any('"id":"%s"' % one in text for one in ALARMS)]
    return made, alarms


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--code", default="sass", choices=["sass", "mercury"])
    options = parser.parse_args()
    folders = sorted(path.parent for path in (HERE.parent / "golden").glob("*/links"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda folder: link_all(folder, options.code), folders))
    made = sum(number for number, _ in answers)
    alarms = [text for _, texts in answers for text in texts]
    for text in alarms:
        print(text)
    print("%d links, %d alarms" % (made, len(alarms)))
    return 1 if alarms or made < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
