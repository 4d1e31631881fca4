#!/usr/bin/env bash
# nvlink makes code for sm_100 anew for debuggers and for sm_103. Computed branches, their tables, calls of parts of the
# same code and return addresses then have other values. The checker follows them, and finds each that leads elsewhere.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/branches_of_moved_code/* .
cp joined.expected joined.cubin # with the barriers of debuggers, which the final link removes
for link in debug:tables other:calls joined:calls final:joined; do
  "$CUBIN" check ${link%:*}.expected --inputs ${link#*:}.cubin > log
  expect_contains log "ok"
done

# Changes a bit of each operand of BRA, BRX, BRXU, CALL.REL, RET.REL and MOV R0, and of each word of a table.
spoiled=0
spoil() { # name, input, offset
  cp "$1" broken.cubin
  byte=$(od -An -tu1 -j"$3" -N1 "$1")
  printf '%b' "\\x$(printf %x $((byte ^ 0x10)))" | dd of=broken.cubin bs=1 seek="$3" conv=notrunc status=none
  not "$CUBIN" check broken.cubin --inputs "$2" > log || { cat log; exit 1; }
  spoiled=$((spoiled + 1))
}
offset_of() { "$CUBIN" dump --sections "$1" | awk -v name="$2" '$NF == name { print $2; exit }'; }
spoil_code() { # name, input
  code=$(($(offset_of "$1" .text.k)))
  while read -r number operand; do
    spoil "$1" "$2" $((code + 16 * number + operand))
  done < <(od -An -v -tx1 -w16 -j$code -N768 "$1" |
    awk '{ op = substr($2, 2) $1 } op ~ /^(947|949|958|944|950)$/ { print NR - 1, 2 } $1 $2 == "0278" && $3 == "00" { print NR - 1, 4 }')
}
spoil_code debug.expected tables.cubin
spoil_code other.expected calls.cubin
table=$(($(offset_of debug.expected .nv.constant2.k)))
for word in 0 4 8 12; do
  spoil debug.expected tables.cubin $((table + word))
done

# A table that was not changed with its code.
old=$(($(offset_of tables.cubin .nv.constant2.k)))
cp debug.expected broken.cubin
dd if=tables.cubin of=broken.cubin bs=1 skip=$old seek=$table count=16 conv=notrunc status=none
not "$CUBIN" check broken.cubin --inputs tables.cubin > log
expect_contains log ".nv.constant2.k"
test $spoiled -ge 11
echo "$spoiled changes, all found"
