#!/usr/bin/env bash
# A large link ends before all its memory is given back; another process does that, and nobody has to wait for
# it: it has no open files, and ends when the first one has ended. With --no-fork, and after links that are not
# large, there is none.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3
cache=$(dirname "$CULINK")/../CMakeCache.txt
[ ! -e "$cache" ] || ! grep -q '^CULINK_SANITIZE:[A-Z]*=.' "$cache" || skip "a build with sanitizers"
program() { # name, instructions
  printf 'arch: sm_90\nfunctions: [{name: %s, kernel: true, code: nop x%d}]\n' "$1" "$2" > "$1.yaml"
  "$CUBIN" assemble "$1.yaml" -o "$1.cubin"
}
program large 530000 # 16 bytes each, in the input and in the output: 17.0 million, of 16.8 million (16 MB)
program small 500000 # 16.0 million
cat > count.py <<'END'
"""Runs a command, and prints its exit status and how many processes it has left, when they have ended."""
import ctypes, os, subprocess, sys
PR_SET_CHILD_SUBREAPER = 36
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
status = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).returncode
left = 0
try:
    while os.wait():
        left += 1
except ChildProcessError:
    print(status, left)
END
expect() { # status and processes, words of the link
  local wanted=$1
  shift
  local got
  got=$(python3 count.py "$CULINK" -arch=sm_90 "$@")
  [ "$got" = "$wanted" ] || fail "culink $*: $got, not $wanted"
}
expect "0 0" small.cubin -o small.out
expect "0 0" large.cubin --no-fork -o large.out
mv large.out whole.out
for threads in 1 2 16; do
  expect "0 1" large.cubin --threads="$threads" -o large.out # one file is new, two replace another
  expect_same whole.out large.out
done
expect "1 1" large.cubin large.cubin -o twice.out
[ ! -e twice.out ] || fail "a link that failed has an output"
leftovers=$(find . -name '*culink-tmp*')
[ -z "$leftovers" ] || fail "left behind: $leftovers"
# When the first process has ended, files that it was given, and its output, are open nowhere, even if there is
# one processor and the second process has not begun yet.
cat > locks.py <<'END'
"""Runs a command with a locked file, and tries at once to lock that file and the output again."""
import fcntl, os, subprocess, sys
output, *command = sys.argv[1:]
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
for _ in range(20):
    with open("lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, pass_fds=[lock.fileno()])
    assert process.wait() == 0
    for name in "lock", output:
        with open(name) as again:
            fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
END
python3 locks.py large.out "$CULINK" -arch=sm_90 large.cubin -o large.out || fail "a file is still locked"
"$CULINK" -arch=sm_90 large.cubin -v -o large.out 2>&1 | cat > printed
[ -s printed ] || fail "-v prints nothing"
# A replaced output is freed before the first process ends where there is no room for much more.
mkdir narrow
mount -t tmpfs -o size=24m none narrow 2> /dev/null || exit 0 # only root may
trap 'umount -l "$WORK/narrow"; rm -rf "$WORK"' EXIT
cat > space.py <<'END'
"""Runs a command, and takes at once more space than there would be beside two outputs."""
import os, subprocess, sys
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
for _ in range(20):
    subprocess.run(sys.argv[1:], check=True)
    with open("narrow/other", "w") as other:
        os.posix_fallocate(other.fileno(), 0, 12 << 20)
    os.remove("narrow/other")
END
python3 space.py "$CULINK" -arch=sm_90 large.cubin -o narrow/out || fail "the old output still takes space"
