#!/usr/bin/env bash
# -preserve-relocs lists relocations that were resolved. One of filter.cubin was changed to mention
# a section of shared variables that an executable does not have: nothing is left to name, and the
# link is refused, as nvlink refuses it.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded resolved_list_names_what_is_gone
golden=$SOURCE/tests/golden/resolved_list_names_what_is_gone
not "$CULINK" -arch=sm_80 -preserve-relocs "$golden/main.cubin" "$golden/filter.cubin" -o out 2> err
expect_contains err "relocation against '.nv_debug.shared', which is not part of the output" \
  "listed in .nv.resolvedrela.text._Z9block_sumf at 0x50"
