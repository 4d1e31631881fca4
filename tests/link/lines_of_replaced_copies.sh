#!/usr/bin/env bash
# Lines about a copy of a function that a later one replaced are forgotten where the line table had
# relocations with addends first (Q028).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded lines_of_replaced_copies
