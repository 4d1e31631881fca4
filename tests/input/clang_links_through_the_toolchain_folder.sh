#!/usr/bin/env bash
# clang 19 device-links with culink where the toolchain folder is first in PATH. CUDA 13 has neither the
# headers that it includes nor the option of fatbinary that it uses next, so that is as far as it gets.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need clang++-19 clang-linker-wrapper-19 nvcc nvlink

"$CULINK" --make-toolchain "$WORK/cuda" > told
expect_contains told "clang: PATH=$WORK/cuda/bin:\$PATH clang++ --cuda-path=$WORK/cuda"
cat > main.cu <<'EOT'
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
struct dim3 { unsigned x, y, z; };
extern "C" int cudaLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
__device__ int twice(int);
__global__ void kernel(int *p) { *p = twice(*p); }
int main() { return 0; }
EOT
echo '__attribute__((device)) int twice(int x) { return x * 2; }' > part.cu
flags=(--cuda-path="$WORK/cuda" --cuda-gpu-arch=sm_90 -fgpu-rdc --offload-new-driver -nocudainc
       -nocudalib -Wno-unknown-cuda-version)
for name in main part; do
  clang++-19 -x cuda "${flags[@]}" -c $name.cu -o $name.o
done
link() { clang++-19 "${flags[@]}" main.o part.o -o "$1" -v --save-temps; }
status=0
PATH=$WORK/cuda/bin:$PATH link ours > log 2>&1 || status=$?
expect_contains log "\"$WORK/cuda/bin/nvlink\""
[ $status = 0 ] || expect_contains log "fatbinary fatal   : Unknown option '-image'"
link theirs > theirs.log 2>&1 || true
"$CUBIN" verify ours.nvptx64.sm_90.img
for image in ours theirs; do
  "$CUBIN" text --exact $image.nvptx64.sm_90.img > $image.text
done
expect_contains ours.text "tool: culink"
# But for the note of the tool, and what lies behind it in the file, they are the same.
"$CUBIN" diff --details ours.nvptx64.sm_90.img theirs.nvptx64.sm_90.img > differences || true
if grep -qvE "^(tkinfo|layout|segments|cuinfo): |^[0-9]+ differences" differences; then
  fail "$(cat differences)"
fi
