#!/usr/bin/env bash
# Capsules of CUDA 12.8 do not tell where instructions are, so that --check compares the operations of the
# code to see whether an engine has added some. The object is branches.cu, compiled by ptxas 12.8; the engine
# gives the answer that nvlink 13.0.88 gave with -g.
. "${BASH_SOURCE%/*}/../common.inc.sh"
make_answering_nvlink
link() { "$CULINK" -arch=sm_100 -g --code=exact --check --finalizer="$PWD/nvlink" "$SOURCE/tests/finalize/older.cubin" -o out.cubin; }
ANSWER="$SOURCE/tests/finalize/older.answer" link

# In code to which nothing was added, every byte counts.
offset=$("$CUBIN" dump --sections "$SOURCE/tests/finalize/older.answer" | awk '$NF == ".text._Z5firsti" { print $2 }')
cp "$SOURCE/tests/finalize/older.answer" broken
chmod +w broken
printf '\x01' | dd of=broken bs=1 seek=$((offset + 4)) conv=notrunc status=none
export ANSWER=$PWD/broken
expect_status 1 link 2> told
expect_contains told "wrong-bytes" "_Z5firsti"
