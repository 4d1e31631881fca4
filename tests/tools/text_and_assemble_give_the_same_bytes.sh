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

expect_same "$last" <("$CUBIN" text --exact - < "$last" | "$CUBIN" assemble - -o -)

# Broken files too: a cut-off one, and one with a byte of its section table changed.
head -c 3000 "$last" > cut.cubin
edit_elf "$last" changed.cubin "file.data[file.header_table + 70] ^= 1"
for file in cut changed; do
  "$CUBIN" text --exact $file.cubin | assemble back
  expect_same $file.cubin back.cubin
done
