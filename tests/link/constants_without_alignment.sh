#!/usr/bin/env bash
# Constants of selected kernels are placed one by one, by what the section and their offsets say of their alignment. A section whose
# alignment is 0 states none: the output is that of an alignment of 1. nvlink ends with a signal, as --check did once.
. "${BASH_SOURCE%/*}/../common.inc.sh"

folder=$SOURCE/tests/golden/selected_kernels_pack_constants
"$CUBIN" text --exact "$folder/sizes.cubin" > sizes.yaml
for align in 1 0; do
  sed "/name: .nv.constant3$/{n;s/align: 1$/align: $align/}" sizes.yaml > changed.yaml
  "$CUBIN" assemble changed.yaml -o sizes.cubin
  grep -q "align: $align$" <("$CUBIN" text --exact sizes.cubin | grep -A1 'name: .nv.constant3$') ||
    fail "the alignment is not $align"
  "$CULINK" --emulate=nvlink-13.0.88 --check -arch=sm_75 -kernels-used=k4 "$folder/u.cubin" "$folder/v.cubin" sizes.cubin \
    -o "out$align.cubin"
done
cmp out0.cubin out1.cubin
