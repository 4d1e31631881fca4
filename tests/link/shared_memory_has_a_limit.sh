#!/usr/bin/env bash
# Shared memory of a kernel and all it calls must not be larger than 48 KiB, except with -r.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_memory_has_a_limit
