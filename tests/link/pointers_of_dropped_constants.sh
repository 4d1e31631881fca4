#!/usr/bin/env bash
# Where kernels are selected and a bank of constants is packed, nvlink leaves the pointers of a variable
# that it drops in the bank, over the data of another (Q051). culink drops them, too.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded pointers_of_dropped_constants
for order in "a.cubin pointers.cubin u.cubin large.cubin" "pointers.cubin a.cubin u.cubin large.cubin"; do
  # shellcheck disable=SC2086  # several files
  "$CULINK" -arch=sm_90 --check -kernels-used=k1 $order -o out.cubin
  "$CUBIN" dump --relocs out.cubin > relocs
  not grep -q "nv.constant3" relocs
done
