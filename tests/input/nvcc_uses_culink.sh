#!/usr/bin/env bash
# nvcc with culink in nvlink's place: the same device code and the same registration as with nvlink,
# also for several targets at once, and for a virtual target alone.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink objcopy
toolkit=$(cd "$(dirname "$(readlink -f "$(command -v nvcc)")")/.." && pwd)

# A toolkit of links, in which nvlink is culink.
mkdir -p farm/bin
for path in "$toolkit"/bin/*; do
  ln -s "$path" "farm/bin/${path##*/}"
done
for path in "$toolkit"/*; do
  [ "${path##*/}" = bin ] || ln -s "$path" "farm/${path##*/}"
done
# The folder's name is recorded in the output, so nvlink is called through it, too.
printf '#!/bin/sh\necho "$@" >> "%s"\nexec "%s" --emulate=nvlink-13.0.88 "$@"\n' "$WORK/called" \
  "$CULINK" > culink-as-nvlink
chmod +x culink-as-nvlink

cat > a.cu <<'EOF'
extern __device__ int scale(int);
__global__ void used(int *p) { *p = scale(*p); }
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() {
  used<<<1, 1>>>(nullptr);
  parent<<<1, 1>>>(nullptr);
}
EOF
cat > b.cu <<'EOF'
__device__ __noinline__ int scale(int x) { return x * 3; }
__global__ void unused(int *p) { *p = scale(*p); }
EOF

# same NAME OPTION...: device-links a.NAME.o and b.NAME.o with both.
same() {
  local name=$1 section
  shift
  for unit in a b; do
    nvcc -rdc=true "$@" -c $unit.cu -o "$unit.$name.o"
  done
  ln -sf "$(command -v nvlink)" farm/bin/nvlink
  farm/bin/nvcc "$@" -dlink "a.$name.o" "b.$name.o" -lcudadevrt -o theirs.o
  ln -sf "$WORK/culink-as-nvlink" farm/bin/nvlink
  farm/bin/nvcc "$@" -dlink "a.$name.o" "b.$name.o" -lcudadevrt -o ours.o
  for section in .nv_fatbin __nv_module_id; do
    objcopy -O binary --only-section=$section --set-section-flags $section=alloc theirs.o theirs.bin
    objcopy -O binary --only-section=$section --set-section-flags $section=alloc ours.o ours.bin
    expect_same theirs.bin ours.bin
  done
}
same one -arch=sm_90
same two -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
same ptx -gencode arch=compute_80,code=compute_80
expect_contains called "--arch=sm_90" "--arch=compute_80" "-report-arch"
farm/bin/nvcc -arch=sm_90 a.one.o b.one.o -lcudadevrt -o program
[ -x program ] || fail "no program"
