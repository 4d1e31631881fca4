#!/usr/bin/env bash
# Every command of cubin takes cubins, fatbins, objects, objects joined by ld -r, archives, shared
# libraries, programs and extension modules of Python, shows all code in them and nothing else, and
# says so where there is none. Code that lies in data is found as well.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need as ar gcc ld

linked=$SOURCE/examples/vector_math/sm_90/linked.cubin
main=$SOURCE/examples/vector_math/sm_90/main.cubin
filter=$SOURCE/examples/vector_math/sm_90/filter.cubin
older=$SOURCE/examples/vector_math/sm_80/linked.cubin

fatbin() { python3 -B "$SOURCE/tests/fatbin.py" "$@"; }
fatbin code.fatbin "90=$linked"
fatbin parts.fatbin "90=$main"
fatbin others.fatbin "80=$older" "90=$linked"
printf '.section .nv_fatbin,"a"\n.globl code\ncode: .incbin "code.fatbin"\n' > code.s
as code.s -o code.o
echo 'int f(void) { return 0; } int main(void) { return 0; }' > plain.c
gcc -c plain.c -o plain.o
ld -r plain.o code.o -o joined.o
ar rc library.a plain.o code.o
gcc -shared -nostdlib code.s -o library.so
gcc plain.o code.o -o program
cp library.so module.cpython-312-x86_64-linux-gnu.so
cp "$linked" whole.cubin

"$CUBIN" usage whole.cubin | sed 1,2d > usage.expected
"$CUBIN" dump --all whole.cubin | sed 1,2d > dump.expected
"$CUBIN" callgraph whole.cubin | sed 1d > calls.expected
for file in whole.cubin code.fatbin code.o joined.o library.a library.so program module*.so; do
  "$CUBIN" list "$file" > list
  [ "$(grep -c ' cubin ' list)" = 1 ] || fail "$file: $(cat list)"
  expect_same <("$CUBIN" usage "$file" | sed 1,2d) usage.expected
  expect_same <("$CUBIN" dump --all "$file" | sed 1,2d) dump.expected
  expect_same <("$CUBIN" callgraph "$file" | sed 1d) calls.expected
  says 0 "$file" ": ok" -- "$CUBIN" verify "$file"
  says 0 "$file" ": ok" -- "$CUBIN" check "$file" --inputs "$main" "$filter"
  "$CUBIN" text --exact "$file" | assemble again
  expect_same again.cubin "$linked"
  "$CUBIN" diff "$file" whole.cubin || fail "$file: the code is the same"
  "$CUBIN" extract "$file" -o again.cubin
  expect_same again.cubin "$linked"
  says 0 _Z6smoothPKfPfi -- "$CUBIN" usage --target=sm_90 --kernel='smooth*' "$file"
  expect_lacks told _Z5totalPKfPfi
  for command in list usage callgraph dump verify text "check -i $main -i $filter" "diff whole.cubin" extract; do
    status=1
    [ "${command% *}" != diff ] || status=2
    # shellcheck disable=SC2086  # several words
    says $status "has no code for sm_70, only for sm_90" -- "$CUBIN" $command --target=sm_70 $file
    # shellcheck disable=SC2086
    says $status "no such member" -- "$CUBIN" $command $file:nonesuch
  done
  says 1 "has no kernel like nonesuch" -- "$CUBIN" usage --kernel=nonesuch "$file"
done

# A host file without device code is not shown as if it were some.
for command in list usage callgraph dump verify text "check -i $main" "diff whole.cubin" extract; do
  status=1
  [ "${command% *}" != diff ] || status=2
  # shellcheck disable=SC2086
  says $status "plain.o: has no device code; it is a host object" -- "$CUBIN" $command plain.o
done
printf '.version 9.0\n.target sm_75\n.address_size 64\n' > text.ptx
says 1 "text.ptx: has no machine code, only ptx for compute_75" -- "$CUBIN" usage text.ptx

# Of a program, linked images come before their relocatable parts, and are what a target means.
printf '.section __nv_relfatbin,"a"\n.incbin "parts.fatbin"\n' > parts.s
gcc plain.c parts.s code.s -o program
says 0 "program:1.sm_90.cubin: ok" "program:2.sm_90.cubin: ok" -- "$CUBIN" verify program
"$CUBIN" diff program:sm_90 "$linked" || fail "the linked image is meant"
"$CUBIN" check program --inputs "$main" "$filter" > check
[ "$(cat check)" = "program:1.sm_90.cubin: ok" ] || fail "$(cat check)"
"$CUBIN" diff program:2 "$main" || fail "the second image is the relocatable one"

# Objects of the device link are shown beside linked code only if they are asked for, and then are told apart.
"$CUBIN" list program | tr -s ' ' > list
expect_contains list " 1 cubin sm_90 linked " " 2 cubin sm_90 relocatable "
for command in usage callgraph "report -o page.html"; do
  # shellcheck disable=SC2086
  says 0 "note: program: 1 relocatable object of its device link is not shown (--relocatable shows all)" -- \
    "$CUBIN" $command program
  expect_lacks told ":2.sm_90"
  # shellcheck disable=SC2086
  "$CUBIN" $command --relocatable program 2> log > shown
  expect_same log /dev/null
done
expect_contains page.html '"linked":1' '"linked":0'
says 0 "program:1.sm_90.cubin:" "program:2.sm_90.cubin (relocatable):" -- "$CUBIN" usage --relocatable program
"$CUBIN" usage program:2 > shown 2> log # by its name
expect_contains shown "program:2.sm_90.cubin (relocatable):"
expect_same log /dev/null
says 0 "1 relocatable object" -- "$CUBIN" diff program "$linked" # the linked image is meant
says 1 "only in the first file: program:2.sm_90.cubin" -- "$CUBIN" diff --relocatable program "$linked"
says 0 "[relocatable objects]" -- "$CUBIN" size program
"$CUBIN" size --device --relocatable program > shown
expect_lacks shown "[relocatable objects]" "[host]"
says 0 "relocatable objects of the device link beside the linked code (cubin prune --drop=relocatable)" -- \
  "$CUBIN" size --duplicates program

# They are leftovers whatever their target: libcudadevrt has objects for all targets.
fatbin more.fatbin "90=$main" "80=$SOURCE/examples/vector_math/sm_80/main.cubin" 75=text.ptx
printf '.section __nv_relfatbin,"a"\n.incbin "more.fatbin"\n' > more.s
gcc plain.c more.s code.s -o larger
says 0 "note: larger: 2 relocatable objects of its device link are not shown" -- "$CUBIN" usage larger
expect_lacks told sm_80
says 0 "[relocatable objects]" -- "$CUBIN" size larger
expect_lacks told "[ptx]"

# Of files with several images each target is compared.
printf '.section .nv_fatbin,"a"\n.incbin "others.fatbin"\n' > others.s
as others.s -o others.o
"$CUBIN" diff others.o others.fatbin || fail "they hold the same"
says 1 "sm_80:" "kernel _Z6smoothPKfPfi: removed" "only in the first file: others.o:1.sm_80.cubin" -- \
  "$CUBIN" diff others.o code.o
expect_lacks told "sm_90:"
expect_status 1 "$CUBIN" diff --json others.o code.o | python3 -c '
import json, sys
pairs = json.load(sys.stdin)
assert [p["same"] for p in pairs] == [False, True], pairs
assert pairs[0]["other"] is None and pairs[1]["other"] == "code.o:1.sm_90.cubin", pairs'
says 1 "has several images, of which one is to be named as FILE:NAME: 1.sm_80.cubin, 2.sm_90.cubin" -- \
  "$CUBIN" text others.o

# Code in data: a fatbin and a cubin, beside words that only look like the beginning of one.
cat > data.s <<END
.section .ldata,"aw"
.balign 8
.long 0xba55ed50, 0x00100001, 64, 0
.incbin "others.fatbin"
.long 0xba55ed50, 1, 2, 3
.balign 8
.incbin "$main"
.ascii "\\177ELF"
END
gcc -shared -nostdlib data.s -o data.so
gcc -c data.s -o data.o
for file in data.so data.o; do
  "$CUBIN" list $file > list
  [ "$(awk '$2 == "cubin" && /\.ldata \(data\)/ { print $1, $3 }' list | paste -sd,)" = "1 sm_80,2 sm_90,3 sm_90" ] ||
    fail "$(cat list)"
  [ "$(grep -c ' cubin ' list)" = 3 ] || fail "$(cat list)"
  "$CUBIN" diff $file:2 "$linked" || fail "$file: the code in the fatbin"
  "$CUBIN" extract $file:3 -o again.cubin
  expect_same again.cubin "$main"
done
