#!/usr/bin/env bash
# ptxas -O3 adds directives to the Mercury code of kernels with "cutlass" in their names. They are carried as they are,
# no machine instruction belongs to them, and values are stored into the records behind them as nvlink does. A record
# of a kind that is not known leaves the output with machine code alone.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/capsule_directives/* .
while read -r label options; do
  # shellcheck disable=SC2086  # several options
  "$CULINK" --emulate=nvlink-13.0.88 --code=mercury $options -o out.cubin
  expect_same "$label.expected" out.cubin
  cp out.cubin "$label.out.cubin"
  "$CUBIN" verify out.cubin
done < links
"$CUBIN" check executable.expected --inputs kernel.cubin
"$CULINK" -arch=sm_100 --code=mercury --check -r kernel.cubin -o relocatable.cubin
"$CULINK" -arch=sm_100 --code=mercury --check relocatable.cubin -o out.cubin
"$CUBIN" verify kernel.cubin
"$CUBIN" text --exact kernel.cubin | "$CUBIN" assemble - -o again.cubin
expect_same again.cubin kernel.cubin
"$CUBIN" dump --records kernel.cubin > dump
expect_contains dump "directives 116"

python3 - << 'END'
with open("kernel.cubin", "rb") as file:
    data = bytearray(file.read())
data[data.index(bytes.fromhex("3102002000010117"))] = 0x99
with open("unknown.cubin", "wb") as file:
    file.write(data)
END
"$CULINK" -arch=sm_100 --check unknown.cubin -o out.cubin 2> log
expect_contains log "unknown.cubin: Mercury code with '.nv.capmerc.text.cutlass_kernel', of which record byte 0x99"
"$CULINK" -arch=sm_100 --code=sass kernel.cubin -o sass.cubin
"$CUBIN" diff --details --all --ignore=tkinfo out.cubin sass.cubin
not "$CULINK" -arch=sm_100 --code=mercury unknown.cubin -o none.cubin 2> log
expect_contains log "record byte 0x99" "--code=sass leaves it out"
