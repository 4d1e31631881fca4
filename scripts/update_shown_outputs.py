#!/usr/bin/env python3
"""Keeps the outputs that the documents show true.

    scripts/update_shown_outputs.py [--check] [FOLDER_WITH_PROGRAMS]

A code block marked `console` holds commands after `$ ` and what they print. Each command is run in
the repository's root with the built programs in PATH (files go to build/), and its output replaces
the one shown. A line `...` in the shown output stands for any lines, so that a long output can be
shortened by hand; such a block is only checked. With --check nothing is written, and the exit status
is 1 if a document is out of date.

Documents that programs write as a whole (GENERATED) are kept true likewise.
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
GENERATED = {"docs/message-list.md": "culink --print-docs messages"}
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def run(command, programs):
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = "\n".join(line.rstrip() for line in result.stdout.splitlines())
    return output + "\n" if output else ""


def matches(shown, output):
    pattern = "".join(".*" if line == "...\n" else re.escape(line)
                      for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, output, re.DOTALL) is not None


def true_block(block, programs, complaints):
    """The block with the outputs that its commands have today."""
    result = ""
    for part in re.split(r"^(?=\$ )", block, flags=re.MULTILINE):
        command, _, shown = part.partition("\n")
        if not command.startswith("$ "):
            result += part
            continue
        output = run(command[2:], programs)
        # A blank line may set two commands apart.
        gap = "\n" if shown.endswith("\n\n") or shown == "\n" else ""
        if matches(shown.rstrip("\n") + "\n" if shown.strip() else "", output):
            result += part
            continue
        complaints.append(f"`{command[2:]}` prints:\n{output}")
        keep = "..." in shown.splitlines()
        result += part if keep else f"{command}\n{output}{gap}"
    return result


def main(arguments):
    check = "--check" in arguments
    folders = [argument for argument in arguments if argument != "--check"]
    programs = pathlib.Path(folders[0] if folders else ROOT / "build/release/bin").resolve()
    (ROOT / "build").mkdir(exist_ok=True)
    status = 0
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = document.read_text(encoding="utf-8")
        complaints = []
        updated = BLOCK.sub(lambda block: true_block(block[0], programs, complaints), text)
        if command := GENERATED.get(str(document.relative_to(ROOT))):
            updated = run(command, programs)
            if updated != text:
                complaints.append(f"is not what `{command}` writes")
        for complaint in complaints:
            print(f"{document.relative_to(ROOT)}: {complaint}")
        if complaints and (check or updated == text):
            status = 1
        if updated != text and not check:
            document.write_text(updated, encoding="utf-8")
            print(f"updated {document.relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
