#!/usr/bin/env bash
# Of an object with many functions an engine gets only those that are linked: the code of these is
# what nvlink makes of them in the whole object, whichever they are, with lines and without. Device
# functions without lines keep the code that they were compiled to, and no engine is asked for them.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink

cat > library.cu << 'CODE'
__device__ int state[64];
__constant__ int limits[4] = {1, 2, 3, 4};
static __device__ __noinline__ int local_help(int x) { return x * state[x & 63]; }
#define FUNCTION(N)                                                                                \
  extern "C" __device__ __noinline__ int lib_##N(int *p, const int *q, int n) {                    \
    __shared__ int s[32];                                                                          \
    int acc = N;                                                                                   \
    for (int i = 0; i < n; ++i) {                                                                  \
      acc = acc * (2 * N + 3) + q[i] + local_help(acc);                                            \
      switch (acc & 7) {                                                                           \
      case 0: p[i] = acc / limits[i & 3]; break;                                                   \
      case 1: s[i & 31] = acc; acc += s[(i + N) & 31]; break;                                      \
      case 2: atomicAdd(&state[i & 63], acc); break;                                               \
      case 3: acc ^= __shfl_sync(~0u, acc, N); break;                                              \
      case 4: p[i + 1] = (int)((double)acc / q[0]); break;                                         \
      default: acc += N; }                                                                         \
    }                                                                                              \
    return acc;                                                                                    \
  }
FUNCTION(0) FUNCTION(1) FUNCTION(2) FUNCTION(3) FUNCTION(4)
__device__ int (*chosen)(int *, const int *, int) = lib_4;
__global__ void unused(int *p) { p[0] = chosen(p, p, 1); }
CODE
cat > user.cu << 'CODE'
extern "C" __device__ int FIRST(int *, const int *, int), SECOND(int *, const int *, int);
extern "C" __global__ void user(int *p, int *q) { p[0] = FIRST(p, q, 3) + SECOND(q, p, 2); }
CODE
nvcc -arch=sm_100 -rdc=true -cubin -o plain.cubin library.cu
nvcc -arch=sm_100 -rdc=true -lineinfo -cubin -o lines.cubin library.cu
same_as_nvlink() {
  nvlink -arch=sm_100 "$@" -o out
  mv out expected
  "$CULINK" --emulate=nvlink-13.0.88 --code=exact -arch=sm_100 "$@" -o out 2> err ||
    { grep -q finalizer err && skip "no finalizer"; cat err; fail "no link"; }
  expect_same expected out
}
for first in 0 3; do
  nvcc -arch=sm_100 -rdc=true -DFIRST=lib_$first -DSECOND=lib_$((first + 1)) -cubin -o user.cubin user.cu
  for library in plain lines; do
    same_as_nvlink user.cubin $library.cubin
    same_as_nvlink -kernels-used=user user.cubin $library.cubin
  done
done

nvlink=$(command -v nvlink)
printf '#!/bin/sh\necho >> "%s"\nexec "%s" "$@"\n' "$PWD/calls" "$nvlink" > counted
chmod +x counted
count_calls() {
  rm -f calls
  "$CULINK" --no-cache --finalizer="$PWD/counted" --code=exact -arch=sm_100 -kernels-used=user \
    user.cubin "$1" -o out
  wc -l < calls
}
[ "$(count_calls plain.cubin)" = 1 ] || fail "engines were asked for functions that stay as they are"
[ "$(count_calls lines.cubin)" = 2 ] || fail "nobody was asked for code with lines"
