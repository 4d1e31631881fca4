#!/usr/bin/env bash
# A program's only kernel keeps its SPARSE_MMA_MASK if every function has one. As soon as a function
# is undefined or has been removed, it gets the masks of all others (Q018). It gets no count of barriers
# in memory that is 0, unlike one of several kernels (Q017).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded records_of_the_only_kernel
