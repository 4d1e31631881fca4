#!/usr/bin/env bash
# ptxas leaves relocations of .debug_loc against local labels that have neither type nor location. They
# are resolved with the value of symbol 0 (Q019), and --preserve-relocs lists them without a symbol
# (Q056). In a.cubin one was added to .debug_frame.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded labels_are_listed_without_symbol
# The value of symbol 0 is 0 by default, and so are the fields that labels fill.
links_soundly labels_are_listed_without_symbol selected "symbol 0 no symbol: value 0x0 vs 0xc|debug_frame"
