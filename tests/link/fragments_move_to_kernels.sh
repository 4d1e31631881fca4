#!/usr/bin/env bash
# A function that allocates tensor memory says which code has to run before its kernel does. Kernels
# that reach such a function have the record in the output, the function no longer (Q111).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded fragments_move_to_kernels --code=mercury
