#!/usr/bin/env bash
# A weak definition that is read after a common symbol is lost: nvlink ends with an internal error or
# crashes, and with -r the symbol has no place. Since 13.3 that goes for definitions without initial
# values, too (Q057). By default the definition prevails.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded weak_definitions_after_commons
for weak in zeroed initialised neighbour; do
  not "$CULINK" --emulate=nvlink-13.4.92 --error-format=nvlink -arch=sm_90 common.cubin $weak.cubin -o out.cubin 2> log
  expect_contains log "nvlink fatal   : Internal error: reference to deleted section"
  for mode in "" -r; do
    # shellcheck disable=SC2086  # none or one
    "$CULINK" --check $mode -arch=sm_90 common.cubin $weak.cubin -o out.cubin
    "$CUBIN" dump --symbols out.cubin > symbols
    grep -qE 'WEAK .* v$' symbols || fail "the weak definition does not prevail: $(cat symbols)"
  done
done
