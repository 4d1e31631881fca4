#!/usr/bin/env bash
# culink --make-toolchain makes a folder through which nvcc and CMake link with culink: separable
# compilation, a static library, an executable; for several targets, with -G and -lineinfo. What they
# make is what they make with nvlink; without a toolkit it says so.
. "${BASH_SOURCE%/*}/../common.inc.sh"

(
  export PATH=/usr/bin:/bin CUDA_HOME="" CUDA_PATH=""
  [ -e /usr/local/cuda/bin/ptxas ] ||
    { not "$CULINK" --make-toolchain none 2> error && expect_contains error "no CUDA toolkit found"; }
)
need nvcc nvlink objcopy cmake
"$CULINK" --make-toolchain "$WORK/cuda" > told
expect_contains told "nvcc:  $WORK/cuda/bin/nvcc" "CMake: " "clang: "
"$CULINK" --make-toolchain "$WORK/cuda" > told # and again
[ "$(readlink -f cuda/bin/culink)" = "$(readlink -f "$CULINK")" ] || fail "culink is not culink"
mkdir -p occupied/bin && echo precious > occupied/bin/nvcc
expect_status 1 "$CULINK" --make-toolchain occupied 2> error
expect_contains error "it is not empty, and no folder that culink has made"

cat > part.cu <<'EOF'
__device__ __noinline__ int scale(int x) { return x * 3; }
__global__ void unused(int *p) { *p = scale(*p); }
EOF
cat > main.cu <<'EOF'
extern __device__ int scale(int);
__global__ void child(int *p) { *p = scale(*p); }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); }
EOF

# fatbin PROGRAM: the device code in it.
fatbin() {
  objcopy -O binary --only-section=.nv_fatbin --set-section-flags .nv_fatbin=alloc "$1" "$1.fatbin"
}
# same NAME OPTION...: the programs have the same device code with either linker. The objects are
# compiled once. With -G the image records the names of the files that the link makes: they are kept,
# under the same names.
same() {
  local name=$1
  shift
  cuda/bin/nvcc -dc "$@" main.cu part.cu
  set -- "$@" --keep main.o part.o -lcudadevrt -o program
  cuda/bin/nvcc -Xnvlink --emulate=nvlink-13.0.88 "$@"
  mv program "ours.$name"
  ln -sf "$(command -v nvlink)" cuda/bin/nvlink
  cuda/bin/nvcc "$@"
  mv program "theirs.$name"
  "$CULINK" --make-toolchain cuda > told
  fatbin "ours.$name"
  fatbin "theirs.$name"
  expect_same "theirs.$name.fatbin" "ours.$name.fatbin"
}
same one -arch=sm_90
same debug -arch=sm_80 -G
same lines -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -lineinfo

cat > CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(separable LANGUAGES CXX CUDA)
add_library(part STATIC part.cu)
add_executable(program main.cu)
target_link_libraries(program PRIVATE part cudadevrt)
set_target_properties(part program PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES 90)
EOF
cmake -S . -B out -DCMAKE_CUDA_COMPILER="$WORK/cuda/bin/nvcc" \
  -DCMAKE_CUDA_FLAGS="-Xnvlink --stats" > configure.log
cmake --build out > build.log 2>&1 || fail "does not build: $(tail -20 build.log)"
# Only culink prints this; and nothing but this, though CMake names host libraries.
expect_contains build.log "objects 3, functions"
expect_lacks build.log "culink: "
