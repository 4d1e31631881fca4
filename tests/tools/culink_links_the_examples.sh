#!/usr/bin/env bash
# Every link recorded in examples/links.json comes out byte for byte as nvlink wrote it, which cubin check finds
# sound, and by default differs from that in the linker's own record only.
. "${BASH_SOURCE%/*}/../common.inc.sh"

python3 - "$SOURCE/examples/links.json" > links <<'PY'
import json, sys
for link in json.load(open(sys.argv[1])):
    print(link["folder"], link["arch"], link["output"], " ".join(link["options"]), " ".join(link["inputs"]), sep="|")
PY

count=0
while IFS='|' read -r folder arch output options files; do
  cd "$SOURCE/examples/$folder"
  # nvlink leaves the schedule of this code alone, so it need not be made anew.
  [ "$arch" != sm_100 ] || options+=" --code=mercury"
  read -ra words <<< "-arch=$arch $options $files"
  read -ra inputs <<< "$files"
  "$CULINK" --emulate=nvlink-13.0.88 "${words[@]}" -o "$WORK/$output" 2> /dev/null
  expect_same "$WORK/$output" "$output"
  "$CULINK" "${words[@]}" -o "$WORK/own" 2> /dev/null
  "$CUBIN" verify "$WORK/own" > /dev/null
  ! cmp -s "$WORK/own" "$output" || fail "$folder: the default output does not name culink"
  count=$((count + 1))
  # A relocatable link of our own keeps what nvlink loses. The record has another length, and a segment covers it.
  [ "$output" != relocatable.cubin ] || continue
  "$CUBIN" diff --details --ignore tkinfo --ignore segments "$WORK/own" "$output"
  "$CUBIN" check "$output" --inputs "${inputs[@]}"
done < links
[ "$count" -eq 11 ] || fail "linked $count examples, not 11"
