#!/usr/bin/env bash
# Compiler constants of a discarded definition follow those of the prevailing one; under --emulate the
# null symbol has the offset of those that were placed last (Q015, Q019, Q040). By default it is zero,
# as it has to be.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded null_symbol_shows_discarded_constants
for label in two two-swapped behind-prevailing debug; do
  not "$CUBIN" verify "$label.out.cubin" > found
  expect_contains found "symbol-null"
  links_soundly null_symbol_shows_discarded_constants "$label" "symbol 0 no symbol: value 0x0 vs 0x"
done

# Where nvlink -r gives up, culink by itself leaves nothing of the replaced definition.
"$CULINK" -arch=sm_80 -r g1.cubin f0.cubin -o own.cubin
"$CUBIN" verify own.cubin > /dev/null
"$CULINK" -arch=sm_80 own.cubin -o again.cubin
"$CUBIN" dump --symbols own.cubin > symbols
expect_lacks symbols "const_opt"
