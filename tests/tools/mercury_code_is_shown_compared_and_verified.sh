#!/usr/bin/env bash
# The Mercury half of files for sm_100 and later: dump shows capsules and shared bytes, diff names
# what differs in a capsule, verify finds halves that do not agree.
. "${BASH_SOURCE%/*}/../common.inc.sh"
linked=$SOURCE/examples/vector_math/sm_100/linked.cubin

says 0 "Mercury capsules" "text .text._Z9block_sumf, magic 0xc0000001, instructions" "sass_only 0, padding" \
  ".nv.merc.nv.constant.user  section 44, with .nv.constant3, offset 0x11e0" -- "$CUBIN" dump --records "$linked"
says 0 "R_MERCURY_CODE_ADDRESS32_LO" ".nv.merc.symtab" -- "$CUBIN" dump --relocs --symbols "$linked"

# The last byte of the capsule of block_sum counts padding.
read -r offset size < <("$CUBIN" dump --sections "$linked" | awk '$NF == ".nv.capmerc.text._Z9block_sumf" { print $2, $3 }')
cp "$linked" other.cubin
printf '\x7f' | dd of=other.cubin bs=1 seek=$((offset + size - 1)) conv=notrunc status=none
says 1 "code: '.nv.capmerc.text._Z9block_sumf': record of instruction 33: " -- \
  "$CUBIN" diff --details "$linked" other.cubin
says 1 "speaks of " "[capsule-size]" -- "$CUBIN" verify other.cubin

# The first word is the number of the code section.
cp "$linked" other.cubin
printf '\x01' | dd of=other.cubin bs=1 seek=$((offset)) conv=notrunc status=none
says 1 "capsule of '.text._Z9block_sumf' vs '.shstrtab'" -- "$CUBIN" diff --details "$linked" other.cubin
says 1 "[capsule-text]" -- "$CUBIN" verify other.cubin

# nvlink 12.8 and 12.9, whose files have .note.nv.cuver, leave 0 for the frame in Mercury code.
need python3
python3 - "$SOURCE/examples/vector_math/sm_100/linked.cubin" << 'PYTHON'
import struct
import sys
data = bytearray(open(sys.argv[1], "rb").read())
table, = struct.unpack_from("<Q", data, 40)
count, = struct.unpack_from("<H", data, 60)
rows = [struct.unpack_from("<IIQQQQ", data, table + 64 * i) for i in range(count)]
at = next(offset for _, kind, _, _, offset, _ in rows if kind == 0x70000000)
while data[at:at + 2] != b"\4\x11":  # EIATTR_FRAME_SIZE
    at += 4 + (struct.unpack_from("<H", data, at + 2)[0] if data[at] == 4 else 0)
struct.pack_into("<I", data, at + 8, 64)
open("frame.cubin", "wb").write(data)
open("older.cubin", "wb").write(data.replace(b".note.nv.cuinfo\0", b".note.nv.cuver\0\0"))
PYTHON
says 1 "[mirror-bytes]" -- "$CUBIN" verify frame.cubin
expect_status 1 "$CUBIN" verify older.cubin > told # has another version of the note
expect_lacks told "[mirror-bytes]"
