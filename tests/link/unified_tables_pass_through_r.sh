#!/usr/bin/env bash
# Unified functions and variables keep their tables in a relocatable link, and with them the
# relocations of indirect calls stay; an executable needs an index file (Q067).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded unified_tables_pass_through_r
