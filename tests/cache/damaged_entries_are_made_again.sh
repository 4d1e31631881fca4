#!/usr/bin/env bash
# An entry is checked when it is read: bits that changed, ends that are missing, the file of another
# question, or something that is no file. Each is as if it were not there, and is replaced.
. "${BASH_SOURCE%/*}/watched_compiler.inc"
need python3

link out.cubin --cache-dir=cache
# One of them is the digest of the compiler if that is old enough, and two are objects.
mapfile -t entries < <(find cache -type f -size +2k -name '????????????????????????????????*' | sort)
[ ${#entries[@]} -eq 2 ] || fail "${#entries[@]} entries instead of 2"
expect_compiled 2

again() { # COUNT WHAT
  link out.cubin --cache-dir=cache 2> err || fail "$2: $(cat err)"
  expect_right out.cubin
  expect_compiled "$1"
  link out.cubin --cache-dir=cache
  expect_compiled 0
}
flip() { # FILE OFFSET
  python3 - "$1" "$2" << 'END'
import sys
with open(sys.argv[1], "r+b") as file:
    at = int(sys.argv[2])
    file.seek(at, 2 if at < 0 else 0)
    byte = file.read(1)[0]
    file.seek(-1, 1)
    file.write(bytes([byte ^ 16]))
END
}
# The mark, both sizes, the key, the checksum, the contents.
for at in 0 7 8 15 16 23 24 55 56 87 88 500 1500 -1; do
  flip "${entries[0]}" "$at"
  again 1 "bit at $at"
done
truncate -s -1 "${entries[0]}"; again 1 "cut"
truncate -s 40 "${entries[0]}"; again 1 "half a header"
: > "${entries[0]}"; again 1 "empty"
echo more >> "${entries[1]}"; again 1 "longer"
mv "${entries[0]}" x && mv "${entries[1]}" "${entries[0]}" && mv x "${entries[1]}"; again 2 "exchanged"
mv "${entries[0]}" x && ln -s "$PWD/x" "${entries[0]}"; again 1 "a link"
rm "${entries[0]}" && mkfifo "${entries[0]}"; again 1 "a pipe"

# Something that cannot be replaced costs a compilation each time, and nothing else.
rm "${entries[0]}" && mkdir "${entries[0]}"
link out.cubin --cache-dir=cache 2> err
expect_right out.cubin
expect_compiled 1
