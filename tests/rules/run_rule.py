#!/usr/bin/env python3
"""Runs one test of RUN and CHECK lines: tests/rules/<area>/<behaviour>.test or tests/tools/<behaviour>.test.
README.md describes the form.

    tests/rules/run_rule.py FILE.test     $CULINK and $CUBIN, or the release build, are tested

Exit status 0: the rule holds; 1: it does not, or the test is not well-formed.
"""
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from filecheck import Check, Failure, KINDS, run_checks

MIN_PROSE = 60  # characters that say what the rule is
DIRECTIVE = re.compile(r"#\s*([A-Z][A-Z-]+)(?:-(\d+))?:\s?(.*)$")
PART = re.compile(r"#--- (\S+)$")
HELPERS = ("cat", "cmp", "cp", "python3", "test")  # programs that a RUN line may name beside ours
TIMEOUT = 20  # seconds
SOURCE = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Run:
    words: list
    status: int
    line: int  # in the test
    output: str = None  # the file that has standard output, which no check then sees
    checks: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Test:
    runs: list = dataclasses.field(default_factory=list)
    parts: dict = dataclasses.field(default_factory=dict)  # name: (line, text)
    known_defect: Failure = None  # XFAIL: the reason, and where it is given


def parse_run(text, line):
    """`COMMAND`, `not COMMAND` (exit status 1) or `exits N COMMAND`; any of them with `> FILE` at its end."""
    words = shlex.split(text)
    status, output = 0, None
    if words[-2:-1] == [">"]:
        words, output = words[:-2], words[-1]
    if words[:1] == ["not"]:
        words, status = words[1:], 1
    elif words[:1] == ["exits"] and len(words) > 1 and words[1].isdigit():
        words, status = words[2:], int(words[1])
    if not words or words[0] not in ("culink", "cubin", *HELPERS):
        raise Failure(line, f"RUN names no program that may be run here: {text}")
    return Run(words, status, line, output)


def parse_directive(keyword, count, value, line, test):
    value = value.strip()
    if not value:
        raise Failure(line, f"{keyword} without a value")
    if keyword == "RUN":
        test.runs.append(parse_run(value, line))
    elif keyword == "XFAIL":
        test.known_defect = Failure(line, value)
    elif keyword in KINDS:
        if not test.runs:
            raise Failure(line, f"{keyword} before the first RUN")
        test.runs[-1].checks.append(Check(keyword, value, line))
    elif keyword == "CHECK-COUNT" and count and test.runs:
        test.runs[-1].checks += [Check("CHECK", value, line)] * int(count)
    else:
        raise Failure(line, f"unknown keyword {keyword}")


def parse(text):
    """A head of comment lines, then the parts, each behind a line `#--- NAME`."""
    test, prose, name = Test(), "", None
    for line, content in enumerate(text.splitlines(), 1):
        directive = DIRECTIVE.match(content)
        if part := PART.match(content):
            name = part[1]
            if name in test.parts or "/" in name:
                raise Failure(line, f"part {name} is there twice, or is no plain name")
            test.parts[name] = (line, "")
        elif name is not None:
            if directive and directive[1] in ("RUN", *KINDS):
                raise Failure(line, f"{directive[1]} inside a part has no effect; put it above")
            test.parts[name] = (test.parts[name][0], test.parts[name][1] + content + "\n")
        elif directive:
            parse_directive(*directive.groups(), line, test)
        elif content.startswith("#"):
            prose += "" if test.runs else content[1:].strip() + " "
        elif content:
            raise Failure(line, "neither a comment nor inside a part (`#--- NAME`)")
    if len(prose) < MIN_PROSE:
        raise Failure(1, "the test does not begin with a comment that says what the rule is")
    if not test.runs:
        raise Failure(1, "no RUN line")
    return test


def program(name):
    if name in HELPERS:
        return shutil.which(name) or name
    return os.environ.get(name.upper(), str(SOURCE / "build/release/bin" / name))


def execute(words, folder, output=None):
    """Exit status and output, both streams together as a terminal would show them, unless a file takes one."""
    result = subprocess.run([program(words[0]), *words[1:]], cwd=folder, timeout=TIMEOUT,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE if output else subprocess.STDOUT, check=False)
    if output:
        pathlib.Path(folder, output).write_bytes(result.stdout)
    return result.returncode, (result.stderr if output else result.stdout).decode(errors="replace")


def write_parts(test, folder):
    """Each part is a file; NAME.yaml is assembled to NAME.cubin as well, where that is what a command names."""
    texts = [" ".join(run.words) for run in test.runs] + [text for _, text in test.parts.values()]
    used = {word for text in texts for word in re.split(r"[\s=,@/\"]", text)}
    for name, (line, text) in test.parts.items():
        path = pathlib.Path(folder, name)
        path.write_text(text)
        wanted = path.with_suffix(".cubin").name if path.suffix == ".yaml" else name
        if wanted not in used and name not in used:
            raise Failure(line, f"no RUN line names {wanted}")
        if text.startswith("#!"):
            path.chmod(0o755)
        if wanted == name or wanted not in used:
            continue
        status, output = execute(["cubin", "assemble", name, "-o", wanted], folder)
        if status != 0:
            raise Failure(line, f"cannot assemble {name}:\n{output}")


def run_commands(test, folder):
    for run in test.runs:
        status, output = execute(run.words, folder, run.output)
        if status != run.status:
            raise Failure(run.line, f"exit status {status} instead of {run.status}:\n{output}")
        run_checks(run.checks, output)


def run_test(text):
    """Raises Failure unless everything is as the test says."""
    test = parse(text)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(SOURCE / "examples", os.path.join(folder, "examples"))
        write_parts(test, folder)
        try:
            run_commands(test, folder)
        except Failure as failure:
            if test.known_defect is None:
                raise
            print(f"known defect: {test.known_defect}\nline {failure.line}: {failure}")
            return
    if test.known_defect is not None:
        raise Failure(test.known_defect.line, "the rule holds now: remove XFAIL")


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        run_test(pathlib.Path(arguments[0]).read_text())
    except Failure as failure:
        print(f"{arguments[0]}:{failure.line}: {failure}")
        return 1
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{arguments[0]}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
