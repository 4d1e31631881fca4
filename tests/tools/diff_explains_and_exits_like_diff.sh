#!/usr/bin/env bash
# cubin diff: 0 for the same, 1 for a difference, told in words, 2 for trouble.
. "${BASH_SOURCE%/*}/../common.inc.sh"
first=$SOURCE/examples/vector_math/sm_90/linked.cubin
second=$SOURCE/examples/vector_math/sm_90/relocatable.cubin

"$CUBIN" diff "$first" "$first" > same
[ ! -s same ] || fail "differences between equal files"
expect_status 1 "$CUBIN" diff "$first" "$second" > told
expect_contains told "header: ELF header: type 0x2 vs 0x1" "only in the second file" " differences"
expect_status 1 "$CUBIN" diff -q "$first" "$second" > quiet
[ ! -s quiet ] || fail "output in spite of --quiet"
expect_status 1 "$CUBIN" diff --limit=1 "$first" "$second" > limited
expect_contains limited "more differences in symbols (--all shows all)"
expect_status 1 "$CUBIN" diff --json "$first" "$second" > json
expect_contains json '"same": false' '"topic": "header"'

cp "$first" other.cubin
printf 'X' | dd of=other.cubin bs=1 seek=$((0xb20 + 50)) conv=notrunc status=none # in a tool's name
expect_status 1 "$CUBIN" diff "$first" other.cubin > told
expect_contains told "tkinfo: '.note.nv.tkinfo': field tool of note 0"
"$CUBIN" diff --ignore=tkinfo "$first" other.cubin > ignored
[ ! -s ignored ] || fail "the ignored topic is told"

expect_status 2 "$CUBIN" diff "$first" missing.cubin 2> errors
expect_contains errors "missing.cubin"
expect_status 2 "$CUBIN" diff --ignore=nonsense "$first" "$first" 2> errors
expect_contains errors "nonsense not in {header,functions,"
expect_status 2 "$CUBIN" diff "$first" 2> errors
