#!/usr/bin/env python3
"""Links mutants with nvlink and with culink --emulate and compares what they write.

    build/release/bin/link_campaign --structure --count=N --keep=CASES PROGRAM...
    tests/robustness/diff_fuzz.py CASES [--keep FOLDER]

Each folder of CASES has the files of a link and its words, one in each line. Links that both accept
must give the same bytes. Where they do not, nvlink runs again with other bytes in fresh memory: one
that then gives another answer depends on bytes that are not its own, and there is nothing to be
equal to. What is left is counted by what differs, and --keep copies it. Exit status 1: something is
unexplained.
"""
import argparse
import collections
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 10
GIGABYTES = 4
EMULATE = "--emulate=nvlink-13.0.88"
# Differences that were looked into (docs/testing.md), by the lines of `cubin diff`
# that show the cause. All lines have to be a cause's or a consequence.
CAUSES = [
    ("notes removed, repeated or renamed", r"(notes|tkinfo): |sections: .*'\.not|symbols: .*'\.not"),
    ("alignments that were changed", r"headers: '[^']*': alignment "),
    ("global memory without a variable", r"(sections|symbols): .*'\.nv\.global'"),
    ("relocations of lines and frames that were moved or removed",
     r"(relocs|headers|debug|data): '[^']*(debug|frame)[^']*'"),
    ("section symbols that were variables", r"sections: .*'\.nv\.resolvedrela"),
    ("compatibility records", r"compat: "),
    ("records that no compiler writes", r"info: |sections: .*'\.nv\.info"),
    ("frames of changed functions", r"(debug|data): '[^']*(debug|frame)[^']*'"),
    ("relocations against the section of a bank", r"code: "),
    ("header fields of debug sections", r"headers: '[^']*(debug|frame)[^']*': (link|info|size)"),
]
CONSEQUENCES = (r"  \.\.\. \d+ more |layout: |segments: |strings: |\d+ difference|symbols: \S+ symbol order|sections: section order"
                r"|headers: '[^']*': (info|size|link)|symbols: .*section '")


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (GIGABYTES << 30, GIGABYTES << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, case, perturb=None):
    """(what happened, the bytes that were written, the messages)."""
    environment = {**os.environ, "CULINK_NO_CACHE": "1"}
    if perturb is not None:
        environment["MALLOC_PERTURB_"] = str(perturb)
    words = (case / "words").read_text().split("\n")
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "out.cubin"
        try:
            result = subprocess.run([*command, *filter(None, words), "-o", output], cwd=case,
                                    capture_output=True, text=True, errors="replace",
                                    timeout=SECONDS, env=environment, preexec_fn=limit, check=False)
        except subprocess.TimeoutExpired:
            return "hangs", None, ""
        text = result.stdout + result.stderr
        if result.returncode < 0 or result.returncode > 127:
            return "crashes", None, text
        if result.returncode != 0 or not output.exists():
            return "refuses", None, text
        return "links", output.read_bytes(), text


def explain(cubin, ours, theirs):
    """The causes of a difference, or what is unexplained of it."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / name for name in ("theirs", "ours")]
        paths[0].write_bytes(theirs)
        paths[1].write_bytes(ours)
        text = subprocess.run([cubin, "diff", "--details", *paths], capture_output=True, text=True,
                              errors="replace", check=False).stdout
    found = set()
    for line in text.splitlines():
        causes = [cause for cause, pattern in CAUSES if re.match(pattern, line)]
        found |= set(causes[:1])
        if not causes and not re.match(CONSEQUENCES, line):
            return f"different: {line[:100]}"
    if not found:
        return "explained: layout only"
    return "explained: " + ", ".join(sorted(found))


def judge(case, culink, nvlink, cubin):
    """What became of one case: a line of the table."""
    ours, our_bytes, _ = run([culink, EMULATE], case)
    theirs, their_bytes, _ = run([nvlink], case, perturb=0)
    if (ours, theirs) != ("links", "links"):
        return f"culink {ours}, nvlink {theirs}"
    if our_bytes == their_bytes:
        return "same bytes"
    for perturb in (85, 170, 255):
        again, bytes_again, _ = run([nvlink], case, perturb)
        if (again, bytes_again) != (theirs, their_bytes):
            return "nvlink differs from itself"
    return explain(cubin, our_bytes, their_bytes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=1 << 30, help="cases to try")
    arguments = parser.parse_args()
    build = os.environ.get("CULINK_BUILD", str(ROOT / "build" / "release"))
    culink = os.environ.get("CULINK", os.path.join(build, "bin", "culink"))
    cubin = os.environ.get("CUBIN", os.path.join(build, "bin", "cubin"))
    nvlink = shutil.which("nvlink")
    if not nvlink:
        print("skipped: no nvlink")
        return 77
    counts = collections.Counter()
    for case in sorted(arguments.cases.iterdir())[:arguments.most]:
        verdict = judge(case, culink, nvlink, cubin)
        counts[verdict] += 1
        if verdict.startswith("different"):
            print(f"{case.name}: {verdict}", flush=True)
            if arguments.keep:
                shutil.copytree(case, arguments.keep / case.name, dirs_exist_ok=True)
    print(f"{sum(counts.values())} cases")
    for verdict, count in counts.most_common():
        print(f"{count:8} {verdict}")
    return 1 if any(verdict.startswith("different") for verdict in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
