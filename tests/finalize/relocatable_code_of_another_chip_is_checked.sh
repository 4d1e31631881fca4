#!/usr/bin/env bash
# nvlink -r makes code of sm_120 anew for sm_121. It stores offsets in banks of constants that the next
# link stores again, and with -g it adds instructions; --check knows both, and still sees other bytes.
# The engine gives the answers that nvlink 13.0.88 gave with -r and with -r -g.
. "${BASH_SOURCE%/*}/../common.inc.sh"
make_answering_nvlink
link() { "$CULINK" -arch=sm_121 -r --code=exact --check --finalizer="$PWD/nvlink" "$@" "$SOURCE/tests/finalize/branches.cubin" -o out.cubin; }

ANSWER="$SOURCE/tests/finalize/branches.answer" link
ANSWER="$SOURCE/tests/finalize/branches_debug.answer" link -g

# The first instruction of a function is another one.
offset=$("$CUBIN" dump --sections "$SOURCE/tests/finalize/branches.answer" | awk '$NF == ".text._Z5firsti" { print $2 }')
cp "$SOURCE/tests/finalize/branches.answer" broken
chmod +w broken
printf '\x01' | dd of=broken bs=1 seek=$((offset + 4)) conv=notrunc status=none
export ANSWER=$PWD/broken
expect_status 1 link 2> told
expect_contains told "wrong-bytes" "_Z5firsti"
