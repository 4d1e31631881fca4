#!/usr/bin/env bash
# With --emulate, host objects, fatbins and archives give nvlink's bytes; kernels that no host code
# mentions go away (Q081), and so does the device runtime library where nobody needs it.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc nvlink

cat > a.cu <<'EOF'
extern __device__ int scale(int);
extern __device__ int offset;
__constant__ int table[5] = {1, 2, 3, 4, 5};
__global__ void used(int *p) { *p = scale(*p) + offset + table[*p]; }
__global__ void unused(int *p) {
  __shared__ int s[40];
  s[threadIdx.x] = *p;
  __syncthreads();
  *p = s[3] + scale(*p);
}
static __global__ void used_static(int *p) { *p = 3; }
static __global__ void unused_static(int *p) { *p = 4; }
__device__ void *keep = (void *)unused_static;
void host(int *p) {
  used<<<1, 1>>>(p);
  used_static<<<1, 1>>>(p);
}
EOF
cat > b.cu <<'EOF'
__device__ int offset = 5;
__device__ __noinline__ int scale(int x) { return x * 3 + offset; }
__global__ void unused_b(int *p) { *p = scale(*p) * 2; }
EOF
cat > c.cu <<'EOF'
__global__ void child(int *p) { *p = 7; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
void host_c() { parent<<<1, 1>>>(nullptr); }
EOF
echo 'int plain() { return 1; }' > plain.cc
arch=sm_80
for name in a b c; do
  nvcc -rdc=true -arch=$arch -c $name.cu -o $name.o
done
nvcc -rdc=true -arch=$arch -cubin a.cu -o a.cubin
nvcc -rdc=true -arch=$arch -cubin b.cu -o b.cubin
nvcc -rdc=true -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -fatbin b.cu \
  -o b.fatbin
nvcc -rdc=true -arch=$arch -ptx b.cu -o b.ptx
nvcc -rdc=true -gencode arch=compute_75,code=compute_75 -c b.cu -o b_ptx.o
g++ -c plain.cc -o plain.o
ar rc libb.a b.o
ar rcT libthin.a b.o
ld -r a.o b.o -o joined.o
cudart=$(dirname "$(find -L "$(dirname "$(command -v nvcc)")/.." -name libcudadevrt.a | head -1)")

# same OPTION...: both linkers agree about the outcome and its bytes.
count=0
same() {
  local theirs=0 ours=0
  mkdir -p theirs ours
  rm -f theirs/* ours/*
  nvlink -arch=$arch "$@" --register-link-binaries=theirs/reg -o theirs/out.cubin \
    > theirs.log 2>&1 || theirs=1
  "$CULINK" --emulate=nvlink-13.0.88 -arch=$arch "$@" --register-link-binaries=ours/reg \
    -o ours/out.cubin > ours.log 2>&1 || ours=1
  [ $theirs = $ours ] || fail "$*: nvlink $theirs, culink $ours: $(cat theirs.log ours.log)"
  [ $theirs != 0 ] || cmp -s theirs/out.cubin ours/out.cubin ||
    fail "$*: $("$CUBIN" diff --details theirs/out.cubin ours/out.cubin)"
  [ $theirs != 0 ] || expect_same theirs/reg ours/reg
  count=$((count + 1))
}

same a.o b.o
same a.o b.o -ignore-host-info
same a.o b.o -use-host-info
same a.o b.o -preserve-relocs
same a.o b.o -g
same a.o b.o -r
same a.o b.o -kernels-used=used
same a.o b.cubin
same a.cubin b.fatbin
same a.o libb.a
same a.o -L. -lb
same -lb a.o -L .
same a.o libb.a -lb -L.
same a.o libthin.a
same a.o b.o plain.o
same a.o b.o -lnosuchlibrary
same b.ptx # ignored (Q084)
same a.o b_ptx.o
same a.o b_ptx.o -maxrregcount=32
same a.o b_ptx.o -Xptxas=-O1 -split-compile=2
same a.o b_ptx.o -device-stack-protector=true
same joined.o # loses b.o: an undefined symbol
same a.o b.o "$cudart/libcudadevrt.a"
same c.o -L"$cudart" -lcudadevrt
same c.o a.o b.o -L"$cudart" -lcudadevrt
same a.o b.o -L"$cudart" -lcudadevrt -keep-system-libraries
same a.o b.o -L"$cudart" -lcudadevrt -lb -L. # an object behind the library that goes
cp a.cubin a.bin
same a.bin b.cubin
: > empty.o
same empty.o

arch=sm_90
same b.ptx
same b.ptx b_ptx.o -maxrregcount=32
same b.ptx b_ptx.o -g # the names of the compiler's files are not in the output
arch=sm_80

# On its own culink loses nothing and says what it ignores.
"$CULINK" -arch=$arch joined.o -o joined.cubin
"$CULINK" -arch=$arch a.bin b.cubin -o bin.cubin
"$CULINK" -arch=$arch a.cubin b.ptx -o ptx.cubin
not "$CULINK" -arch=$arch a.cubin b.ptx --ptxas=/no/such/ptxas -o out.cubin 2> log
expect_contains log "b.ptx: /no/such/ptxas: cannot start"
sed 's/[.]entry/.entri/' b.ptx > bad.ptx
not "$CULINK" -arch=$arch bad.ptx -o out.cubin 2> log
expect_contains log "bad.ptx, line "
not "$CULINK" -arch=$arch a.o b.o -lnosuchlibrary -Werror -o out.cubin 2> log
expect_contains log "library 'nosuchlibrary' not found"
not "$CULINK" -arch=$arch a.o b.o -lnosuchlibrary --fatal-missing-library -o out.cubin 2> log
expect_contains log "error: library 'nosuchlibrary' not found"
"$CULINK" -arch=$arch a.o b.o bin.cubin -o out.cubin 2> log
expect_contains log "bin.cubin: ignored, it is already linked"
nvcc -rdc=true -arch=sm_90 -c b.cu -o b90.o
not "$CULINK" -arch=$arch a.o b90.o -o out.cubin 2> log
expect_contains log "b90.o: ignored, no code for sm_80; there is sm_90" "undefined symbol"
echo "$count links agree"
