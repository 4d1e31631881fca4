#!/usr/bin/env bash
# Debug information of sm_100 says which register holds what. nvlink knows functions there by name:
# of local functions of one name only the first keeps its places in the code (Q109). With -G every
# object has such functions from the mathematical library.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink
for file in a b; do
  cat > $file.cu << CODE
__global__ void kernel_$file(float *p) { *p = logf(*p); }
CODE
  nvcc -arch=sm_100 -rdc=true -G -cubin -o $file.cubin $file.cu
done
nvlink -arch=sm_100 a.cubin b.cubin -o expected
"$CULINK" --emulate=nvlink-13.0.88 --code=exact -arch=sm_100 a.cubin b.cubin -o out 2> err ||
  { grep -q finalizer err && skip "no finalizer"; cat err; fail "no link"; }
expect_same expected out
