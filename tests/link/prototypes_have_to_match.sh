#!/usr/bin/env bash
# Objects that call or define a function have to mean the same prototype; taking its address is not
# compared but changes what later objects are compared with (Q054).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded prototypes_have_to_match
not "$CULINK" -arch=sm_80 calls_int.cubin defines_long.cubin -o out.cubin 2> log
expect_contains log "prototype of 'f' differs: #ii and #ll" "in calls_int.cubin, #ii" \
  "in defines_long.cubin, #ll"
