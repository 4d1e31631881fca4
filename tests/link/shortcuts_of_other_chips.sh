#!/usr/bin/env bash
# Code that nvlink 13.3 and later link for sm_120a and sm_100a allows no shortcuts on sm_121 and sm_103
# (CAN_FASTPATH_FINALIZE), unless all objects say which instructions of tcgen05.mma they have.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shortcuts_of_other_chips --code=mercury
