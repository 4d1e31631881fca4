#!/usr/bin/env bash
# A later copy of a weak function, compiled for a newer target, replaces an earlier one. Both have a
# call frame: the first one gets what both say, the second is left as it is in Mercury code (Q106).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded frames_of_weak_copies --code=mercury
