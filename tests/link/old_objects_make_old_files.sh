#!/usr/bin/env bash
# Objects of toolkits before 13 alone make a file of their release, which drivers of that time load: ABI
# 7, the toolkit in e_version, no notes, barriers in the flags of code. --dialect=13.0 chooses the later
# form; one object of toolkit 13 does, too.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/objects_of_toolkit_11/*.cubin .
header() { "$CUBIN" dump --header "$1" | awk '{$1 = $1} 1'; }

"$CULINK" --check -arch=sm_75 main.cubin half.cubin -o own.cubin
"$CUBIN" verify own.cubin
header own.cubin > header
expect_contains header 'ABI version 7'
expect_contains header 'version 118'
expect_contains header 'virtual sm 75'
"$CUBIN" dump --sections own.cubin | awk '{print $NF, $8}' > sections
expect_lacks sections .note.nv
expect_contains sections '.text.kernel 0x600006'
"$CULINK" -arch=sm_75 --dialect=12.4 main.cubin half.cubin -o chosen.cubin
header chosen.cubin > header
expect_contains header 'version 124'

# So does -r, and a link of what it made.
"$CULINK" -r --check -arch=sm_75 main.cubin -o first.cubin
header first.cubin > header
expect_contains header 'version 118'
"$CULINK" --check -arch=sm_75 first.cubin half.cubin -o two.cubin
header two.cubin > header
expect_contains header 'version 118'
"$CUBIN" verify first.cubin two.cubin

"$CULINK" -arch=sm_75 --dialect=13.0 main.cubin half.cubin -o new.cubin
"$CULINK" -arch=sm_75 main.cubin half.cubin third.cubin -o mixed.cubin
for file in new.cubin mixed.cubin; do
  header $file > header
  expect_contains header 'ABI version 8'
  "$CUBIN" dump --sections $file | awk '{print $NF, $8}' > sections
  expect_contains sections '.note.nv.cuinfo '
  expect_contains sections '.text.kernel 0x6'
done
