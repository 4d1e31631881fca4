#!/usr/bin/env bash
# Machine code for sm_107 calls the driver for textures and surfaces, where Mercury code has instructions.
# Only the SASS plane has symbols, relocations and calls of these functions, and registers and stack for
# them. Relocatable links need no engine and are nvlink's byte for byte; linked code differs in a record
# that engines add.
. "${BASH_SOURCE%/*}/../common.inc.sh"
golden=$SOURCE/tests/golden/driver_calls_for_images
cp "$golden"/*.cubin .
while read -r label options; do
  # shellcheck disable=SC2086  # several options
  case $label in
  linked) "$CULINK" --emulate=nvlink-13.4.92 --code=mercury $options -o linked.cubin ;;
  *)
    "$CULINK" --emulate=nvlink-13.4.92 --code=exact $options -o "$label.out.cubin"
    expect_same "$golden/$label.expected" "$label.out.cubin"
    ;;
  esac
done < "$golden/links"
"$CUBIN" diff --details --all "$golden/linked.expected" linked.cubin > differences || true
expect_contains differences "'.nv.info.reads': record" "5 differences"
[ "$(grep -c "^info: '.nv.info.*only in the first file: 0x67" differences)" = 4 ] || fail "more than that record"
expect_contains differences "layout: "

# By default the kernel that calls nothing but the driver has the stack that its machine code needs (Q145).
stack_of() { "$CUBIN" usage "$1" | awk -v kernel="$2" '$NF == kernel { print $3 }'; }
"$CULINK" --code=mercury --check -arch=sm_107 kernels.cubin function.cubin -o own.cubin
[ "$(stack_of linked.cubin writes)" = 0 ] || fail "another stack than nvlink's"
[ "$(stack_of own.cubin writes)" = 72 ] || fail "too little stack"
for file in linked own; do
  [ "$(stack_of $file.cubin reads)" = 176 ] || fail "another stack of what calls a function"
done
"$CUBIN" verify own.cubin linked.cubin

# Beside samplers nvlink changes what the driver is told. What that means is not known, so that such
# objects are linked as machine code alone.
"$CULINK" --check -arch=sm_107 kernels.cubin function.cubin samplers.cubin -o alone.cubin 2> errors
expect_contains errors "kernels.cubin: Mercury code with calls of the driver for textures without samplers"
for code in mercury exact; do
  not "$CULINK" -arch=sm_107 --code=$code {kernels,function,samplers}.cubin -o none.cubin 2> errors
  expect_contains errors "kernels.cubin: has calls of the driver" "--code=sass can link it"
done
# Under --emulate only the engine is missing, which is told that all objects have samplers.
not env PATH=/usr/bin:/bin CUDA_HOME=/nowhere "$CULINK" --emulate=nvlink-13.4.92 -arch=sm_107 --code=exact \
  {kernels,function,samplers}.cubin -o none.cubin 2> errors
expect_lacks errors "has calls of the driver"
[ ! -e none.cubin ] || fail "wrote an output"

# Other functions of the driver are called as everywhere.
"$CULINK" --code=mercury --check -arch=sm_107 prints.cubin samplers.cubin -o beside.cubin
"$CUBIN" verify beside.cubin
