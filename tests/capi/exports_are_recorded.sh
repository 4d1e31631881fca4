#!/usr/bin/env bash
# libculink.so exports the functions that culink.h declares, each with the version that it was first
# released with, and nothing else: no C++, nothing of libraries inside. The record is symbols.txt;
# a line in it never changes.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nm readelf
build=${CULINK_BUILD:-$SOURCE/build/release}
library=$build/lib/libculink.so
[ -e "$library" ] || skip "no shared library in this build"

nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort > exported
sort "$SOURCE/tests/capi/symbols.txt" > recorded
diff recorded exported || fail "exports other functions than tests/capi/symbols.txt lists"
grep -o '^CULINK_API [^;]*' "$SOURCE/include/culink.h" | grep -o 'culink_[a-z_]*(' | tr -d '(' |
  sort > declared
sed 's/@@.*//' recorded | sort > names
expect_same declared names
readelf -d "$library" > dynamic
expect_contains dynamic "Library soname: [libculink.so.0]"
# What a program has beside it does not matter.
if grep -q '^CULINK_SELF_CONTAINED:BOOL=ON' "$build/CMakeCache.txt"; then
  expect_lacks dynamic libfmt libyaml libstdc++ libzstd
fi
