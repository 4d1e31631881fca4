#!/usr/bin/env bash
# Every link recorded in examples/links.json comes out byte for byte as nvlink wrote it, and by
# default differs from that in the linker's own record only.
. "${BASH_SOURCE%/*}/../common.inc.sh"

# One line per link: folder, target, output, options, --, inputs.
python3 - "$SOURCE/examples/links.json" > links <<'PY'
import json, sys
for link in json.load(open(sys.argv[1])):
    print(link["folder"], link["arch"], link["output"], *link["options"], "--", *link["inputs"])
PY

count=0
while read -r -a words; do
  folder=${words[0]} arch=${words[1]} output=${words[2]}
  options=() inputs=()
  for ((i = 3; i < ${#words[@]}; i++)); do
    [ "${words[i]}" = -- ] && break
    options+=("${words[i]}")
  done
  inputs=("${words[@]:i + 1}")
  # nvlink leaves the schedule of this code alone, so it need not be made anew.
  [ "$arch" != sm_100 ] || options+=(--code=mercury)
  (cd "$SOURCE/examples/$folder" &&
    "$CULINK" --emulate=nvlink-13.0.88 -arch="$arch" "${options[@]}" "${inputs[@]}" \
      -o "$WORK/$output" 2> /dev/null)
  expect_same "$output" "$SOURCE/examples/$folder/$output"

  (cd "$SOURCE/examples/$folder" &&
    "$CULINK" -arch="$arch" "${options[@]}" "${inputs[@]}" -o "$WORK/own" 2> /dev/null)
  "$CUBIN" verify own > /dev/null
  ! cmp -s own "$output" || fail "$folder: the default output does not name culink"
  # The record has another length, and a segment covers it. A relocatable link of our own keeps
  # what nvlink loses.
  [ "$output" = relocatable.cubin ] ||
    "$CUBIN" diff --details --ignore tkinfo --ignore segments own "$output" > difference || fail "$(cat difference)"
  count=$((count + 1))
done < links
[ "$count" -eq 11 ] || fail "linked $count examples, not 11"
