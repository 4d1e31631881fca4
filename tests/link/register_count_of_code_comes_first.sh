#!/usr/bin/env bash
# Which copy of a weak function has fewer registers is asked of the top byte of its sh_info, and
# only without that of REGCOUNT. In a.cubin that byte was raised from 24 to 100 (Q029).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded register_count_of_code_comes_first
