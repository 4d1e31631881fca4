#!/usr/bin/env bash
# Plain sections whose names are known but that no compiler of today writes are joined like those of
# unknown names (Q058). A section of a type that no link carries is left out with a warning; nvlink
# says nothing. The objects were compiled and then given these sections.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded sections_of_rare_names
golden=$SOURCE/tests/golden/sections_of_rare_names
"$CULINK" -arch=sm_90 "$golden/left_out.cubin" "$golden/b.cubin" -o out.cubin 2> err
expect_contains err "section '.foo' of type 0x70000099 is not carried into the output"
expect_contains err "section '.init_array' of type"
