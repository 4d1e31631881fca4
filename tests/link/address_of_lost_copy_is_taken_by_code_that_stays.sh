#!/usr/bin/env bash
# The other half of address_of_lost_copy_is_not_taken: a kernel takes the address (Q026).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded address_of_lost_copy_is_taken_by_code_that_stays
