#!/usr/bin/env bash
# A shared variable that only removed code mentions takes part in the layout, and its alignment counts
# for all kernels; but not if that code lost against another copy (Q013).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded dead_copies_do_not_mention_shared
