#!/usr/bin/env bash
# nvlink drops relocations of lines about a definition that a later one replaced only where the line table
# had relocations with addends first (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded lines_of_replaced_definitions

# By default they are dropped from all tables, so that the lines of one definition describe the code.
for label in rela-first rel-first; do
  # shellcheck disable=SC2046  # several options
  "$CULINK" $(sed -n "s/^$label //p" "$SOURCE/tests/golden/lines_of_replaced_definitions/links") -o own.cubin
  "$CUBIN" dump --relocs own.cubin > relocs # in two line tables and the call frames
  [ "$(grep -c 'R_CUDA_64 *copy$' relocs)" -eq 3 ] || fail "$label: $(cat relocs)"
done
