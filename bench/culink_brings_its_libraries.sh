#!/usr/bin/env bash
# The loader's work for shared C++ libraries takes longer than a small link, so a culink that is
# built to start quickly has copies of its own.
. "${BASH_SOURCE%/*}/../tests/common.inc.sh"

need readelf
readelf --dynamic --wide "$CULINK" > dynamic
expect_contains dynamic NEEDED
grep NEEDED dynamic > needed
expect_lacks needed libstdc++ libgcc_s libfmt
