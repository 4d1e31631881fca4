#!/usr/bin/env bash
# The size of a call frame in .debug_frame is 0 if its weak function is removed. nvlink clears that of a
# definition that a later one replaced only if its code had no relocations (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded frame_of_dead_replaced_definition

# By default it is cleared for all.
links_soundly frame_of_dead_replaced_definition rel "^debug: '.debug_frame': bytes differ"
