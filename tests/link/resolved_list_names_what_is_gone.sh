#!/usr/bin/env bash
# -preserve-relocs lists relocations that were resolved. One of filter.cubin was changed to mention
# a section of shared variables that an executable does not have: nothing is left to name, and the
# link is refused, as nvlink refuses it; without --emulate for the relocation itself, which no
# compiler writes.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded resolved_list_names_what_is_gone
golden=$SOURCE/tests/golden/resolved_list_names_what_is_gone
link() {
  not "$CULINK" -arch=sm_80 -preserve-relocs "$@" "$golden/main.cubin" "$golden/filter.cubin" \
    -o out 2> err
}
link --emulate=nvlink-13.0.88
expect_contains err "relocation against '.nv_debug.shared', which is not part of the output" \
  "listed in .nv.resolvedrela.text._Z9block_sumf at 0x50"
link
expect_contains err "filter.cubin: relocation R_CUDA_ABS24_40 at .text._Z9block_sumf+0x50"
