#!/usr/bin/env bash
# Unified functions and variables keep their tables in a relocatable link, and with them the
# relocations of indirect calls stay; an executable needs an index file (Q067).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded unified_tables_pass_through_r
# nvlink loses the mark of a function that an earlier file calls (Q132).
"$CULINK" -arch=sm_90 -r c.cubin a.cubin -o out.cubin
"$CUBIN" text --exact out.cubin > text
grep "name: twice, type: FUNC" text > symbol
expect_contains symbol "managed"
