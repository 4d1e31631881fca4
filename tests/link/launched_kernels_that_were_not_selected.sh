#!/usr/bin/env bash
# A kernel that -kernels-used did not name but whose address is taken stays; it counts as a kernel
# unless exactly one was selected (Q052).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded launched_kernels_that_were_not_selected
