#!/usr/bin/env bash
# Compiler constants of a copy that lost are appended behind the winner's; the null symbol says where
# those of the block that was placed last are (Q015, Q019, Q040).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded null_symbol_shows_lost_constants
