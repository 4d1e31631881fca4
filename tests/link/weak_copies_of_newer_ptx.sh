#!/usr/bin/env bash
# Among weak copies with equal register counts, one of newer PTX than the first of all replaces what
# was there, even if that is as new (Q055).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded weak_copies_of_newer_ptx
