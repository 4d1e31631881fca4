#!/usr/bin/env bash
# Where kernels are selected and the __constant__ bank is too large, variables that nothing uses go
# away and the others are packed (Q051).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded selected_kernels_pack_constants
