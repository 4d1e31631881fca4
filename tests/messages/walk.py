# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks every case of cases.py and input_cases.py with culink and compares with nvlink.

  walk.py                       culink against what each release of nvlink answered, and nvlink 13.0.88
                                against that where it is installed
  walk.py --cuda FOLDER         culink and the nvlink of another toolkit against its answers
  walk.py --record [--cuda ..]  writes anew what the nvlink answers

With --emulate and --error-format=nvlink, culink must exit with nvlink's status, print its lines on the
same stream and write its bytes. In its own words it must exit with the same status, name an error where
nvlink 13.0 has one, and keep standard output clean, or do what the case says. expected.json has the answers
of 13.0.88, releases.json what other releases answer otherwise. The programs come from $CULINK and $CUBIN.
"""

import argparse
import hashlib
import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from cases import BEYOND_NVLINK, CASES, LOOSE, NOT_COPIED, OWN, PRINTS
import input_cases
import inputs

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(SOURCE, "build", "release", "bin")
CULINK = os.path.abspath(os.environ.get("CULINK", os.path.join(BUILT, "culink")))
CUBIN = os.path.abspath(os.environ.get("CUBIN", os.path.join(BUILT, "cubin")))
EXPECTED = os.path.join(HERE, "expected.json")
OTHERS = os.path.join(HERE, "releases.json")
VERSION = "13.0.88"
FIELDS = ("status", "stdout", "stderr", "output", "registered")
UNREADABLE = "to have EF_CUDA_64BIT_ADDRESS set"  # objects of CUDA 13 to nvlink 12.4
PATH = os.environ.get("PATH", "") + ":/usr/local/cuda/bin"


def words_of(arguments):
    if arguments is None:
        return []
    words = shlex.split(arguments.replace('"', '\\"'))
    return words[1:] if words[0] == "NOOUT" else words + ["-o", "out.cubin"]


def run(program, words, folder):
    """Status, standard output, standard error, and a digest of what was written."""
    output = os.path.join(folder, "out.cubin")
    registered = os.path.join(folder, "reg")
    for path in (output, registered, os.path.join(folder, "-")):
        if os.path.exists(path):
            os.remove(path)
    done = subprocess.run(program + words, cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    return {"status": done.returncode, "stdout": done.stdout.decode("utf-8", "replace"),
            "stderr": done.stderr.decode("utf-8", "replace"), "output": digest(output),
            "registered": digest(registered)}


def digest(path):
    """Nothing if there is no such file."""
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def severities(log):
    """The severities that nvlink's lines have."""
    found = {line.split()[1] for line in log.splitlines() if line.startswith("nvlink ")}
    return {"error" if word == "fatal" else word for word in found if word != "info"}


def check_own_words(label, expected, given):
    if given["status"] != expected["status"] and label not in OWN:
        return "status %d instead of %d" % (given["status"], expected["status"])
    if given["stdout"] and label not in PRINTS:
        return "prints on standard output: " + given["stdout"]
    if given["output"] and given["status"] != 0 and not expected["output"]:
        return "writes an output in spite of errors"
    for word in sorted(severities(expected["stderr"])):
        if label not in OWN and "culink: %s: " % word not in given["stderr"]:
            return "has no " + word
    return None


def check_inputs(label, outcome, expected, given):
    """Whether culink itself did what the case says."""
    if outcome == "any":
        return None
    if outcome is None:
        return check_own_words(label, expected, given)
    said = {word for word in ("warning", "error") if "culink: %s: " % word in given["stderr"]}
    done = "refuses" if given["status"] else "warns" if said else "links"
    if done != outcome or (given["status"] != 0) != ("error" in said):
        return "%s, not %s: %s" % (done, outcome, given["stderr"])
    return None


def all_cases():
    """Label, arguments, and how to check what culink does in its own words."""
    for label, arguments in CASES:
        yield label, arguments, check_own_words
    for rows in input_cases.GROUPS.values():
        for label, arguments, outcome in rows:
            yield (label, arguments, None if outcome == "any" else
                   lambda name, want, given, outcome=outcome:
                   check_inputs(name, outcome, want, given))


def undocumented():
    """Groups of cases that docs/compat.md does not explain."""
    with open(os.path.join(SOURCE, "docs", "compat.md"), encoding="utf-8") as file:
        text = file.read()
    for group in input_cases.GROUPS:
        if "\n| `%s` |" % group not in text:
            yield group, "is not in docs/compat.md"


def beyond(folder):
    """What nvlink crashes on."""
    for label, arguments, text in input_cases.BEYOND:
        given = run([CULINK, "--color=never"], words_of(arguments), folder)
        if given["status"] not in (0, 1, 255) or text not in given["stderr"]:
            yield label, "exits with %d and says\n%s" % (given["status"], given["stderr"])


def depends_on_host(words):
    """Whether nvlink's answer depends on the machine it runs on: of libraries that are named by -l it
    takes those of its own host only, and the inputs are of x86-64."""
    return platform.machine() != "x86_64" and any(
        word.startswith(("-l", "--library=")) for word in words)


def answered_elsewhere():
    """The cases whose answers another machine has recorded."""
    return {label for label, arguments, _ in all_cases() if depends_on_host(words_of(arguments))}


def unsettled(version, answer):
    """From 13.1 on -v prints any number of barriers for kernels without one (docs/compat.md)."""
    if version == VERSION:
        return answer
    return dict(answer, stderr=re.sub(r"used \d+ barriers", "used N barriers", answer["stderr"]))


def differs(version, label, want, given):
    """What culink does otherwise under --emulate, or nothing."""
    want, given = unsettled(version, want), unsettled(version, given)
    if label in BEYOND_NVLINK or label in NOT_COPIED.get(version, ()):
        return None
    if label in LOOSE and severities(given["stderr"]) == severities(want["stderr"]):
        given = dict(given, stderr=want["stderr"], output=given["output"] and want["output"])
    for field in FIELDS:
        if given[field] != want[field]:
            return "%s is\n%s\ninstead of\n%s" % (field, given[field], want[field])
    return None


def emulated(version, words, folder):
    return run([CULINK, "--emulate=nvlink-" + version, "--error-format=nvlink"], words, folder)


def differences(nvlink, folder, expected):
    has_ptxas = shutil.which("ptxas", path=PATH) is not None
    for label, arguments, check in all_cases():
        if label in input_cases.NEEDS_PTXAS and not has_ptxas:
            continue
        words = words_of(arguments)
        want = expected.get(label)
        if want is None:
            yield label, "is not recorded"
            continue
        asks = nvlink and not depends_on_host(words)
        if asks and run([nvlink], words, folder) != want:
            yield label, "nvlink does otherwise than recorded"
        wrong = differs(VERSION, label, want, emulated(VERSION, words, folder))
        if wrong:
            yield label, wrong
        if not check:
            continue
        wrong = check(label, want, run([CULINK, "--color=never", "--no-demangle"], words, folder))
        if wrong:
            yield label, "in its own words: " + wrong
    yield from beyond(folder)
    yield from undocumented()


def changes(version, nvlink, folder, expected):
    """{label: fields} of what a release answers otherwise than 13.0.88."""
    found = {}
    for label, arguments, _ in all_cases():
        words = words_of(arguments)
        if depends_on_host(words):
            continue
        answer = unsettled(version, run([nvlink], words, folder))
        usual = unsettled(version, expected[label])
        other = {field: answer[field] for field in FIELDS if answer[field] != usual[field]}
        if other and (UNREADABLE not in answer["stderr"] or label == "plain"):
            found[label] = other
    return found


def release_differences(version, recorded, folder, expected, whole):
    """What culink does otherwise than another release did. Only with its toolkit, `whole`, is PTX compiled as it
    was, and the rest of the cases is as in 13.0, but for the objects that 12.4 does not read."""
    for label, arguments, _ in all_cases():
        words = words_of(arguments)
        if depends_on_host(words) or (label in input_cases.NEEDS_PTXAS and not whole):
            continue
        given = emulated(version, words, folder)
        if label not in recorded and UNREADABLE in given["stderr"]:
            continue
        wrong = differs(version, label, {**expected[label], **recorded.get(label, {})}, given)
        if wrong:
            yield "%s of %s" % (label, version), wrong


def version_of(nvlink):
    text = subprocess.run([nvlink, "-V"], stdout=subprocess.PIPE, check=False).stdout.decode()
    match = re.search(r", V([\d.]+)", text)
    return match.group(1) if match else ""


def installed_nvlink():
    nvlink = shutil.which("nvlink", path=PATH)
    return nvlink if nvlink and version_of(nvlink) == VERSION else None


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write("\n")


def record(nvlink, version, folder):
    if version == VERSION:
        known = read_json(EXPECTED)
        write_json(EXPECTED, {label: known[label] if label in known and depends_on_host(words_of(arguments))
                              else run([nvlink], words_of(arguments), folder)
                              for label, arguments, _ in all_cases()})
        return
    others = read_json(OTHERS)
    elsewhere = answered_elsewhere()
    kept = {label: fields for label, fields in others.get(version, {}).items() if label in elsewhere}
    write_json(OTHERS, {**others, version: {**kept, **changes(version, nvlink, folder, read_json(EXPECTED))}})


def walk_release(nvlink, version, folder):
    """One other release, whose nvlink is here."""
    expected, recorded = read_json(EXPECTED), read_json(OTHERS).get(version, {})
    answers = changes(version, nvlink, folder, expected)
    for label in sorted({*recorded, *answers} - answered_elsewhere()):
        if recorded.get(label) != answers.get(label):
            yield label, "nvlink %s does otherwise than recorded" % version
    yield from release_differences(version, recorded, folder, expected, whole=True)


def walk_all(nvlink, folder):
    expected = read_json(EXPECTED)
    yield from differences(nvlink, folder, expected)
    for version, recorded in sorted(read_json(OTHERS).items()):
        yield from release_differences(version, recorded, folder, expected, whole=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--cuda", help="the folder of another toolkit")
    options = parser.parse_args()
    nvlink = os.path.join(options.cuda, "bin", "nvlink") if options.cuda else installed_nvlink()
    version = version_of(nvlink) if nvlink else VERSION
    if options.cuda:
        os.environ["CUDA_HOME"] = os.path.abspath(options.cuda)
    with tempfile.TemporaryDirectory() as folder:
        inputs.make(CUBIN, SOURCE, folder)
        input_cases.make(folder)
        if options.record:
            if not nvlink:
                sys.exit("no nvlink " + VERSION)
            record(nvlink, version, folder)
            return
        found = list(walk_release(nvlink, version, folder) if version != VERSION else
                     walk_all(nvlink, folder))
    for label, what in found:
        print("%s: %s" % (label, what))
    print("%d cases%s, %d differences" %
          (len(list(all_cases())) + len(input_cases.BEYOND),
           " of " + version if nvlink else " (nvlink is not installed)", len(found)))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
