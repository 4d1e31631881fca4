#!/usr/bin/env bash
# Where kernels are selected and the __constant__ bank is too large, variables that nothing uses go
# away and the others are packed (Q051).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded selected_kernels_pack_constants
# nvlink crashes over local variables.
"$CULINK" -arch=sm_75 -kernels-used=k1 u.cubin v.cubin a.cubin local.cubin -o out.cubin
"$CUBIN" verify out.cubin
"$CULINK" -arch=sm_75 -kernels-used=k3 u.cubin v.cubin pointers.cubin -o out.cubin
"$CUBIN" verify out.cubin
