#!/usr/bin/env bash
# Commands that README and docs name in passing, without an output to compare: their subcommands and options exist.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > options.py <<'CODE'
import os, pathlib, re, subprocess, sys

OPTION = r"(?<![\w'\"=-])(--?[A-Za-z][\w-]*)"

def options(*words):
    text = subprocess.run([*words, "--help"], capture_output=True, text=True, check=True).stdout
    return text, set(re.findall(OPTION, text))

culink = options(os.environ["CULINK"])[1] | {"--print-docs"}
text, cubin = options(os.environ["CUBIN"])
commands = {name: options(os.environ["CUBIN"], name)[1]
            for name in re.findall(r"^  ([a-z]+) ", text.partition("Commands:")[2], re.M)}
seen, wrong = 0, []
root = pathlib.Path(os.environ["SOURCE"])
for document in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]:
    text = document.read_text(encoding="utf-8")
    for line in (re.findall(r"`((?:culink|cubin) [^`\n]*)`", text) +
                 re.findall(r"^(?:\$ )?((?:culink -|cubin [a-z]+ ).*)$", text, re.M)):
        for part in re.split(r"[;|&]", re.sub(r"'[^']*'|\"[^\"]*\"", "NAME", line)):
            words = part.split()
            if not words or words[0] not in ("culink", "cubin") or words[1:2] in (["COMMAND"], ["or"]):
                continue
            seen += 1
            known = culink if words[0] == "culink" else commands.get(words[1], cubin)
            if words[0] == "cubin" and words[1] not in commands and not words[1].startswith("-"):
                wrong.append(f"{document.name}: no command: {part}")
            wrong += [f"{document.name}: no option {option}: {part}" for option in re.findall(OPTION, part)
                      if option not in known and not re.match(r"-[lLm]\w", option)]
if seen < 150:
    wrong.append(f"only {seen} commands found")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
CODE
python3 -B options.py > wrong || fail "$(cat wrong)"
# A wrong one is found.
sed 's/{"--print-docs"}/set()/' options.py > less.py
says 1 "no option --print-docs" -- python3 -B less.py
