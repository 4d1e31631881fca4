# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks every case of cases.py and input_cases.py with culink and compares with nvlink 13.0.88.

  walk.py             culink against expected.json, and nvlink against it where it is installed
  walk.py --record    writes expected.json anew from the installed nvlink

With --emulate and --error-format=nvlink, culink must exit with nvlink's status, print its lines on the
same stream and write its bytes. In its own words it must exit with the same status, name an error where
nvlink has one, and keep standard output clean, or do what the case says. The programs come from $CULINK
and $CUBIN.
"""

import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile

from cases import BEYOND_NVLINK, CASES, LOOSE, OWN, PRINTS
import input_cases
import inputs

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILT = os.path.join(SOURCE, "build", "release", "bin")
CULINK = os.path.abspath(os.environ.get("CULINK", os.path.join(BUILT, "culink")))
CUBIN = os.path.abspath(os.environ.get("CUBIN", os.path.join(BUILT, "cubin")))
EXPECTED = os.path.join(HERE, "expected.json")
EMULATE = ["--emulate=nvlink-13.0.88", "--error-format=nvlink"]
VERSION = "13.0.88"
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
    for path in (output, registered):
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
    """Groups of cases that docs/inputs.md does not explain."""
    with open(os.path.join(SOURCE, "docs", "inputs.md"), encoding="utf-8") as file:
        text = file.read()
    for group in input_cases.GROUPS:
        if "\n| `%s` |" % group not in text:
            yield group, "is not in docs/inputs.md"


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
        given = run([CULINK] + EMULATE, words, folder)
        if label in LOOSE and severities(given["stderr"]) == severities(want["stderr"]):
            given["stderr"] = want["stderr"]
            given["output"] = given["output"] and want["output"]
        if label in BEYOND_NVLINK:
            given = want
        for field in ("status", "stdout", "stderr", "output", "registered"):
            if given[field] != want[field]:
                yield label, "%s is\n%s\ninstead of\n%s" % (field, given[field], want[field])
                break
        if not check:
            continue
        wrong = check(label, want, run([CULINK, "--color=never", "--no-demangle"], words, folder))
        if wrong:
            yield label, "in its own words: " + wrong
    yield from beyond(folder)
    yield from undocumented()


def installed_nvlink():
    nvlink = shutil.which("nvlink", path=PATH)
    if not nvlink:
        return None
    text = subprocess.run([nvlink, "-V"], stdout=subprocess.PIPE, check=False).stdout.decode()
    return nvlink if VERSION in text else None


def main():
    nvlink = installed_nvlink()
    with tempfile.TemporaryDirectory() as folder:
        inputs.make(CUBIN, SOURCE, folder)
        input_cases.make(folder)
        if "--record" in sys.argv:
            if not nvlink:
                sys.exit("no nvlink " + VERSION)
            recorded = {label: run([nvlink], words_of(arguments), folder)
                        for label, arguments, _ in all_cases()}
            with open(EXPECTED, "w", encoding="utf-8") as file:
                json.dump(recorded, file, indent=1, sort_keys=True)
                file.write("\n")
            return
        with open(EXPECTED, encoding="utf-8") as file:
            expected = json.load(file)
        found = list(differences(nvlink, folder, expected))
    for label, what in found:
        print("%s: %s" % (label, what))
    print("%d cases%s, %d differences" %
          (len(list(all_cases())) + len(input_cases.BEYOND),
           "" if nvlink else " (nvlink is not installed)", len(found)))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
