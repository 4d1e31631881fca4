#!/usr/bin/env bash
# -ghls writes a script for the host's linker, nvlink's where that is installed; no inputs go with it.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need ld

"$CULINK" -ghls lcs-aug > aug
expect_contains aug "SECTIONS" ".nvFatBinSegment : { *(.nvFatBinSegment) }" "__nv_relfatbin" ".nv_fatbin"
"$CULINK" -ghls=lcs-abs -o abs
expect_contains abs "/* Script for" "__executable_start" "__nv_relfatbin"
expect_lacks abs "======"
tail -6 abs | cmp - aug || fail "the script does not end with the addition"
says 1 "takes no input files" -- "$CULINK" -ghls lcs-aug a.o
says 1 "other" -- "$CULINK" -ghls other
mkdir empty
PATH=$WORK/empty not "$CULINK" -ghls lcs-abs -o none 2> log
[ ! -e none ] || fail "a file in spite of the error"
if command -v nvlink > /dev/null; then
  nvlink -ghls lcs-aug -o theirs.aug
  nvlink -ghls lcs-abs -o theirs.abs
  expect_same aug theirs.aug
  expect_same abs theirs.abs
fi
