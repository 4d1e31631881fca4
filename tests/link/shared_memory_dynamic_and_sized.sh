#!/usr/bin/env bash
# A name that is dynamic shared memory in one file and of a fixed size in a later one is never placed,
# but counts twice among the variables that are sorted (Q012, Q041).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_memory_dynamic_and_sized
