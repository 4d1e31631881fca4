#!/usr/bin/env bash
# On a terminal messages are coloured, and a link that takes longer than a second tells how far it is,
# on a line that is gone in the end. A program stands for ptxas. Elsewhere there is neither.
. "${BASH_SOURCE%/*}/../common.inc.sh"

assemble k <<< '{arch: sm_90, functions: [{name: k, kernel: true, code: nop x4}]}'
printf '.version 9.0\n.target sm_90\n' > slow.ptx
cat > ptxas <<'EOT'
#!/bin/sh
sleep 1.2
cat k.cubin > "$8"
EOT
chmod +x ptxas
cat > terminal.py <<'EOT'
"""Runs a command at a terminal and prints what it shows there."""
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        part = b""
    if not part:
        break
    shown += part
os.waitpid(child, 0)
sys.stdout.buffer.write(shown)
EOT
python3 -c 'import pty; pty.openpty()' 2> /dev/null || skip "no terminals (/dev/pts) here"
at_terminal() { python3 -B terminal.py "$@"; }
escape=$(printf '\033')

at_terminal "$CULINK" -arch=sm_90 slow.ptx --ptxas="$PWD/ptxas" -o out.cubin > shown
expect_contains shown "culink: reading and compiling inputs, 0 of 1"
[ "$(tail -c 4 shown)" = "$(printf '\r\033[K')" ] || fail "the line stays: $(tail -c 50 shown)"
[ -s out.cubin ] || fail "no output"

says 0 "${escape}[" "error" -- at_terminal "$CULINK" -arch=sm_90 missing.cubin -o none
says 0 "error: missing.cubin" -- at_terminal "$CULINK" --color=never -arch=sm_90 missing.cubin -o none
expect_lacks told "${escape}["
says 0 "error: missing.cubin" -- at_terminal env NO_COLOR=1 "$CULINK" -arch=sm_90 missing.cubin -o none
expect_lacks told "${escape}["
says 1 "error: missing.cubin" -- "$CULINK" -arch=sm_90 missing.cubin -o none
expect_lacks told "${escape}["
says 1 "${escape}[" -- "$CULINK" --color=always -arch=sm_90 missing.cubin -o none
