#!/usr/bin/env bash
# Every document that docs/text-format.md shows assembles to a file that can be read.
. "${BASH_SOURCE%/*}/../common.inc.sh"

awk '/^```yaml$/ { n++; inside = 1; next } /^```$/ { inside = 0 }
     inside { print > ("document" n ".yaml") }' "$SOURCE/docs/text-format.md"
count=0
for document in document*.yaml; do
  "$CUBIN" assemble "$document" -o out.cubin
  says 0 .text. -- "$CUBIN" dump out.cubin
  count=$((count + 1))
done
[ "$count" -ge 3 ] || fail "only $count documents found"
