#!/usr/bin/env bash
# NVIDIA's own library does all of its jobs in the sandbox, and gives the same bytes: finalizing, for
# every golden program of sm_100 and later, and link-time optimisation.
. "${BASH_SOURCE%/*}/../common.inc.sh"
library=$(find -L /usr/local/cuda/lib64 -name 'libnvJitLink.so.1[3-9]' 2> /dev/null | head -1)
[ -n "$library" ] || skip "no libnvJitLink in /usr/local/cuda"
[ -e "$(dirname "$CULINK")/libfake_engine.so" ] || skip "a static culink loads no libraries"

# links WORD...: with and without the sandbox, to one file or one end.
links() {
  local status=0 again=0
  rm -f out.cubin
  "$CULINK" --finalizer="$library" "$@" -o out.cubin > free.log 2>&1 || status=$?
  mv out.cubin free.cubin 2> /dev/null || true
  CULINK_SANDBOX=1 "$CULINK" --finalizer="$library" "$@" -o out.cubin > log 2>&1 || again=$?
  if grep -q "enter the sandbox" log; then skip "no filters of system calls here"; fi
  expect_same free.log log
  [ "$status" = "$again" ] || fail "status $again instead of $status: $*"
  [ "$status" -ne 0 ] || expect_same free.cubin out.cubin
}
for list in "$SOURCE"/tests/golden/*/links; do
  grep -q 'sm_1[0-9][0-9]' "$list" || continue
  cp "${list%/*}"/*.cubin .
  while read -r _ options; do
    # shellcheck disable=SC2086  # several options
    [[ $options != *sm_1[0-9][0-9]* ]] || links $options
  done < "$list"
done

command -v nvcc > /dev/null || { echo "not shown: link-time optimisation, there is no nvcc"; exit 0; }
printf '__device__ double f(double x) { return 1 / x; }\n' > f.cu
printf '__device__ double f(double);\n__global__ void k(double *p) { *p = f(*p); }\n' > k.cu
nvcc -gencode "arch=compute_100,code=[lto_100,sm_100]" -lineinfo -dc f.cu k.cu
for options in "-dlto" "-dlto -g" "-dlto -split-compile=2" "-dlto -emit-ptx" ""; do
  # shellcheck disable=SC2086  # several options
  links -arch=sm_100 $options f.o k.o
done
