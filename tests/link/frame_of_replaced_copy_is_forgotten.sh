#!/usr/bin/env bash
# Relocations of .debug_frame about a replaced copy of a function go away only where they stand in a
# .rela table and one of the replaced copies had a .rela table itself (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded frame_of_replaced_copy_is_forgotten
