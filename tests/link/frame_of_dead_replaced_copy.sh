#!/usr/bin/env bash
# Of a weak function that is removed, the size in .debug_frame is cleared for the last copy that was
# accepted; for replaced copies only if they had no relocations (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded frame_of_dead_replaced_copy

# By default it is cleared for all.
links_soundly frame_of_dead_replaced_copy rel "^debug: '.debug_frame': bytes differ"
