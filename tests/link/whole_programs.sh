#!/usr/bin/env bash
# Objects of `nvcc -ewp` have a file type of their own and are linked like others, with a warning about
# those beside them that are not; nvlink refuses those of an older release (Q118). A file of no known
# type is refused, where nvlink links it (Q142). What is linked already is ignored, but never so that
# nothing is left (Q066).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded whole_programs
"$CULINK" --error-format=nvlink --emulate=nvlink-13.0.88 -arch=sm_90 part.cubin whole.cubin -o out.cubin 2> log
expect_contains log "nvlink warning : 'part.cubin': -ewp compiled objects should only link with libcudadevrt"
"$CULINK" -arch=sm_90 part.cubin whole.cubin -o out.cubin 2> log
expect_contains log "warning: part.cubin: not compiled with -ewp, but linked with whole.cubin"
not "$CULINK" --error-format=nvlink --emulate=nvlink-13.1.115 -arch=sm_90 whole.cubin -o older.cubin 2> log
expect_contains log "nvlink fatal   : linking with -ewp objects requires using current toolkit"
"$CUBIN" verify out.cubin whole.cubin
"$CUBIN" usage out.cubin > usage
expect_contains usage part whole
"$CULINK" -arch=sm_90 whole.cubin -o out.cubin 2> log
[ ! -s log ] || fail "a whole program alone: $(cat log)"

cp part.cubin odd.cubin
printf '\x03\x00' | dd of=odd.cubin bs=1 seek=16 conv=notrunc status=none
not "$CULINK" -arch=sm_90 odd.cubin -o odd.out 2> log
expect_contains log "odd.cubin: not a relocatable device object: e_type is 0x3"
"$CULINK" --emulate=nvlink-13.0.88 -arch=sm_90 odd.cubin -o odd.out.cubin
"$CULINK" --emulate=nvlink-13.0.88 -arch=sm_90 part.cubin -o part.out.cubin
expect_same odd.out.cubin part.out.cubin

not "$CULINK" -arch=sm_90 alone.out.cubin -o nothing.cubin 2> log
expect_contains log "warning: alone.out.cubin: ignored" \
  "error: nothing to link: alone.out.cubin is left out, because it is already linked" \
  "hint: link the objects that it was made of"
[ ! -e nothing.cubin ] || fail "wrote an image without the code that it was given"
