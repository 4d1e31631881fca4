#!/usr/bin/env bash
# That the address of a function is taken is not heard from an object whose copy of the function
# lost, unless code that stays takes it there (Q026).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded address_of_lost_copy_is_not_taken
