#!/usr/bin/env bash
# Functions that the driver provides stay undefined; there is no rule behind their names. A program
# may define one itself: the definition is an entry point unless there is a single kernel, gets the
# sections of a kernel, and what calls say about the driver's registers is not compared (Q140).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded driver_functions
expect_status 255 "$CULINK" -arch=sm_90 stranger_cudaEventRecordWithFlags.cubin -o out.cubin > log 2>&1
expect_lacks log -lcudadevrt
"$CULINK" -arch=sm_90 defines.cubin calls.cubin -o out.cubin
"$CUBIN" verify out.cubin
"$CUBIN" usage out.cubin > usage
expect_contains usage "function" malloc helper
"$CULINK" -arch=sm_90 --why-live=helper defines.cubin -o out.cubin > log 2>&1
expect_contains log "function that the driver knows by name: malloc" "calls helper"
# The caller keeps values where a definition with many registers may change them (Q143).
"$CULINK" -arch=sm_90 calls.cubin defines_large.cubin -o out.cubin
not "$CULINK" -arch=sm_90 calls_large.cubin defines_large.cubin -o large.cubin 2> log
expect_contains log "'malloc' changes registers that its callers rely on" ">>> called in calls_large.cubin" \
  ">>> defined in defines_large.cubin"
[ ! -e large.cubin ] || fail "wrote a program that loses values"
