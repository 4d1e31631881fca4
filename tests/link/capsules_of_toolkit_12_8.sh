#!/usr/bin/env bash
# Mercury code of CUDA 12.8 has capsules of another form, which only an engine can read: it writes them anew, and
# the checker takes that. Machine code links without.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/capsules_of_toolkit_12_8/* .
"$CUBIN" check executable.expected --inputs kernel.cubin > log
expect_contains log "ok"
# A capsule that is not that of its code is found.
cp executable.expected broken.cubin
offset=$("$CUBIN" dump --sections broken.cubin | awk '$NF == ".nv.capmerc.text.k" { print $2 }')
printf '\377' | dd of=broken.cubin bs=1 seek=$((offset)) conv=notrunc status=none
not "$CUBIN" check broken.cubin --inputs kernel.cubin > log
expect_contains log "wrong-mercury"
"$CULINK" -arch=sm_100 --code=sass --check kernel.cubin -o out.cubin
"$CUBIN" dump --all kernel.cubin > dump
expect_contains dump "of an earlier toolkit"

# Who asks for it as it is learns why it cannot be had.
for options in --code=mercury "-r --code=mercury"; do
  # shellcheck disable=SC2086  # several options
  not "$CULINK" -arch=sm_100 $options kernel.cubin -o none.cubin 2> errors
  expect_contains errors "kernel.cubin: has Mercury code in the form of CUDA 12.8" "--code=sass"
done
