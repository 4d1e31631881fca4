#!/usr/bin/env bash
# A number of a function has one name: conditions, orders, CSV, the schema of the JSON and the document take
# it from one table of the source, so that a new row there is all that a new number needs.
. "${BASH_SOURCE%/*}/../common.inc.sh"

linked=$SOURCE/examples/vector_math/sm_90/linked.cubin
expect_status 2 "$CUBIN" usage --where=none=1 "$linked" 2> names
facts=$(sed 's/.*there are kind, //; s/, constantN//; s/, limited_by.*//; s/,//g' names)
[ "$(wc -w <<< "$facts")" -ge 15 ] || fail "few facts: $facts"
source_of_facts=$(sed -n '/kFunctionFacts{{/,/^}}/p' "$SOURCE/src/inspect/reader/usage.cc")
for fact in $facts; do
  "$CUBIN" usage --block-size=128 --where="$fact>=0" --sort="$fact" --csv "$linked" > rows
  head -1 rows | grep -q "registers" || fail "no table with $fact"
  grep -q "\"$fact\"" "$SOURCE/docs/schemas/cubin-usage.json" || fail "the schema has no $fact"
  grep -q "\`$fact\`\|\b$fact\b" "$SOURCE/docs/cubin.md" || fail "docs/cubin.md has no $fact"
  case $fact in blocks | warps | occupancy) continue ;; esac # of a launch, not of a function
  grep -q "{\"$fact\"," <<< "$source_of_facts" || fail "$fact is not in the table of facts"
done
