#!/usr/bin/env bash
# Relocatable links of objects for sm_100, and lists of what was resolved. Code that names a texture
# keeps its relocation, a constant that nobody defines has a bank, the compiler's constants have names
# of their own (Q103); lists name shared memory alone (Q105).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded mercury_code_links_again --code=mercury

# On its own, culink loses nothing that the next link needs.
"$CULINK" -arch=sm_100 --code=mercury -r main.cubin other.cubin -o own.cubin
"$CUBIN" verify own.cubin > /dev/null
"$CUBIN" dump --relocs own.cubin > relocs
expect_contains relocs "outside"
expect_contains relocs "board"
