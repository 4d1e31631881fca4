#!/usr/bin/env bash
# Since 13.3 a record has bits for what code asks of a grid; a kernel of an executable has those of the functions
# that it reaches, too (Q152).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded grid_attributes
"$CULINK" --check -arch=sm_90 caller.cubin reduces.cubin others.cubin -o out.cubin
