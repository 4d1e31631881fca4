#!/usr/bin/env bash
# A function that ptxas puts inside the code of a kernel (division of 64 bits, in files that were compiled for no other file)
# has the frame of the kernel in machine code and 0 in Mercury code. cubin verify takes that and no other difference.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/frames_inside_functions/* .
"$CUBIN" dump --symbols kernel.cubin > symbols
expect_contains symbols __internal_0_
"$CUBIN" verify kernel.cubin
"$CULINK" --emulate=nvlink-13.0.88 --code=mercury -arch=sm_100 kernel.cubin -o out.cubin
expect_same executable.expected out.cubin
"$CUBIN" verify out.cubin

# The first frame in Mercury code is that of the function, the second that of the kernel.
for label in inside kernel; do
  edit_elf kernel.cubin $label.cubin "
frames = [record for record in file.records(sections['.nv.merc.nv.info']) if record.attribute == 0x11] # FRAME_SIZE
inside, kernel = sorted(frames, key=lambda frame: frame.value()[4])
$label.write($label.value()[:4] + (b'\0' if $label.value()[4] else b'\4') + $label.value()[5:])"
done
for changed in inside kernel; do
  expect_status 1 "$CUBIN" verify "$changed.cubin" > told
  expect_contains told "[mirror-bytes]"
done
