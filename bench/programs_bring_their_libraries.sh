#!/usr/bin/env bash
# The loader's work for shared C++ libraries takes longer than a small link, so programs that are
# built to start quickly have copies of their own. They also run where none are installed.
. "${BASH_SOURCE%/*}/../tests/common.inc.sh"

need readelf
for program in "$CULINK" "$CUBIN"; do
  readelf --dynamic --wide "$program" > dynamic
  expect_contains dynamic NEEDED
  grep NEEDED dynamic > needed
  expect_lacks needed libstdc++ libgcc_s libfmt libyaml
done
