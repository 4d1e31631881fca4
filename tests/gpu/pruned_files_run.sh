#!/usr/bin/env bash
# What cubin prune and cubin pack make links with nvcc and runs on the GPU as before: objects, an
# archive, programs with and without -rdc, packed code, and a fatbin that a program loads. GPU_TARGET
# is the device's target; without a GPU the programs are built and not run.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc
nvcc --list-gpu-code > /dev/null 2>&1 || skip "nvcc does not work here"
if command -v nvidia-smi > /dev/null && nvidia-smi -L > devices 2> /dev/null && grep -q GPU devices; then
  gpu=${GPU_TARGET:-sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)}
else
  gpu=
  [ -n "${BUILD_WITHOUT_GPU:-}" ] || skip "no GPU"
fi
target=${gpu:-sm_90}
number=${target#sm_}

cat > main.cu <<'EOF'
#include <cstdio>
__device__ int helper(int x);
__global__ void k(int *p) { *p = helper(*p) + 1; }
int main() {
  int *p, value = 0;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  k<<<1, 1>>>(p);
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  printf("%d %s\n", value, cudaGetErrorString(cudaGetLastError()));
  return value != 42;
}
EOF
echo '__device__ int helper(int x) { return x + 41; }' > helper.cu
sed 's/__device__ int helper(int x);/&/' main.cu helper.cu > whole.cu
cat > load.cu <<'EOF'
#include <cstdio>
#include <cuda.h>
int main(int, char **words) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction k;
  CUdeviceptr p;
  int value = 0;
  void *parameters[] = {&p};
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  int status = cuModuleLoad(&module, words[1]);
  if (status == 0)
    status = cuModuleGetFunction(&k, module, "_Z1kPi");
  cuMemAlloc(&p, 4);
  cuMemsetD32(p, 0, 1);
  if (status == 0)
    status = cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  cuMemcpyDtoH(&value, p, 4);
  printf("%d status %d\n", value, status);
  return value != 42;
}
EOF
targets=(-gencode "arch=compute_75,code=sm_75" -gencode "arch=compute_80,code=sm_80"
  -gencode "arch=compute_$number,code=[$target,compute_$number]")
nvcc -rdc=true "${targets[@]}" -c main.cu -o main.o
nvcc -rdc=true "${targets[@]}" -c helper.cu -o helper.o
nvcc "${targets[@]}" whole.cu -o whole
nvcc "${targets[@]}" main.o helper.o -o program
ar rcs lib.a main.o helper.o

# runs PROGRAM WORD...: it prints what it should, where there is a GPU.
runs() {
  local output
  [ -x "$1" ] || fail "$1 is no program"
  printf '%-24s %9d bytes' "$1" "$(stat -c %s "$1")"
  if [ -n "$gpu" ]; then
    output=$("./$1" "${@:2}") || fail "$1: $output"
    printf '  %s' "$output"
  fi
  echo
}
runs program
runs whole

# Objects and an archive: only the device's code stays, packed as it was and packed best.
for level in "" --compress=19; do
  for file in main.o helper.o; do
    "$CUBIN" prune $file --keep="$target" $level -o "pruned_$file"
  done
  nvcc -arch="$target" pruned_main.o pruned_helper.o -o "from_objects$level"
  runs "from_objects$level"
  "$CUBIN" prune lib.a --keep="$target" $level -o pruned.a
  nvcc -arch="$target" -Xlinker --whole-archive pruned.a -Xlinker --no-whole-archive -o "from_archive$level"
  runs "from_archive$level"
done
# Without debug information: objects, and a program in place.
for name in main helper; do
  nvcc -lineinfo -rdc=true "${targets[@]}" -c $name.cu -o lines_$name.o
  "$CUBIN" prune lines_$name.o --keep="$target" --drop=debug -o stripped_$name.o
done
nvcc -arch="$target" stripped_main.o stripped_helper.o -o from_stripped
runs from_stripped
nvcc -arch="$target" -G whole.cu -o whole_debug
runs whole_debug
"$CUBIN" prune whole_debug --drop=debug,ptx -o whole_stripped
runs whole_stripped
# Only PTX stays, which the driver compiles.
"$CUBIN" prune whole --keep="compute_$number" -o whole_ptx
runs whole_ptx
# Programs in place: other targets, PTX, and what is left of the device link.
"$CUBIN" prune program --keep="$target" -o program_target
runs program_target
"$CUBIN" prune program --keep="$target" --drop=relocatable -o program_linked
runs program_linked
"$CUBIN" prune program --keep="$target" --drop=relocatable --compress=19 -o program_packed
runs program_packed
"$CUBIN" prune whole --keep="$target" --compress=22 -o whole_packed
runs whole_packed
cp program program_itself
"$CUBIN" prune program_itself --drop="sm_75,sm_80,ptx" -o program_itself
runs program_itself

# Fatbins that are loaded as files.
nvcc -arch="$target" -cubin whole.cu -o whole.cubin
nvcc -arch=sm_75 -cubin whole.cu -o other.cubin
nvcc -arch="compute_$number" -ptx whole.cu -o whole.ptx
nvcc -arch="$target" load.cu -lcuda -L"$(dirname "$(readlink -f "$(command -v nvcc)")")/../lib64/stubs" -o load ||
  skip "no libcuda to link with"
for how in --raw --compress=3 --compress=22; do
  "$CUBIN" pack other.cubin whole.cubin whole.ptx $how -o "all$how.fatbin"
  runs load "all$how.fatbin"
done
"$CUBIN" pack whole.ptx -o text.fatbin
runs load text.fatbin
[ -n "$gpu" ] || skip "built; there is no GPU to run it"
