#!/usr/bin/env bash
# A second name of a live function that nobody uses makes nvlink give up; culink only forgets the
# name (Q053). So does a function of which only the address of the second name is taken.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded dead_alias_is_an_internal_error
"$CULINK" -arch=sm_75 a.cubin -o out.cubin
"$CUBIN" dump out.cubin > dump
expect_contains dump real
expect_lacks dump other_name
"$CULINK" -arch=sm_75 taken.cubin table.cubin -o out.cubin
"$CUBIN" dump out.cubin > dump
expect_contains dump second
# After -r the table names the first function, and the call graph says of the second name alone that its
# address is taken. The pointer stays.
"$CULINK" -arch=sm_75 -r taken.cubin table.cubin -o own-r.cubin
for joined in taken-r.out.cubin own-r.cubin; do
  "$CULINK" --check -arch=sm_75 $joined -o out.cubin
  "$CUBIN" dump --relocs out.cubin > relocs
  expect_contains relocs "target .nv.global.init, count 1"
done
