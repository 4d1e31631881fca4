#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links recorded objects with culink and compares the files with those that nvlink wrote.

    links.py                    every folder with a file `about`, each in an empty folder of its own
    links.py NAME [OPTION...]   one folder, with these options of culink, in the current folder, which
                                keeps the inputs and what was written as LABEL.out.cubin

README.md beside this file describes the folders. Each line of `links` has to give the bytes of
LABEL.expected under --emulate, or to be refused where there is LABEL.refused. A folder that fails is
named with its sentence from `about`, the link and the difference. Needs neither CUDA nor any package.
The programs come from $CULINK and $CUBIN.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

os.environ["CULINK_NO_CACHE"] = "1"

HERE = pathlib.Path(__file__).resolve().parent
BUILT = HERE.parent.parent / "build" / "release" / "bin"
CULINK = os.environ.get("CULINK", BUILT / "culink")
CUBIN = os.environ.get("CUBIN", BUILT / "cubin")
USUAL_RELEASE = "13.0.88"
COLLECTED_ERRORS = 255    # nvlink's status for them; other high ones are those of crashes


def words_of(path, default=""):
    return (path.read_text(encoding="utf-8") if path.exists() else default).split()


def run(command, place):
    done = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    return done.returncode, done.stdout


def problem_of(folder, label, words, options, place):
    """Describes what is wrong with one link, or returns None."""
    release = words_of(folder / "release", USUAL_RELEASE)[0]
    status, log = run([CULINK, f"--emulate=nvlink-{release}", *options, *words, "-o", "out.cubin"], place)
    if status < 0 or 126 <= status != COLLECTED_ERRORS:
        return f"died with status {status}:\n{log}"
    if (folder / f"{label}.refused").exists():
        return None if status else "linked, but nvlink refuses it"
    if status:
        return f"refused, but nvlink links it:\n{log}"
    written, expected = place / "out.cubin", folder / f"{label}.expected"
    if written.read_bytes() != expected.read_bytes():
        return "not the bytes that nvlink wrote:\n" + run([CUBIN, "diff", "--details", expected, written], place)[1]
    written.rename(place / f"{label}.out.cubin")    # later links may take it
    return None


def check(folder, options, place):
    """Makes all links of a folder; returns their number and what is wrong with the first bad one."""
    for file in folder.glob("*.cubin"):
        shutil.copy(file, place)
    lines = [line.split() for line in (folder / "links").read_text(encoding="utf-8").splitlines() if line]
    for label, *words in lines:
        if problem := problem_of(folder, label, words, options, place):
            return len(lines), f"{folder.name}, {label}: {problem}"
    return len(lines), None if lines else f"{folder.name}: no links are recorded"


def check_alone(folder):
    with tempfile.TemporaryDirectory() as place:
        return check(folder, words_of(folder / "options"), pathlib.Path(place))


def main():
    if len(sys.argv) > 1:
        name, *options = sys.argv[1:]
        _, problem = check(HERE / name, options, pathlib.Path.cwd())
        if problem:
            print("FAILED: " + problem, file=sys.stderr)
        return 1 if problem else 0

    folders = sorted(about.parent for about in HERE.glob("*/about"))
    failed = total = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for folder, (links, problem) in zip(folders, pool.map(check_alone, folders)):
            total += links
            failed += problem is not None
            if problem:
                print(f"FAILED: {problem}\n{(folder / 'about').read_text(encoding='utf-8')}")
            else:
                print(f"{folder.name}: {links} links")
    print(f"{len(folders)} folders, {total} links, {failed} folders failed")
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
