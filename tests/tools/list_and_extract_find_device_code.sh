#!/usr/bin/env bash
# cubin list and cubin extract see the device code in fatbins, host objects, programs, shared
# libraries and archives; every other command takes one piece of it as FILE:MEMBER.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need as ar gcc

main=$SOURCE/examples/vector_math/sm_90/main.cubin
older=$SOURCE/examples/vector_math/sm_80/main.cubin

# A fatbin of two cubins and PTX, the second as an LZ4 block of literals only.
printf '.version 9.0\n.target sm_75\n.address_size 64\n' > text.ptx
python3 -B "$SOURCE/tests/fatbin.py" code.fatbin "90=$main,name=main.cu" "80=$older,lz4,options=?" "75=text.ptx,options=-O1 -v"
printf '.section __nv_relfatbin,"a"\n.incbin "code.fatbin"\n' > code.s
as code.s -o code.o
echo 'int f() { return 0; }' > plain.c
gcc -c plain.c -o plain.o
ar rc libcode.a plain.o code.o
printf '.section .nv_fatbin,"a"\n.globl code\ncode: .incbin "code.fatbin"\n' > library.s
gcc -shared -nostdlib library.s -o library.so

for file in code.fatbin code.o libcode.a library.so; do
  "$CUBIN" list $file > list
  expect_contains list "cubin  sm_90" "cubin  sm_80" "ptx    compute_75" "lz4" "main.cu" "-O1 -v"
  expect_lacks list "?"
  rm -rf out
  mkdir out
  "$CUBIN" extract $file -C out
  [ "$(find out -type f | wc -l)" = 3 ] || fail "$file: $(ls out)"
  expect_same out/*.1.sm_90.cubin "$main"
  expect_same out/*.2.sm_80.cubin "$older"
  expect_same out/*.3.compute_75.ptx text.ptx
  "$CUBIN" extract $file --form=ptx -o one.ptx
  expect_same one.ptx text.ptx
  "$CUBIN" extract $file:sm_80 -o - > one.cubin
  expect_same one.cubin "$older"
done
expect_contains list ".nv_fatbin" "sm_90         relocatable  13.0" "sm_80         relocatable  13.0" "compute_75    -            - "
"$CUBIN" list --quick library.so > list
expect_contains list "sm_90         relocatable  - " ".nv_fatbin"
[ -e out/library.2.sm_80.cubin ] || fail "name of a member: $(ls out)"
"$CUBIN" extract libcode.a:code.o -C out --target=sm_80
expect_same out/libcode.code.2.sm_80.cubin "$older"

"$CUBIN" list --json libcode.a | python3 -c '
import json, sys
code = json.load(sys.stdin)[0]["code"]
assert [c["target"] for c in code] == ["sm_90", "sm_80", "compute_75"], code
assert [c["release"] for c in code] == ["13.0", "13.0", None], code
assert code[1]["packing"] == "lz4" and code[1]["member"] == "code.o", code'

# The other commands.
for command in dump usage text verify; do
  "$CUBIN" $command code.o:sm_80 > member
  "$CUBIN" $command "$older" > whole
  sed -i 1,2d member whole # the name of the file
  expect_same member whole
done
"$CUBIN" diff libcode.a:2 code.fatbin:2.sm_80.cubin || fail "they are the same"
cp "$main" with:colon
"$CUBIN" verify with:colon || fail "a file of that name comes first"

# What is not there.
says 1 "code.o:sm_70: no such member" -- "$CUBIN" dump code.o:sm_70
says 0 "libcode.a:code.o:1.sm_90.cubin:" "libcode.a:code.o:2.sm_80.cubin:" -- "$CUBIN" dump libcode.a:code.o
says 1 "has several images" "1.sm_90.cubin, 2.sm_80.cubin" -- "$CUBIN" text libcode.a:code.o
says 1 "pieces do not go into one file with -o: 1.sm_90.cubin, " "choose one as in code.o:1.sm_90.cubin" "-C" -- \
  "$CUBIN" extract code.o -o x
says 1 "has no device code" -- "$CUBIN" extract plain.o
head -c 3000 code.fatbin > cut.fatbin
says 1 "cut.fatbin: fatbin container at 0x0, size" -- "$CUBIN" list cut.fatbin
says 1 "nothing:there" -- "$CUBIN" list nothing:there

# The folder of -C is made.
"$CUBIN" extract -C new/folder code.o
[ "$(find new/folder -type f | wc -l)" = 3 ] || fail "$(find new)"
touch taken
says 1 "taken/folder: cannot make the folder: " -- "$CUBIN" extract -C taken/folder code.o
