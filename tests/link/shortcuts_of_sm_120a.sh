#!/usr/bin/env bash
# Code that nvlink 13.3 and later link for sm_120a allows no shortcuts on sm_121 (CAN_FASTPATH_FINALIZE), even if it was
# compiled for sm_120.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shortcuts_of_sm_120a --code=mercury
