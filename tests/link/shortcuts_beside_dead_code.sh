#!/usr/bin/env bash
# Dead code in double precision explains only that an object allows no shortcuts on other chips of the family; objects of
# CUDA 13.2 for sm_120a lack the bit of sm_121 without such code, too.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shortcuts_beside_dead_code --code=mercury
