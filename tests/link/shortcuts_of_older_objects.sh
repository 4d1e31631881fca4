#!/usr/bin/env bash
# Since CUDA 13.3 finalized code allows all shortcuts that instructions take away, but not that of sm_121, which objects of
# CUDA 13.2 for sm_120a lack.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shortcuts_of_older_objects --code=mercury
