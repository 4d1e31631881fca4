#!/usr/bin/env bash
# Weak definitions with branch tables in constant memory (Q040): tables of a discarded definition follow
# those of the prevailing one and point into its code, and nvlink clears the tables of a definition that
# replaces an earlier one. Compiler constants count from 1 in each object (Q103).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded branch_tables_of_weak_definitions --code=mercury

# On its own, culink leaves the branch table of the prevailing definition as it is.
"$CULINK" -arch=sm_100 --code=mercury large.cubin small.cubin -o own.cubin
"$CULINK" -arch=sm_100 --code=mercury small.cubin -o alone.cubin
for file in own alone; do
  "$CUBIN" dump --hex .nv.constant2.calls_small -- $file.cubin | grep -o "bytes .*" > $file.table
done
expect_same alone.table own.table

# Relocatable links of nvlink leave both labels of a word that two definitions have, and no offset in the machine
# code: without a finalizer nobody can link that.
for code in mercury sass; do
  not "$CULINK" -arch=sm_100 --code=$code mixed.out.cubin -o out.cubin > log 2>&1
  expect_contains log "branch tables of two definitions are mixed up"
done
"$CULINK" -arch=sm_100 -r --code=mercury wide.cubin small.cubin -o sound.cubin
for code in mercury sass; do
  "$CULINK" -arch=sm_100 --code=$code sound.cubin -o own.cubin
  "$CUBIN" dump --hex .nv.constant2.calls_small -- own.cubin | grep -o "bytes .*" > own.table
  expect_same alone.table own.table
done
