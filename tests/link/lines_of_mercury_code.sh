#!/usr/bin/env bash
# Objects for sm_100 compiled with -lineinfo. The line table of inlined functions says where the
# names are: only the Mercury form has a relocation for that, the machine form gets the value, too.
# Line tables about no code are the same bytes in both halves.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded lines_of_mercury_code --code=mercury
