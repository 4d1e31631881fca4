#!/usr/bin/env bash
# Common symbols beside each other, beside definitions with and without initial values, and beside
# declarations (Q057).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded common_symbols
# culink's own -r does not decide what the next link may still decide.
"$CULINK" -arch=sm_80 -r c16.cubin -o part.cubin
"$CUBIN" dump --symbols part.cubin > dump
grep -qE 'COMMON +x$' dump || fail "x is not common any more"
"$CULINK" -arch=sm_80 part.cubin i32.cubin -o out.cubin
"$CUBIN" verify part.cubin out.cubin
# It keeps the size.
"$CUBIN" text --exact part.cubin | sed 's/\(name: x, .*\)size: 0x10/\1size: 0/' > broken.yaml
"$CUBIN" assemble broken.yaml -o broken.cubin
"$CUBIN" check part.cubin --inputs c16.cubin
not "$CUBIN" check broken.cubin --inputs c16.cubin > log
expect_contains log "wrong-symbol: x: expected size 0x10"
