#!/usr/bin/env bash
# cubin prune leaves code out of fatbins, host objects, archives, programs: what stays is unchanged
# and links as before, the rest is gone, and a program keeps its size and the place of everything.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cp "$SOURCE"/examples/vector_math/fat/{main,filter}.{o,fatbin} .
says 0 "sm_90" "compute_" -- "$CUBIN" list main.o
mkdir before after
"$CUBIN" extract main.o --target=sm_90 -o before/main.cubin
"$CUBIN" extract filter.o --target=sm_90 -o before/filter.cubin
for file in main.o filter.o main.fatbin; do
  "$CUBIN" prune $file --keep=sm_90 -o after/$file
  says 0 "sm_90" -- "$CUBIN" list after/$file
  expect_lacks told "compute_" "sm_80"
  [ "$(stat -c %s after/$file)" -lt "$(stat -c %s $file)" ] || fail "$file did not become smaller"
done
"$CUBIN" extract after/main.o --target=sm_90 -o after/main.cubin
expect_same before/main.cubin after/main.cubin
"$CULINK" -arch=sm_90 main.o filter.o -o before/linked
"$CULINK" -arch=sm_90 after/main.o after/filter.o -o after/linked
expect_same before/linked after/linked

# What is dropped by form, by pattern, and packed again; the output is the input.
cp main.o same.o
"$CUBIN" prune same.o --drop=ptx,sm_8* --compress=22 -o same.o
says 0 "sm_90" -- "$CUBIN" list same.o
expect_lacks told "compute_" "sm_8"
"$CUBIN" extract same.o --target=sm_90 -o same.cubin
expect_same before/main.cubin same.cubin

# An archive keeps its members, names and index.
cp filter.o a_name_that_is_longer_than_fifteen.o
ar rcs lib.a main.o a_name_that_is_longer_than_fifteen.o
"$CUBIN" prune lib.a --keep=sm_90 -o pruned.a
ar t lib.a > names
ar t pruned.a > names.pruned
expect_same names names.pruned
nm -s lib.a 2> /dev/null | sed -n '/^Archive index/,/^$/p' > index
nm -s pruned.a 2> /dev/null | sed -n '/^Archive index/,/^$/p' > index.pruned
expect_same index index.pruned
expect_contains index "main in main.o"
ar p pruned.a main.o > member.o
expect_same after/main.o member.o
"$CULINK" -arch=sm_90 pruned.a -o linked
expect_same before/linked linked

# A dry run tells and writes nothing.
says 0 "main.o: $(stat -c %s main.o) -> $(stat -c %s after/main.o) bytes" "sm_90  1 -> 1 pieces" -- \
  "$CUBIN" prune main.o --keep=sm_90 --dry-run

says 1 "main.o: no code at all would be left" -- "$CUBIN" prune main.o --keep=sm_35 -o no.o
says 1 "of which nothing can be left out" -- "$CUBIN" prune before/main.cubin --keep=sm_90 -o no.o
ar rcT thin.a main.o
says 1 "is thin" -- "$CUBIN" prune thin.a --keep=sm_90 -o no.a
says 2 "error: " -- "$CUBIN" prune main.o -o no.o
says 2 "error: " -- "$CUBIN" prune main.o --keep=sm_90
for file in no.o no.a; do not test -e $file; done

# Debug information: its sections are empty, the code is the same, and it links.
folder=$SOURCE/examples/vector_math/sm_80-lineinfo
for name in main filter linked; do
  "$CUBIN" prune "$folder/$name.cubin" --drop=debug -o $name.stripped
  says 0 ": ok" -- "$CUBIN" verify $name.stripped
  "$CUBIN" usage "$folder/$name.cubin" | tail -n +2 > usage
  "$CUBIN" usage $name.stripped | tail -n +2 > usage.stripped
  expect_same usage usage.stripped
  size=$(stat -c %s "$folder/$name.cubin")
  [ $((size * 3 / 4)) -gt "$(stat -c %s $name.stripped)" ] || fail "$name did not become smaller"
done
code=.text._Z5totalPKfPfi
for name in main linked; do
  readelf -x $code "$folder/$name.cubin" > code 2> /dev/null
  readelf -x $code $name.stripped > code.stripped 2> /dev/null
  expect_same code code.stripped
  expect_contains code 0x00000010
done
"$CULINK" -arch=sm_80 main.stripped filter.stripped -o linked
readelf -x $code linked > code 2> /dev/null
expect_same code code.stripped
"$CUBIN" pack "$folder/main.cubin" --compress=3 -o lines.fatbin
"$CUBIN" prune lines.fatbin --drop=debug -o lines.stripped
"$CUBIN" extract lines.stripped -o main.again
expect_same main.stripped main.again
"$CUBIN" prune main.fatbin --drop=debug -o none.stripped # there is none
expect_same main.fatbin none.stripped

# A program: every byte that is not device code stays where it is, and so does its size.
[ "$(uname -m)" = x86_64 ] || skip "the objects are of x86_64"
need gcc python3
gcc -no-pie -nostdlib -Wl,--unresolved-symbols=ignore-all main.o filter.o -o program 2> log ||
  skip "no linker for the objects: $(head -1 log)"
"$CUBIN" prune program --keep=sm_90 -o program.pruned
[ "$(stat -c '%s %a' program)" = "$(stat -c '%s %a' program.pruned)" ] || fail "size or mode changed"
readelf -SW program > sections
readelf -SW program.pruned > sections.pruned
expect_same sections sections.pruned
says 0 "sm_90" -- "$CUBIN" list program.pruned
expect_lacks told "compute_" "sm_80"
objcopy --remove-section=__nv_relfatbin --remove-section=.nv_fatbin program rest
objcopy --remove-section=__nv_relfatbin --remove-section=.nv_fatbin program.pruned rest.pruned
expect_same rest rest.pruned
says 1 "no code at all would be left" -- "$CUBIN" prune program --drop=relocatable -o no

# Linked code is what counts: relocatable objects alone are no program.
vector=$SOURCE/examples/vector_math
python3 -B "$SOURCE/tests/fatbin.py" linked.fatbin "90=$vector/sm_90/linked.cubin"
python3 -B "$SOURCE/tests/fatbin.py" parts.fatbin "90=$vector/sm_90/main.cubin" "80=$vector/sm_80/main.cubin"
printf '.section .nv_fatbin,"a"\n.incbin "linked.fatbin"\n.section __nv_relfatbin,"a"\n.incbin "parts.fatbin"\n' > code.s
gcc -shared -nostdlib code.s -o library.so
says 1 "library.so: no linked code for sm_80, only sm_90" -- "$CUBIN" prune library.so --keep=sm_80 -o no
says 1 "no linked code for relocatable, only sm_90" -- "$CUBIN" prune library.so --keep=relocatable -o no
says 1 "no linked code would be left of that for sm_90, only relocatable objects" -- \
  "$CUBIN" prune library.so --drop=sm_90 -o no
[ ! -e no ] || fail "an output despite an error"
"$CUBIN" prune library.so --keep=sm_90 -o library.pruned
"$CUBIN" prune library.so --drop=relocatable -o library.pruned
