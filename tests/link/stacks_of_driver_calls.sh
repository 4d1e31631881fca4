#!/usr/bin/env bash
# Where machine code for sm_107 calls the driver for images, nvlink 13.4 gives kernels that call nothing the stack of their
# Mercury code, if the call graph of the output says anything, and what is called through pointers counts neither as
# stack nor among the driver's functions of a kernel (Q145). Without an engine the files differ in a record that engines add.
. "${BASH_SOURCE%/*}/../common.inc.sh"
golden=$SOURCE/tests/golden/stacks_of_driver_calls
cp "$golden"/*.cubin .
while read -r label options; do
  # shellcheck disable=SC2086  # several options
  "$CULINK" --emulate=nvlink-13.4.92 --code=mercury $options -o out.cubin
  "$CUBIN" diff --details --all --ignore=layout --ignore=segments --ignore=tkinfo "$golden/$label.expected" out.cubin > differences || true
  grep -vE "^info: '\.nv\.(merc\.nv\.)?info.*only in the first file: 0x67|differences?$" differences > others || true
  [ ! -s others ] || fail "$label: $(cat others)"
  # shellcheck disable=SC2086  # several options
  "$CULINK" --code=mercury --check $options -o "$label.own.cubin"
done < "$golden/links"

# By default each kernel has what its machine code needs.
stack_of() { "$CUBIN" usage "$1" | awk -v kernel="$2" '$NF == kernel { print $3 }'; }
while read -r label kernel theirs own; do
  [ "$(stack_of "$golden/$label.expected" "$kernel")" = "$theirs" ] || fail "$label: another stack was recorded"
  [ "$(stack_of "$label.own.cubin" "$kernel")" = "$own" ] || fail "$label: $(stack_of "$label.own.cubin" "$kernel")"
done << 'END'
called samples 0 88
selected samples 88 88
dead samples 88 88
taken samples 0 88
pointer samples 88 176
reached k 0 88
END
