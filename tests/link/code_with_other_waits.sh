#!/usr/bin/env bash
# nvlink 13.4 puts other instructions that only wait into code of CUDA 12.9, spells sums in another way and adds
# barriers for debuggers. The checker takes that, and finds every other change: each instruction is the next one of
# the definition, with its fields, and branches lead where they did.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/code_with_other_waits/* .
for name in executable debug; do
  "$CUBIN" check $name.expected --inputs kernel.cubin > log
  expect_contains log "ok"
done

cat > spoil.py << 'END'
"""Changes one bit of each byte of code in turn, but for schedules and for instructions that do nothing."""
import re
import subprocess
import sys

cubin, name = sys.argv[1:]
with open(name, "rb") as file:
    sound = file.read()
sections = subprocess.run([cubin, "dump", "--sections", name], stdout=subprocess.PIPE, text=True, check=True).stdout
spoiled, missed = 0, []
for offset, size, section in re.findall(r"^ +\d+ +(0x\w+) +(0x\w+) .* \.text\.(\w)$", sections, re.M):
    for at in range(int(offset, 0), int(offset, 0) + int(size, 0), 16):
        if sound[at + 1] & 0xf0 == 0xf0 or sound[at] | sound[at + 1] << 8 == 0x7918:
            continue
        if sound[at + 1] & 0x0f == 0x09 and sound[at] == 0x92 or sound[at] == 0xab:
            continue  # barriers
        for byte in range(13):
            broken = bytearray(sound)
            broken[at + byte] ^= 1 << at // 16 % 8
            with open("broken.cubin", "wb") as file:
                file.write(broken)
            done = subprocess.run([cubin, "check", "broken.cubin", "--inputs", "kernel.cubin"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            spoiled += 1
            if done.returncode == 0:
                missed.append("%s+%#x byte %d" % (section, at - int(offset, 0), byte))
print("%d changes, %d not found: %s" % (spoiled, len(missed), ", ".join(missed)))
sys.exit(1 if missed or spoiled < 500 else 0)
END
python3 spoil.py "$CUBIN" executable.expected
