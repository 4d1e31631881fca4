#!/usr/bin/env bash
# The programs are built so that a mistake in them is hard to use: they can lie anywhere in memory, and no stack
# can be executed; with -DCULINK_HARDEN=ON, they are bound at the start and have stack protectors, checked
# functions and marks for the processor's control-flow protection.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need readelf

cache=$(dirname "$CULINK")/../CMakeCache.txt
[ -e "$cache" ] || skip "the programs are not in their build folder"
grep -q '^CULINK_SANITIZE:[A-Z]*=.' "$cache" && skip "a build with sanitizers"
for program in "$CULINK" "$CUBIN"; do
  says 0 "DYN (Position-Independent Executable file)" "GNU_RELRO" -- readelf -hldW "$program"
  grep -q 'GNU_STACK .* RW ' told || fail "$program: the stack can be executed"
done
grep -q '^CULINK_HARDEN:BOOL=ON' "$cache" || exit 0
for program in "$CULINK" "$CUBIN"; do
  says 0 "BIND_NOW" -- readelf -dW "$program"
  says 0 "__stack_chk_fail" "memcpy_chk" -- readelf --dyn-syms -W "$program"
  if [ "$(uname -m)" = x86_64 ]; then
    # endbr64 at the start of functions that may be called through pointers.
    marks=$(LC_ALL=C grep -aoP '\xf3\x0f\x1e\xfa' "$program" | wc -l)
    [ "$marks" -gt 1000 ] || fail "$program: only $marks marks for indirect calls"
  fi
done
