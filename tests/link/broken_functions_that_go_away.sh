#!/usr/bin/env bash
# nvlink -r breaks branch tables of a kernel that two files have, so that it cannot link its own output
# again, and no finalizer can. With -kernels-used of another kernel it can: the broken one goes away.
# culink gives the finalizer what stays if it fails on the whole.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink
cat > copies.cu << 'CODE'
template <int N> __global__ void many(int *p, int x) {
  switch (x & 15) {
  case 0: x ^= 11 + threadIdx.y; break;
  case 1: x = x / (36 + (x & 3)); break;
  case 2: x = __popc(x) * 58; break;
  case 3: x += 21 * blockIdx.x; break;
  case 4: x = ~x + 20 * threadIdx.z; break;
  case 5: x = x / (84 + (x & 3)); break;
  case 6: x = x / (27 + (x & 3)); break;
  case 7: x *= 65; x -= blockIdx.y; break;
  }
  *p = x * N;
}
template __global__ void many<1>(int *, int);
extern "C" __device__ int FILE_function(int x) { return x + 1; }
extern "C" __global__ void FILE(int *p) { *p = 1; }
CODE
for file in first second; do
  sed "s/FILE/$file/" copies.cu > $file.cu
  nvcc -arch=sm_120 -rdc=true -cubin $file.cu -o $file.cubin
done
nvlink -arch=sm_120 -r first.cubin second.cubin -o relocatable.cubin
nvlink -arch=sm_120 relocatable.cubin -o whole.cubin > err 2>&1 && skip "this nvlink can link it"
nvlink -arch=sm_120 -kernels-used=first relocatable.cubin -o out.cubin
mv out.cubin expected.cubin
"$CULINK" --emulate=nvlink-13.0.88 --code=exact -arch=sm_120 -kernels-used=first relocatable.cubin \
  -o out.cubin 2> err || { grep -q "no finalizer" err && skip "no finalizer"; cat err; fail "no link"; }
expect_same expected.cubin out.cubin
