#!/usr/bin/env bash
# Behind reserved shared memory stands a variable with a large alignment. What nvlink leaves in the
# file for that memory then depends on the size of everything before it (Q102).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded unused_bytes_of_reserved_memory --code=mercury
