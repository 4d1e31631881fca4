#!/usr/bin/env bash
# The Mercury half of files for sm_100 and later: dump shows capsules and shared bytes, diff names
# what differs in a capsule, verify finds halves that do not agree.
. "${BASH_SOURCE%/*}/../common.inc.sh"
linked=$SOURCE/examples/vector_math/sm_100/linked.cubin

says 0 "Mercury capsules" "text .text._Z9block_sumf, magic 0xc0000001, instructions" "sass_only 0, padding" \
  ".nv.merc.nv.constant.user  section 44, with .nv.constant3, offset 0x11e0" -- "$CUBIN" dump --records "$linked"
says 0 "R_MERCURY_CODE_ADDRESS32_LO" ".nv.merc.symtab" -- "$CUBIN" dump --relocs --symbols "$linked"

# The last byte of the capsule of block_sum counts padding.
capsule="sections['.nv.capmerc.text._Z9block_sumf']"
edit_elf "$linked" other.cubin "$capsule.write($capsule.size - 1, b'\x7f')"
says 1 "code: '.nv.capmerc.text._Z9block_sumf': record of instruction 33: " -- \
  "$CUBIN" diff --details "$linked" other.cubin
says 1 "speaks of " "[capsule-size]" -- "$CUBIN" verify other.cubin

# The first word is the number of the code section.
edit_elf "$linked" other.cubin "$capsule.write(0, b'\x01')"
says 1 "capsule of '.text._Z9block_sumf' vs '.shstrtab'" -- "$CUBIN" diff --details "$linked" other.cubin
says 1 "[capsule-text]" -- "$CUBIN" verify other.cubin

# nvlink 12.8 and 12.9, whose files have .note.nv.cuver, leave 0 for the frame in Mercury code.
edit_elf "$linked" frame.cubin "
frame = next(record for record in file.records(sections['.nv.info']) if record.attribute == 0x11)
frame.write(frame.value()[:4] + b'\x40\0\0\0')"
edit_elf frame.cubin older.cubin "file.data = file.data.replace(b'.note.nv.cuinfo\0', b'.note.nv.cuver\0\0')"
says 1 "[mirror-bytes]" -- "$CUBIN" verify frame.cubin
expect_status 1 "$CUBIN" verify older.cubin > told # has another version of the note
expect_lacks told "[mirror-bytes]"
