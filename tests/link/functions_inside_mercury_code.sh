#!/usr/bin/env bash
# `nvcc -ewp` leaves functions inside the code of kernels. Their symbols have one place in the Mercury code and
# another in the SASS, and so have their call frames. All is as nvlink has it, except for the schedule that a
# finalizer makes for -r.
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
  "$CUBIN" diff --details --all out.cubin $link.expected > different || true
  not grep -vE "^code: '.text|differences?$" different
done
addresses_of() { "$CUBIN" dump --relocs "$1" | grep -A4 '\.rela\.debug_frame ' | grep R_CUDA_64 | sort; }
addresses_of executable.expected > expected

# The address in the frame of the function stays where it is with -r, too (Q106).
"$CULINK" -arch=sm_100 --code=mercury -r whole.cubin -o out.cubin
addresses_of out.cubin > found
expect_contains found "0xa0 "
expect_same found expected
