#!/usr/bin/env bash
# In zsh, commands of cubin and options of both programs complete by name, and those with a few values by value: the keys of a
# person at a terminal, typed by a program.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need zsh

mkdir functions
"$CULINK" --print-docs zsh > functions/_culink
zsh -n functions/_culink
"$CUBIN" --print-docs zsh > functions/_cubin
zsh -n functions/_cubin
cat > type.py <<'EOT'
import os, pty, select, sys, time

def type_and_read(keys, expected):
    """What zsh shows after some keys, up to the expected words."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="dumb", PS1="ready> ", ZDOTDIR=os.getcwd())
        os.execvp("zsh", ["zsh", "-f", "-i"])
    seen = ""
    def read_until(words):
        nonlocal seen
        end = time.monotonic() + 10
        while not all(word in seen for word in words) and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 4096).decode("utf-8", "replace")
    def send(text):
        os.write(terminal, text.encode())
    send("fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D; print le''ts go\n")
    read_until(["lets go"])
    seen = ""
    send(keys)
    read_until(expected)
    os.close(terminal)
    os.waitpid(child, 0)
    missing = [word for word in expected if word not in seen]
    if missing:
        sys.exit("%r shows no %s: %r" % (keys, missing, seen))

type_and_read("culink --error-f\t", ["--error-format"])
type_and_read("culink --error-format=\t\t", ["text", "json", "nvlink"])
type_and_read("cubin callg\t", ["raph"])
type_and_read("cubin size --by=\t\t", ["template", "packing"])
EOT
python3 -B type.py
