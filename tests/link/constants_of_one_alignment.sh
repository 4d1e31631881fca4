#!/usr/bin/env bash
# The constants of a function lie at one place in the banks of all kernels that reach it. The banks
# have one alignment then, and end there (Q015).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded constants_of_one_alignment
