#!/usr/bin/env bash
# Small files that ask for much: code that says it unpacks to gigabytes, sections that share their bytes, option
# files that name themselves, devices and pipes behind names, compilers that never end. Each is refused in a
# moment, with a message that names it.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need timeout

assemble k <<< '{arch: sm_90, functions: [{name: k, kernel: true, code: nop}]}'

# refused TEXT... -- link WORD...: within ten seconds and a gigabyte of addresses, with these words of the message.
refused() {
  says 1 "$@"
  not test -e out.cubin
}
link() {
  (ulimit -v 1000000 && exec timeout 10 "$CULINK" -arch=sm_90 --threads=1 "$@" -o out.cubin < /dev/null)
}

# 140 KB of anything, which say that they unpack to 4 GiB: with LZ4, with zstd.
python3 - << 'PYTHON'
import struct
for name, flag in (("lz4", 0x2000), ("zstd", 0x8000)):
    payload = bytes(i * 37 % 251 for i in range(140_000))
    entry = struct.pack("<HHIQIIIIIIQQQ", 2, 0x0101, 64, len(payload), len(payload), 0, 0, 90, 0, 0,
                        0x11 | flag, 0, (4 << 30) - 4096)
    body = entry + payload
    with open(name + ".fatbin", "wb") as file:
        file.write(struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body)
PYTHON
refused "error: lz4.fatbin" -- link lz4.fatbin
refused "error: zstd.fatbin" -- link zstd.fatbin

# 400 functions, each with the same 800 KB of code.
{
  printf 'arch: sm_90\nfunctions:\n- {name: big, kernel: true, code: nop x50000}\n'
  for ((i = 0; i < 400; ++i)); do printf -- '- {name: k%d, kernel: true, code: nop}\n' "$i"; done
} | assemble many
edit_elf many.cubin shared.cubin "
code = [section for section in file.sections if section.type == 1 and section.flags & 4]
large = max(code, key=lambda section: section.size)
for section in code:
    section.offset, section.size = large.offset, large.size
    section.store()"
refused "error: shared.cubin" -- link shared.cubin

# An option file that names itself twice, and /dev/zero in all roles.
echo "-optf self -optf self" > self
refused "too many option files" -- link k.cubin -optf self
refused "/dev/zero" -- link /dev/zero
refused "/dev/zero" -- link k.cubin -optf /dev/zero

# A thin archive whose member is a pipe that nobody writes to, or a device.
mkfifo pipe.o
for member in pipe.o /dev/zero; do
  python3 - "$member" << 'PYTHON'
import sys
names = (sys.argv[1] + "/\n").encode()
names += b"\n" * (len(names) % 2)
header = b"%-16s%-12s%-6s%-6s%-8s%-10d`\n"
with open("thin.a", "wb") as file:
    file.write(b"!<thin>\n" + header % (b"//", b"", b"", b"", b"", len(names)) + names)
    file.write(header % (b"/0", b"0", b"0", b"0", b"644", 1000))
PYTHON
  refused "thin.a" "$member" -- link thin.a
done

# A compiler that sleeps ends with the linker, however that ends.
printf '#!/bin/sh\nexec sleep 1000\n' > sleeper
chmod +x sleeper
printf '.version 8.0\n.target sm_90\n.address_size 64\n' > a.ptx
for signal in TERM KILL; do
  "$CULINK" -arch=sm_90 a.ptx --ptxas="$PWD/sleeper" -o out.cubin &
  linker=$!
  for ((i = 0; i < 100; ++i)); do
    compiler=$(cat "/proc/$linker/task/$linker/children" 2> /dev/null || true)
    [ -z "$compiler" ] || grep -q sleep "/proc/${compiler%% *}/cmdline" || compiler=
    [ -z "$compiler" ] || break
    sleep 0.05
  done
  [ -n "$compiler" ] || skip "no compiler was seen"
  kill -s "$signal" "$linker"
  wait "$linker" 2> /dev/null || true
  for ((i = 0; i < 100; ++i)); do
    [ -d "/proc/${compiler%% *}" ] || break
    sleep 0.05
  done
  [ ! -d "/proc/${compiler%% *}" ] || {
    kill "${compiler%% *}"
    fail "SIG$signal: the compiler survives"
  }
done

# What is replaced does not run as its owner.
echo old > out.cubin
chmod 6755 out.cubin
"$CULINK" -arch=sm_90 k.cubin -o out.cubin
[ "$(stat -c %a out.cubin)" = 755 ] || fail "mode $(stat -c %a out.cubin)"
