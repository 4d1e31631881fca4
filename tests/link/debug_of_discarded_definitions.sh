#!/usr/bin/env bash
# Debug information of a weak definition that was compiled with -G and discarded: nvlink takes places in it
# for places in the prevailing definition (Q106). Registers are found by name: the first block counts, also
# where its file has another, or a dead function of that name (Q109). What is beyond the end of the shorter
# definition is 0, where nvlink reads beyond its table.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink ptxas

cat > copies.cu << 'CODE'
template <typename T> __noinline__ __device__ T step(T x, T *p) {
  T sum = x;
#pragma unroll
  for (int i = 0; i < ROUNDS; ++i)
    sum = sum * p[i * 7] + (sum >> 3);
  return sum;
}
static __noinline__ __device__ int helper(int x) { return x * x + 5; }
extern "C" __device__ int NAME(dead)(int x) { return helper(x); }
extern "C" __global__ void NAME(kernel)(int *p) { *p = step(*p, p) + CALL(*p); }
CODE
compile() { # NAME ROUNDS CALL OPTION...
  nvcc -arch=sm_100 -rdc=true "-DNAME(x)=$1_##x" "-DROUNDS=$2" "-DCALL=$3" -cubin -o "$1.cubin" \
    copies.cu "${@:4}"
}
compile long 40 int
compile short 2 int -G
compile other 3 helper -G
for option in "" -g -r; do
  # shellcheck disable=SC2086  # none or one
  links_as_nvlink -arch=sm_100 $option long.cubin short.cubin other.cubin
done
mv expected.cubin relocatable.cubin # of -r
links_as_nvlink -arch=sm_100 relocatable.cubin

# A local function without debug information comes before one of its name with it.
program() { # LINKAGE NAME ROUNDS
  cat << CODE
.version 9.0
.target sm_100
.address_size 64
$1 .func (.param .b32 r) helper(.param .b32 a)
{
  .reg .b32 %x;
  ld.param.b32 %x, [a];
$(for ((i = 0; i < $3; ++i)); do echo "  mul.lo.s32 %x, %x, %x; xor.b32 %x, %x, $i;"; done)
  st.param.b32 [r], %x;
  ret;
}
.visible .entry kernel_$2(.param .u64 p)
{
  .param .b32 x;
  .reg .b64 %p;
  .reg .b32 %x;
  ld.param.u64 %p, [p];
  st.param.b32 [x], 1;
  call (x), helper, (x);
  ld.param.b32 %x, [x];
  st.global.b32 [%p], %x;
  ret;
}
CODE
}
program "" local 9 > local.ptx
program .visible global 4 > global.ptx
ptxas -c -arch=sm_100 local.ptx -o local.cubin
ptxas -c -arch=sm_100 -g global.ptx -o global.cubin 2> /dev/null
links_as_nvlink -arch=sm_100 global.cubin local.cubin
links_as_nvlink -arch=sm_100 local.cubin global.cubin

# Where the prevailing definition is shorter, too, the file is the same each time.
compile shortest 0 int
for name in first again; do
  "$CULINK" --emulate=nvlink-13.0.88 --code=exact -arch=sm_100 shortest.cubin other.cubin \
    -o out.cubin
  mv out.cubin $name.cubin
done
expect_same first.cubin again.cubin
