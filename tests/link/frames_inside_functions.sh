#!/usr/bin/env bash
# A function that ptxas puts inside the code of a kernel (division of 64 bits, in files that were compiled for no other file)
# has the frame of the kernel in machine code and 0 in Mercury code. cubin verify takes that and no other difference.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3
cp "$SOURCE"/tests/golden/frames_inside_functions/* .
"$CUBIN" dump --symbols kernel.cubin > symbols
expect_contains symbols __internal_0_
"$CUBIN" verify kernel.cubin
"$CULINK" --emulate=nvlink-13.0.88 --code=mercury -arch=sm_100 kernel.cubin -o out.cubin
expect_same executable.expected out.cubin
"$CUBIN" verify out.cubin

# The first frame in Mercury code is that of the function, the second that of the kernel.
python3 - << 'PYTHON'
import struct
data = open("kernel.cubin", "rb").read()
table, = struct.unpack_from("<Q", data, 40)
count, names = struct.unpack_from("<HH", data, 60)
rows = [struct.unpack_from("<IIQQQQ", data, table + 64 * i) for i in range(count)]
def name(row):
    start = rows[names][4] + row[0]
    return data[start:data.index(b"\0", start)]
at, end = next((row[4], row[4] + row[5]) for row in rows if name(row) == b".nv.merc.nv.info")
frames = []
while at < end:
    if data[at:at + 2] == b"\4\x11":  # EIATTR_FRAME_SIZE
        frames.append(at + 8)
    at += 4 + (struct.unpack_from("<H", data, at + 2)[0] if data[at] == 4 else 0)
for label, frame in zip(("inside", "kernel"), sorted(frames, key=lambda at: data[at])):
    changed = bytearray(data)
    changed[frame] = 0 if data[frame] else 4
    open(label + ".cubin", "wb").write(changed)
assert len(frames) == 2
PYTHON
for changed in inside kernel; do
  expect_status 1 "$CUBIN" verify "$changed.cubin" > told
  expect_contains told "[mirror-bytes]"
done
