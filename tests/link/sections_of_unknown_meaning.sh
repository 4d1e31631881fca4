#!/usr/bin/env bash
# Sections whose names mean nothing are joined by name and never left out (Q003, Q058). The objects
# were compiled and then given .foo, .empty, .loaded, .note.other and .nv.constant4.<kernel>.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded sections_of_unknown_meaning
