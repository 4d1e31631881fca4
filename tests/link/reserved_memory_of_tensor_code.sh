#!/usr/bin/env bash
# Code that allocates tensor memory has so much shared memory reserved on sm_110a that nvlink leaves
# the headers of two sections in the file for it (Q102).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded reserved_memory_of_tensor_code --code=mercury
