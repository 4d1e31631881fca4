#!/usr/bin/env bash
# `nvcc -ewp` places the shared variables of its kernels and leaves sections without symbols, which are
# memory all the same (Q117). nvlink leaves them out with -g, and where -r has made an ordinary object
# of them; so the kernel would run without its memory.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_memory_of_whole_programs
not "$CUBIN" check debug.out.cubin --inputs static.cubin part.cubin > log 2>&1
expect_contains log "wrong-memory: static in .nv.shared: expected at least 0xa0, found 0x0"
"$CUBIN" check plain.out.cubin --inputs static.cubin part.cubin
has_memory() {
  "$CUBIN" dump --sections out.cubin > sections
  grep -qE ' (0xa0|0x4a0) .*\.nv\.shared\.static$' sections || fail "$1: no shared memory: $(cat sections)"
}
for mode in "" -g -r "-r -g"; do
  # shellcheck disable=SC2086  # several options
  "$CULINK" --check $mode -arch=sm_90 static.cubin part.cubin -o out.cubin 2> log
  has_memory "static $mode"
done
for mode in "" -g; do
  # shellcheck disable=SC2086  # one or none
  "$CULINK" --check $mode -arch=sm_90 out.cubin -o again.cubin 2> log
  mv again.cubin out.cubin && has_memory "again $mode"
  "$CULINK" -r -arch=sm_90 static.cubin part.cubin -o out.cubin 2> log
done
