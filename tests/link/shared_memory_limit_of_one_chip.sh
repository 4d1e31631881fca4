#!/usr/bin/env bash
# Targets for one chip (sm_90a) let a kernel have as much shared memory as a launch could ask for.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_memory_limit_of_one_chip
