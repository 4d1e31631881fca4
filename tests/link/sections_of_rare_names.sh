#!/usr/bin/env bash
# Plain sections whose names are known but that no compiler of today writes are joined like those of
# unknown names (Q058). Sections of types that nobody knows are kept with a warning; nvlink leaves
# them out and says nothing. The objects were compiled and then given these sections.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded sections_of_rare_names
golden=$SOURCE/tests/golden/sections_of_rare_names
"$CULINK" -arch=sm_90 "$golden/left_out.cubin" "$golden/b.cubin" -o out.cubin 2> err
expect_contains err "'.foo' (0x70000099), '.init_array' (0xe)"
"$CUBIN" dump --sections out.cubin > sections
expect_contains sections ".foo" ".init_array"
