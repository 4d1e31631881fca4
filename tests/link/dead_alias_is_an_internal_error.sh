#!/usr/bin/env bash
# A second name of a live function that nobody uses makes nvlink give up; culink only forgets the
# name (Q053).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded dead_alias_is_an_internal_error
"$CULINK" -arch=sm_75 a.cubin -o out.cubin
"$CUBIN" dump out.cubin > dump
expect_contains dump real
expect_lacks dump other_name
