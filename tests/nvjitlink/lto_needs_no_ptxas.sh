#!/usr/bin/env bash
# A program that is optimised at link time is compiled as a whole, also where only NVIDIA's library is there
# to do it: its kernels need the same registers and stack, and no function is left that could be linked.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cuda=${CUDA_HOME:-/usr/local/cuda}
if [ ! -x "$cuda/bin/nvcc" ] || [ ! -e "$cuda/lib64/libnvJitLink.so.13" ]; then skip "no nvcc and libnvJitLink"; fi
mkdir -p only/bin only/lib64
ln -s "$cuda/lib64/libnvJitLink.so.13" only/lib64
cat > a.cu << 'CU'
__device__ int table[32];
__device__ __noinline__ int look(int x) { return x * table[x & 31]; }
CU
cat > b.cu << 'CU'
extern __device__ int look(int);
__global__ void k(int *p) { p[threadIdx.x] = look(p[0]) + look(p[1]); }
CU
for file in a b; do
  "$cuda/bin/nvcc" -arch=sm_90 -dlto -ltoir -dc $file.cu -o $file.ltoir
done
for place in "$cuda" only; do
  CULINK_NO_CACHE=1 "$CULINK" --cuda="$place" -arch=sm_90 -dlto a.ltoir b.ltoir -o "$(basename "$place").cubin"
done
"$CUBIN" usage "$(basename "$cuda").cubin" | grep -v cubin > with
"$CUBIN" usage only.cubin | grep -v cubin > without
expect_same with without
