#!/usr/bin/env bash
# `nvcc -ewp` leaves functions inside the code of kernels. Their symbols have one place in the Mercury code and
# another in the SASS. All is as nvlink has it, except for what a finalizer does and the call
# frames of the SASS.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/functions_inside_mercury_code/* .
for code in mercury exact; do
  [ $code = mercury ] || "$CULINK" -arch=sm_100 --code=exact whole.cubin -o out.cubin 2> log || break # no finalizer
  "$CULINK" -arch=sm_100 --code=$code --check whole.cubin -o out.cubin
  "$CULINK" -arch=sm_100 --code=$code --check -r whole.cubin -o out.cubin
done
for link in executable relocatable; do
  # shellcheck disable=SC2046  # several options
  "$CULINK" --emulate=nvlink-13.0.88 --code=mercury $(sed -n "s/^$link //p" links) -o out.cubin
  not "$CUBIN" diff --all out.cubin $link.expected > different
  not grep -vE "debug_frame|^code: '.text|^(layout|segments|strings): |differences$" different
done
