#!/usr/bin/env bash
# A file with both forms of the code has .debug_ranges, .debug_aranges and tables of registers that are the
# same on both planes once (Q179).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded debug_tables_of_mercury_code
