#!/usr/bin/env bash
# Links that need code made anew, compared with nvlink's: objects of one chip for another of the
# family, the device runtime library, stubs of unified functions in a relocatable link with -g (and
# what the next one without it makes of that), and a file with two local functions of one name, which
# nvlink links wrongly and culink does not.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc ptxas nvlink
golden=$SOURCE/tests/golden

same_as_nvlink() {
  nvlink "$@" -o out 2> log || { cat log; fail "nvlink $*"; }
  mv out expected
  "$CULINK" --emulate=nvlink-13.0.88 --code=exact "$@" -o out 2> err ||
    { grep -q finalizer err && skip "no finalizer"; cat err; fail "no link"; }
  "$CUBIN" diff --details expected out || fail "culink $*"
  expect_same expected out
}

cp "$SOURCE/tests/finalize/doubles.cubin" "$golden"/records_of_local_functions/*.cubin .
cat > far.cu << 'CODE'
__device__ double far_away(double x) { return 1 / x; }
CODE
nvcc -arch=sm_100 -rdc=true -cubin -o far.cubin far.cu
for target in sm_100 sm_103 sm_103a; do
  same_as_nvlink -arch=$target doubles.cubin far.cubin first.cubin
done

cat > parent.cu << 'CODE'
__global__ void child(int *p) { ++*p; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
CODE
nvcc -arch=sm_100 -rdc=true -cubin -o parent.cubin parent.cu
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvlink)")")")
same_as_nvlink -arch=sm_100 parent.cubin "-L$cuda/lib64" "-L$cuda/targets/$(uname -m)-linux/lib" -lcudadevrt

for file in a b; do
  sed 's/sm_90/sm_100/; s/version 8.0/version 9.0/' \
    "$golden/unified_tables_pass_through_r/$file.ptx" > $file.ptx
  ptxas -c -arch=sm_100 $file.ptx -o $file.cubin
done
same_as_nvlink -arch=sm_100 -r -g a.cubin b.cubin
cp expected again.cubin
same_as_nvlink -arch=sm_100 -r again.cubin

"$CULINK" -arch=sm_100 --code=exact first.cubin second.cubin -o direct.cubin
"$CULINK" -arch=sm_100 -r first.cubin second.cubin -o both.cubin
"$CULINK" -arch=sm_100 --code=exact both.cubin -o stepwise.cubin
for file in direct stepwise; do
  "$CUBIN" dump --hex .text.helper --hex .text.second $file.cubin | sed '1d; s|section [0-9]*||' > $file
done
expect_same direct stepwise
