#!/usr/bin/env bash
# As frame_of_replaced_definition_is_dropped, up to sm_89: addresses stand in a .rel table (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded frame_of_replaced_definition_stays_in_rel

# By default the address of the replaced definition's frame goes away in every table: one frame describes g0.
links_soundly frame_of_replaced_definition_stays_in_rel rel "^(relocs|headers): '.rel.debug_frame'|^segments: "
"$CUBIN" dump --relocs own.cubin > relocs
[ "$(grep -c 'R_CUDA_64 *g0$' relocs)" -eq 1 ] || fail "$(cat relocs)"
"$CUBIN" dump --relocs rel.out.cubin > relocs
[ "$(grep -c 'R_CUDA_64 *g0$' relocs)" -eq 2 ] || fail "$(cat relocs)"
