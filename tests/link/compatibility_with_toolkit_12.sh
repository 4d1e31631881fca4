#!/usr/bin/env bash
# Machine code for sm_100 of ptxas 12.9 does not say which version of Mercury code it was made from. Since nvlink
# 13.3 the record has its place before those that this release adds, but it is there only if another object
# has it (Q151). The objects are what ptxas 12.9, 13.0 and 13.3 made of a kernel and a function, without
# their Mercury code.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded compatibility_with_toolkit_12
