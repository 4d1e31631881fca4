#!/usr/bin/env bash
# `make uninstall` removes the files that were installed and culink's own folders, and nothing else.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cp "$SOURCE/Makefile" .
expect_status 2 make --no-print-directory uninstall 2> errors
expect_contains errors "nothing was installed"

mkdir -p build/release prefix/bin prefix/include/culink prefix/share/doc/culink/docs
for file in bin/culink "include/culink/a header.h" share/doc/culink/README.md share/doc/culink/docs/culink.md; do
  touch "prefix/$file"
  echo "$WORK/prefix/$file" >> build/release/install_manifest.txt
done
touch prefix/bin/other
expect_status 0 make --no-print-directory uninstall > output
expect_contains output "removed 4 files"
[ "$(find prefix -type f)" = prefix/bin/other ] || fail "left: $(find prefix -type f)"
[ ! -e prefix/include/culink ] || fail "include/culink is left"
[ ! -e prefix/share/doc/culink ] || fail "share/doc/culink is left"
[ -d prefix/include ] || fail "a folder of others is gone"
