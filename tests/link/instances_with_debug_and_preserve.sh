#!/usr/bin/env bash
# Instances of dynamic shared memory that nvlink -r made are deleted in the next link. With -g and
# --preserve-relocs they stay if .nv_debug.shared has a size, and are listed if it has slots (Q014).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded instances_with_debug_and_preserve
