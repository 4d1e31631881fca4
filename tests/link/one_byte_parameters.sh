#!/usr/bin/env bash
# To nvlink, an earlier parameter of one byte agrees with a later one of any size. culink refuses both
# orders, because the function would read bytes that its caller does not write (Q141).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded one_byte_parameters
for files in "calls_1.cubin defines_5.cubin" "defines_5.cubin calls_1.cubin"; do
  # shellcheck disable=SC2086  # two files
  not "$CULINK" -arch=sm_80 $files -o out.cubin 2> log
  expect_contains log "prototype of 'f' differs" "#vb1" "#vb5"
done
