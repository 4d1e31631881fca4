#!/usr/bin/env bash
# cubin pack makes a fatbin, cubin extract takes it apart: the same bytes come out, whatever the
# packing, and the fatbin links like its parts. Where fatbinary is installed, raw fatbins equal its.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cp "$SOURCE"/examples/vector_math/sm_90/main.cubin main90.cubin
cp "$SOURCE"/examples/vector_math/sm_80/main.cubin main80.cubin
printf '.version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n' > k.ptx

for how in --raw --compress=1 --compress=22 --ident=main.cu; do
  "$CUBIN" pack main90.cubin main80.cubin k.ptx $how -o all.fatbin
  mkdir out
  "$CUBIN" extract all.fatbin -C out
  expect_same main90.cubin out/all.1.sm_90.cubin
  expect_same main80.cubin out/all.2.sm_80.cubin
  expect_same k.ptx out/all.3.compute_90a.ptx
  rm -r out
  "$CULINK" -arch=sm_90 all.fatbin "$SOURCE"/examples/vector_math/sm_90/filter.cubin -o linked.cubin 2> log
done
says 0 "main.cu" -- "$CUBIN" list all.fatbin
"$CULINK" -arch=sm_90 main90.cubin "$SOURCE"/examples/vector_math/sm_90/filter.cubin -o plain.cubin
expect_same plain.cubin linked.cubin

# A fatbin as input: its code is carried over, or packed otherwise. The output is no input.
"$CUBIN" pack main90.cubin --raw -o one.fatbin
cp one.fatbin before.fatbin
expect_status 1 "$CUBIN" pack one.fatbin main80.cubin --raw -o one.fatbin 2> log
expect_same before.fatbin one.fatbin
"$CUBIN" pack one.fatbin main80.cubin --raw -o merged.fatbin
"$CUBIN" pack main90.cubin main80.cubin --raw -o two.fatbin
expect_same merged.fatbin two.fatbin
"$CUBIN" pack two.fatbin --compress=19 -o small.fatbin
[ "$(stat -c %s small.fatbin)" -lt "$(stat -c %s two.fatbin)" ] || fail "packing saves nothing"
"$CUBIN" pack small.fatbin --raw -o again.fatbin
expect_same two.fatbin again.fatbin

says 1 "two.fatbin: there is code for sm_90 already, from main90.cubin" -- "$CUBIN" pack main90.cubin two.fatbin -o no.fatbin
says 1 "log: is neither a cubin nor PTX" -- "$CUBIN" pack k.ptx log -o no.fatbin
[ ! -e no.fatbin ] || fail "an output despite an error"
expect_status 2 "$CUBIN" pack k.ptx --compress=23 -o no.fatbin 2> log

command -v fatbinary > /dev/null || skip "no fatbinary to compare with"
fatbinary -64 --compress=false --create=theirs.fatbin --image3=kind=elf,sm=90,file=main90.cubin \
  --image3=kind=elf,sm=80,file=main80.cubin --image3=kind=ptx,sm=90a,file=k.ptx
"$CUBIN" pack main90.cubin main80.cubin k.ptx --raw -o ours.fatbin
expect_same theirs.fatbin ours.fatbin
