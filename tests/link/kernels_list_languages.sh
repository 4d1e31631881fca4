#!/usr/bin/env bash
# Since 13.2 a record says in which languages a function was written; a kernel of an executable lists
# those of the functions that it reaches, too (Q152). old.cubin and only.cubin are of ptxas 13.0, which
# does not write the record: kernels that call `between`, one of them beside a kernel that calls nothing.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded kernels_list_languages
