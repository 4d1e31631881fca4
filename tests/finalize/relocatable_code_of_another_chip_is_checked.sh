#!/usr/bin/env bash
# nvlink -r makes code of sm_120 anew for sm_121, and that of sm_100 for sm_103. It stores offsets in banks of constants
# that the next link stores again, and with -g it adds instructions, behind which tables of branches have other values;
# --check knows all of that, and still sees other bytes. The engine gives the answers that nvlink 13.0.88 gave with -r and
# with -r -g.
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

# Tables of branches behind which instructions were added; then one that leads elsewhere.
golden=$SOURCE/tests/golden/branches_of_moved_code
ANSWER="$golden/tables.answer" "$CULINK" -arch=sm_103 -r -g --code=exact --check --finalizer="$PWD/nvlink" "$golden/tables.cubin" -o out.cubin
offset=$("$CUBIN" dump --sections out.cubin | awk '$NF == ".nv.constant2.k" { print $2 }')
printf '\x10' | dd of=out.cubin bs=1 seek=$((offset + 4)) conv=notrunc status=none
not "$CUBIN" check out.cubin --inputs "$golden/tables.cubin" > told
expect_contains told "wrong-bytes: k in .nv.constant2.k"
