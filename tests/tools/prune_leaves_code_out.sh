#!/usr/bin/env bash
# cubin prune leaves code out of fatbins, host objects, archives, programs: what stays is unchanged
# and links as before, the rest is gone, and a program keeps its size and the place of everything.
. "${BASH_SOURCE%/*}/../common.inc.sh"

# has_only_sm_90 FILE: no other code, and no PTX.
has_only_sm_90() {
  says 0 "sm_90" -- "$CUBIN" list "$1"
  expect_lacks told "compute_" "sm_8"
}

cp "$SOURCE"/examples/vector_math/fat/{main,filter}.{o,fatbin} .
says 0 "sm_90" "compute_" -- "$CUBIN" list main.o
mkdir before after
"$CUBIN" extract main.o --target=sm_90 -o before/main.cubin
"$CUBIN" extract filter.o --target=sm_90 -o before/filter.cubin
for file in main.o filter.o main.fatbin; do
  "$CUBIN" prune $file --keep=sm_90 -o after/$file
  has_only_sm_90 after/$file
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
has_only_sm_90 same.o
"$CUBIN" extract same.o --target=sm_90 -o same.cubin
expect_same before/main.cubin same.cubin

# An archive keeps its members, names and index.
cp filter.o a_name_that_is_longer_than_fifteen.o
ar rcs lib.a main.o a_name_that_is_longer_than_fifteen.o
"$CUBIN" prune lib.a --keep=sm_90 -o pruned.a
index_of() { nm -s "$1" 2> /dev/null | sed -n '/^Archive index/,/^$/p'; }
expect_same <(ar t lib.a) <(ar t pruned.a)
expect_same <(index_of lib.a) <(index_of pruned.a)
says 0 "main in main.o" -- index_of pruned.a
expect_same after/main.o <(ar p pruned.a main.o)
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
  expect_same <("$CUBIN" usage "$folder/$name.cubin" | tail -n +2) <("$CUBIN" usage $name.stripped | tail -n +2)
  size=$(stat -c %s "$folder/$name.cubin")
  [ $((size * 3 / 4)) -gt "$(stat -c %s $name.stripped)" ] || fail "$name did not become smaller"
done
"$CULINK" -arch=sm_80 main.stripped filter.stripped -o again.stripped
code_of() { readelf -x .text._Z5totalPKfPfi "$1" 2> /dev/null; }
for name in main linked; do
  expect_same <(code_of "$folder/$name.cubin") <(code_of $name.stripped)
  says 0 0x00000010 -- code_of $name.stripped
done
expect_same <(code_of again.stripped) <(code_of linked.stripped)
"$CUBIN" pack "$folder/main.cubin" --compress=3 -o lines.fatbin
"$CUBIN" prune lines.fatbin --drop=debug -o lines.stripped
"$CUBIN" extract lines.stripped -o main.again
expect_same main.stripped main.again
"$CUBIN" prune main.fatbin --drop=debug -o none.stripped # there is none
expect_same main.fatbin none.stripped

# A program: every byte that is not device code stays where it is, and so does its size.
[ "$(uname -m)" = x86_64 ] || skip "the objects are of x86_64"
need gcc
gcc -no-pie -nostdlib -Wl,--unresolved-symbols=ignore-all main.o filter.o -o program 2> log ||
  skip "no linker for the objects: $(head -1 log)"
"$CUBIN" prune program --keep=sm_90 -o program.pruned
[ "$(stat -c '%s %a' program)" = "$(stat -c '%s %a' program.pruned)" ] || fail "size or mode changed"
expect_same <(readelf -SW program) <(readelf -SW program.pruned)
has_only_sm_90 program.pruned
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
