#!/usr/bin/env bash
# In linked images of CUDA 12.1 and 12.3 all sections with symbols name .nv.info for the symbol table. Every
# command reads them without a word about it; images of other releases have to name the table.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3

folder=$SOURCE/examples/vector_math/sm_80
parts=("$folder/main.cubin" "$folder/filter.cubin")
"$CULINK" -arch=sm_80 --dialect=12.4 "${parts[@]}" -o linked.cubin
cat > stale.py << 'PYTHON'
import struct
import sys
data = bytearray(open(sys.argv[1], "rb").read())
table, = struct.unpack_from("<Q", data, 40)
count, = struct.unpack_from("<H", data, 60)
rows = [table + 64 * i for i in range(count)]
types = [struct.unpack_from("<I", data, row + 4)[0] for row in rows]
symbols, info = types.index(2), types.index(0x70000000)
for row in rows:
    if struct.unpack_from("<I", data, row + 40)[0] == symbols:
        struct.pack_into("<I", data, row + 40, info)
open(sys.argv[2], "wb").write(data)
PYTHON
python3 stale.py linked.cubin stale.cubin
for command in usage "dump --all" callgraph verify "report -o page.html" list size "check --inputs ${parts[*]}"; do
  for name in linked stale; do
    # shellcheck disable=SC2086  # several words
    "$CUBIN" $command $name.cubin > shown.$name 2> log || fail "$command $name: $(cat log)"
    expect_same log /dev/null
    sed -i "s/$name\.cubin/NAME/g" shown.$name
  done
  expect_same shown.linked shown.stale
done
"$CUBIN" text --exact stale.cubin -o stale.yaml
"$CUBIN" assemble stale.yaml -o again.cubin
expect_same stale.cubin again.cubin

python3 stale.py "$folder/linked.cubin" new.cubin # of CUDA 13
says 1 "is not a symbol table" -- "$CUBIN" verify new.cubin

# Of targets before sm_75 only the structure is known.
python3 - << 'PYTHON'
data = bytearray(open("stale.cubin", "rb").read())
data[48] = 60
data[50] = 60
open("old.cubin", "wb").write(data)
PYTHON
says 0 "old.cubin: sm_60 is not checked" -- "$CUBIN" verify old.cubin
[ "$(wc -l < told)" = 1 ] || fail "$(cat told)"
