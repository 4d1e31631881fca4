#!/usr/bin/env bash
# Every shipped cubin survives `cubin text --exact` and `cubin assemble`, also through pipes.
. "${BASH_SOURCE%/*}/../common.inc.sh"

count=0
while IFS= read -r file; do
  "$CUBIN" text --exact "$file" -o text.yaml
  "$CUBIN" assemble text.yaml -o back.cubin
  expect_same "$file" back.cubin
  count=$((count + 1))
  last=$file
done < <(find "$SOURCE/examples" -name '*.cubin')
[ "$count" -gt 20 ] || fail "only $count examples"

"$CUBIN" text --exact - < "$last" | "$CUBIN" assemble - -o - > piped.cubin
expect_same "$last" piped.cubin

# Broken files too: a cut-off one, and one with a byte of its section table changed.
head -c 3000 "$last" > cut.cubin
"$CUBIN" text --exact cut.cubin | "$CUBIN" assemble - -o back.cubin
expect_same cut.cubin back.cubin
