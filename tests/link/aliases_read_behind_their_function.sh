#!/usr/bin/env bash
# Code belongs to the alias that is read first. Where a name that nobody has heard of lets the function
# go first, later aliases change nothing (Q043).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded aliases_read_behind_their_function
