#!/usr/bin/env bash
# Where kernels are selected, nvlink merges blocks of __constant__ data with equal bytes and does not
# move the variables; what it did last shows in the null symbol (Q019, Q050).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded selected_kernels_merge_equal_constants
links_soundly selected_kernels_merge_equal_constants null-symbol "symbol 0 no symbol: value 0x0 vs 0x"
links_soundly selected_kernels_merge_equal_constants merged "symbol 0 no symbol: value 0x0 vs 0x|.nv.constant3"
