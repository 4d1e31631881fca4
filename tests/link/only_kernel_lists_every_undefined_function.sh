#!/usr/bin/env bash
# The EXTERNS record of a program's only kernel names every undefined function, the one that was
# read last first; with two kernels each names its own first, then what it reaches (Q025).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded only_kernel_lists_every_undefined_function
