#!/usr/bin/env bash
# Of a damaged file cubin dump shows what it can; it warns with file and place, and exits with 1.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cp "$SOURCE/examples/vector_math/sm_80/main.cubin" sound.cubin
edit_elf sound.cubin damaged.cubin "sections['.symtab'].offset = 0x7fffffff; sections['.symtab'].store()"
head -c 100 damaged.cubin > cut.cubin
echo "no ELF at all, but long enough to hold a header of 64 bytes ...." > text.txt

expect_status 1 "$CUBIN" dump damaged.cubin sound.cubin >out.txt 2>err.txt
expect_contains err.txt "cubin: warning: damaged.cubin: section 3 '.symtab', sh_offset, sh_size: bytes 0x7fffffff"
expect_contains out.txt "damaged.cubin:" "sound.cubin:" ".text._Z5totalPKfPfi" "_Z6smoothPKfPfi"
expect_lacks err.txt "sound.cubin"
[ "$(sort err.txt | uniq -d | wc -l)" -eq 0 ] || fail "a problem was reported twice: $(cat err.txt)"

says 1 "cut.cubin: " -- "$CUBIN" dump cut.cubin
for command in dump usage; do
  says 1 "cubin: error: text.txt: " -- "$CUBIN" "$command" text.txt
  says 1 "cubin: error: missing.cubin: cannot open: No such file or directory" -- \
    "$CUBIN" "$command" missing.cubin
done
says 1 "cubin: warning: sound.cubin: .nowhere: no such section" -- "$CUBIN" dump --hex .nowhere sound.cubin

# Bytes of the headers and of everything behind them, broken in turn: whatever that does, JSON comes out.
mkdir broken
python3 - << 'END'
sound = open("sound.cubin", "rb").read()
for at in [*range(16, 64), *range(64, len(sound), 37)]:
    data = bytearray(sound)
    data[at] ^= 0xff
    open(f"broken/{at}", "wb").write(data)
END
expect_status 1 "$CUBIN" dump --all --json broken/* > facts.json 2> warnings
python3 - << 'END'
import json, os
shown = {file["file"] for file in json.load(open("facts.json", encoding="utf-8"))}
warnings = open("warnings", encoding="utf-8").read()
missing = [name for name in os.listdir("broken") if f"broken/{name}" not in shown and f"broken/{name}:" not in warnings]
assert len(shown) > 200 and not missing, (len(shown), missing)
END
