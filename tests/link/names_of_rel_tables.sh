#!/usr/bin/env bash
# A .rela table leaves the name of a .rel table in the string tables up to 13.4; 13.5 has no such
# names (Q004) and is otherwise like 13.4.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/driver_functions/calls.cubin .
"$CULINK" --emulate=nvlink-13.4.92 -arch=sm_90 calls.cubin -o before.cubin
"$CULINK" --emulate=nvlink-13.5.37 -arch=sm_90 calls.cubin -o now.cubin
"$CUBIN" diff --details --all --ignore=tkinfo --ignore=layout before.cubin now.cubin > differences || true
expect_contains differences "toolkit 134 vs 135" "only in the first file: '.rel.debug_frame'"
grep -vE "^notes:|only in the first file: '\.rel\.|^segments:| differences?$" differences > others || true
[ ! -s others ] || fail "more than names of tables differs: $(cat others)"
