#!/usr/bin/env bash
# As frame_of_replaced_copy_is_forgotten, up to sm_89: addresses stand in a .rel table (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded frame_of_replaced_copy_stays_in_rel
