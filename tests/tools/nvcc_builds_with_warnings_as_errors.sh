#!/usr/bin/env bash
# `nvcc -Werror all-warnings` through the toolchain folder builds what it builds with nvlink, and says
# no more: whole programs, libraries, programs of several files, and what CMake makes of them. The rule
# is shown without CUDA in classic_traps_are_explained.sh.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc
"$CULINK" --make-toolchain toolchain > told

printf '__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>(nullptr); }\n' > whole.cu
printf '__global__ void other(int *p) { *p = 2; }\n' > other.cu
printf '__device__ int f(int x) { return x + 1; }\n' > f.cu
printf '__device__ int f(int);\n__global__ void k(int *p) { *p = f(1); }\nint main() { k<<<1, 1>>>(nullptr); }\n' > main.cu
# builds OUTPUT WORD...: without a word.
builds() { says 0 -- toolchain/bin/nvcc -Werror all-warnings "${@:2}" -o "$1"; }
builds whole whole.cu
builds two -gencode "arch=compute_90,code=[sm_90,compute_90]" -gencode arch=compute_120,code=sm_120 whole.cu other.cu
builds libother.so -arch=sm_90 -shared -Xcompiler -fPIC other.cu
builds libother.a -arch=sm_90 -lib other.cu
builds separate -arch=sm_120 -rdc=true main.cu f.cu libother.a -lcudadevrt
builds optimised -arch=sm_90 -dlto main.cu f.cu

command -v cmake > /dev/null || { echo "not shown: CMake, which is not installed"; exit 0; }
cat > CMakeLists.txt << 'CODE'
cmake_minimum_required(VERSION 3.18)
project(p LANGUAGES CXX CUDA)
add_library(functions STATIC f.cu)
add_executable(separate main.cu)
target_link_libraries(separate functions)
set_target_properties(functions separate PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
add_executable(whole whole.cu other.cu)
CODE
cmake -B build -DCMAKE_CUDA_COMPILER="$WORK/toolchain/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=90 \
  -DCMAKE_CUDA_FLAGS="-Werror all-warnings" > told 2>&1 || fail "$(cat told)"
cmake --build build > told 2>&1 || fail "$(cat told)"
expect_lacks told "culink: "
