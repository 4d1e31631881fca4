#!/usr/bin/env bash
# Every command of cubin takes cubins, fatbins, objects, objects joined by ld -r, archives, shared
# libraries, programs and extension modules of Python, shows all code in them and nothing else, and
# says so where there is none. Code that lies in data is found as well.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3 as ar gcc ld

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
  "$CUBIN" usage "$file" | sed 1,2d > usage
  expect_same usage usage.expected
  "$CUBIN" dump --all "$file" | sed 1,2d > dump
  expect_same dump dump.expected
  "$CUBIN" callgraph "$file" | sed 1d > calls
  expect_same calls calls.expected
  "$CUBIN" verify "$file" > verify
  expect_contains verify "$file" ": ok"
  "$CUBIN" check "$file" --inputs "$main" "$filter" > check
  expect_contains check "$file" ": ok"
  "$CUBIN" text --exact "$file" -o text.yaml
  "$CUBIN" assemble text.yaml -o again.cubin
  expect_same again.cubin "$linked"
  "$CUBIN" diff "$file" whole.cubin || fail "$file: the code is the same"
  "$CUBIN" extract "$file" -o again.cubin
  expect_same again.cubin "$linked"
  "$CUBIN" usage --target=sm_90 --kernel='smooth*' "$file" > usage
  expect_contains usage _Z6smoothPKfPfi
  expect_lacks usage _Z5totalPKfPfi
  for command in list usage callgraph dump verify text "check -i $main -i $filter" "diff whole.cubin" extract; do
    status=1
    [ "${command% *}" != diff ] || status=2
    # shellcheck disable=SC2086  # several words
    expect_status $status "$CUBIN" $command --target=sm_70 $file > log 2>&1
    expect_contains log "has no code for sm_70, only for sm_90"
    # shellcheck disable=SC2086
    expect_status $status "$CUBIN" $command $file:nonesuch > log 2>&1
    expect_contains log "no such member"
  done
  not "$CUBIN" usage --kernel=nonesuch "$file" 2> log
  expect_contains log "has no kernel like nonesuch"
done

# A host file without device code is not shown as if it were some.
for command in list usage callgraph dump verify text "check -i $main" "diff whole.cubin" extract; do
  # shellcheck disable=SC2086
  not "$CUBIN" $command plain.o > log 2>&1
  expect_contains log "plain.o: has no device code; it is a host object"
done
printf '.version 9.0\n.target sm_75\n.address_size 64\n' > text.ptx
not "$CUBIN" usage text.ptx 2> log
expect_contains log "text.ptx: has no machine code, only ptx for compute_75"

# Of a program, linked images come before their relocatable parts, and are what a target means.
printf '.section __nv_relfatbin,"a"\n.incbin "parts.fatbin"\n' > parts.s
gcc plain.c parts.s code.s -o program
"$CUBIN" verify program > verify
expect_contains verify "program:1.sm_90.cubin: ok" "program:2.sm_90.cubin: ok"
"$CUBIN" diff program:sm_90 "$linked" || fail "the linked image is meant"
"$CUBIN" check program --inputs "$main" "$filter" > check
[ "$(cat check)" = "program:1.sm_90.cubin: ok" ] || fail "$(cat check)"
"$CUBIN" diff program:2 "$main" || fail "the second image is the relocatable one"

# Objects of the device link are shown beside linked code only if they are asked for, and then are told apart.
"$CUBIN" list program > list
grep -Eq ' 1 +cubin +sm_90 +linked ' list || fail "$(cat list)"
grep -Eq ' 2 +cubin +sm_90 +relocatable ' list || fail "$(cat list)"
for command in usage callgraph "report -o page.html"; do
  # shellcheck disable=SC2086
  "$CUBIN" $command program > shown 2> log
  expect_contains log "note: program: 1 relocatable object of its device link is not shown (--relocatable shows all)"
  expect_lacks shown ":2.sm_90"
  # shellcheck disable=SC2086
  "$CUBIN" $command --relocatable program > shown 2> log
  [ ! -s log ] || fail "$command: $(cat log)"
done
expect_contains page.html '"linked":1' '"linked":0'
"$CUBIN" usage --relocatable program > shown
expect_contains shown "program:1.sm_90.cubin:" "program:2.sm_90.cubin (relocatable):"
"$CUBIN" usage program:2 > shown 2> log # by its name
expect_contains shown "program:2.sm_90.cubin (relocatable):"
[ ! -s log ] || fail "$(cat log)"
"$CUBIN" diff program "$linked" > shown 2> log || fail "the linked image is meant"
expect_contains log "1 relocatable object"
expect_status 1 "$CUBIN" diff --relocatable program "$linked" > shown
expect_contains shown "only in the first file: program:2.sm_90.cubin"
"$CUBIN" size program > shown
expect_contains shown "[relocatable objects]"
"$CUBIN" size --device --relocatable program > shown
expect_lacks shown "[relocatable objects]" "[host]"
"$CUBIN" size --duplicates program > shown
expect_contains shown "relocatable objects of the device link beside the linked code (cubin prune --drop=relocatable)"

# They are leftovers whatever their target: libcudadevrt has objects for all targets.
fatbin more.fatbin "90=$main" "80=$SOURCE/examples/vector_math/sm_80/main.cubin" 75=text.ptx
printf '.section __nv_relfatbin,"a"\n.incbin "more.fatbin"\n' > more.s
gcc plain.c more.s code.s -o larger
"$CUBIN" usage larger > shown 2> log
expect_contains log "note: larger: 2 relocatable objects of its device link are not shown"
expect_lacks shown sm_80
"$CUBIN" size larger > shown
expect_contains shown "[relocatable objects]"
expect_lacks shown "[ptx]"

# Of files with several images each target is compared.
printf '.section .nv_fatbin,"a"\n.incbin "others.fatbin"\n' > others.s
as others.s -o others.o
"$CUBIN" diff others.o others.fatbin || fail "they hold the same"
expect_status 1 "$CUBIN" diff others.o code.o > log
expect_contains log "sm_80:" "kernel _Z6smoothPKfPfi: removed" "only in the first file: others.o:1.sm_80.cubin"
expect_lacks log "sm_90:"
expect_status 1 "$CUBIN" diff --json others.o code.o | python3 -c '
import json, sys
pairs = json.load(sys.stdin)
assert [p["same"] for p in pairs] == [False, True], pairs
assert pairs[0]["other"] is None and pairs[1]["other"] == "code.o:1.sm_90.cubin", pairs'
not "$CUBIN" text others.o 2> log
expect_contains log "has several images, of which one is to be named as FILE:NAME: 1.sm_80.cubin, 2.sm_90.cubin"

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
  grep -Eq ' 1 +cubin +sm_80 .*\.ldata \(data\)' list || fail "$(cat list)"
  grep -Eq ' 2 +cubin +sm_90 .*\.ldata \(data\)' list || fail "$(cat list)"
  grep -Eq ' 3 +cubin +sm_90 .*\.ldata \(data\)' list || fail "$(cat list)"
  [ "$(grep -c ' cubin ' list)" = 3 ] || fail "$(cat list)"
  "$CUBIN" diff $file:2 "$linked" || fail "$file: the code in the fatbin"
  "$CUBIN" extract $file:3 -o again.cubin
  expect_same again.cubin "$main"
done
