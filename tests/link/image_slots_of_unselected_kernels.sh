#!/usr/bin/env bash
# Kernels that stay without having been selected, for sm_100: sections for their images are created
# before those for their shared memory (Q052), and not at all if one kernel was selected (Q016).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded image_slots_of_unselected_kernels --code=mercury
