#!/usr/bin/env bash
# With -g the symbol of dynamic shared memory has one value for all kernels that use it; kernels that
# are connected through such symbols all agree on the largest (Q020 for -r).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded dynamic_memory_agrees_with_debug
