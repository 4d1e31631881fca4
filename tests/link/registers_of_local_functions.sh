#!/usr/bin/env bash
# Debug information of sm_100 says which register holds what. nvlink knows functions there by name:
# of local functions of one name only the first keeps its places in the code (Q109).
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink
for file in a b; do
  cat > $file.cu << CODE
static __device__ __noinline__ int local_function(int x) { return x * 3 + 1; }
__global__ void kernel_$file(int *p) { *p = local_function(*p); }
CODE
  nvcc -arch=sm_100 -rdc=true -G -cubin -o $file.cubin $file.cu
done
nvlink -arch=sm_100 a.cubin b.cubin -o expected
"$CULINK" --emulate=nvlink-13.0.88 --code=exact -arch=sm_100 a.cubin b.cubin -o out 2> err ||
  { grep -q finalizer err && skip "no finalizer"; cat err; fail "no link"; }
expect_same expected out
