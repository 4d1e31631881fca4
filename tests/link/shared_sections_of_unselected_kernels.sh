#!/usr/bin/env bash
# Kernels that were not selected but stay get their shared sections when dynamic memory is laid out,
# in order of the kernels, not of the variables (Q052).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_sections_of_unselected_kernels
