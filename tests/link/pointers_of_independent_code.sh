#!/usr/bin/env bash
# nvlink loses pointers of position-independent code to a weak variable whose definition was discarded (Q045).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded pointers_of_independent_code
