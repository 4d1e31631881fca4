#!/usr/bin/env bash
# Code of sm_100 is finalized by NVIDIA's library in a process of its own. culink's library of the same
# name, which the loader would prefer there, is never taken for it.
. "${BASH_SOURCE%/*}/../common.inc.sh"
client=${CULINK_BUILD:-$SOURCE/build/release}/bin/nvjitlink_client
example=$SOURCE/examples/vector_math/sm_100
"$CULINK" --make-jit-folder jit > told
jit=$WORK/jit/libnvJitLink.so.13
steps=("file:cubin:$example/main.cubin" "file:cubin:$example/filter.cubin" complete)

# A toolkit whose library is culink's: the program refuses it as an engine, and the search passes over it.
mkdir -p toolkit/bin toolkit/lib
ln -s "$jit" toolkit/lib/libnvJitLink.so.13
expect_status 1 "$CULINK" -arch=sm_100 --code=exact --finalizer="$jit" "$example"/{main,filter}.cubin -o out \
  2> error
expect_contains error "is culink's own and not NVIDIA's"
env -i PATH=/bin CUDA_HOME="$WORK/toolkit" LD_LIBRARY_PATH="$WORK/jit" \
  "$CULINK" -arch=sm_100 --cuda="$WORK/toolkit" "$example"/{main,filter}.cubin -o sass 2> error
expect_contains error "no finalizer"

cuda=${CUDA_HOME:-/usr/local/cuda}
[ -e "$cuda/lib/libnvJitLink.so.13" ] || [ -e "$cuda/lib64/libnvJitLink.so.13" ] ||
  skip "no libnvJitLink of NVIDIA's"
"$CULINK" -arch=sm_100 --keep-system-libraries --ignore-host-info --code=exact --cuda="$cuda" \
  "$example"/{main,filter}.cubin -o expected
export CUDA_HOME=$cuda
LD_PRELOAD=$jit LD_LIBRARY_PATH=$WORK/jit "$client" libnvJitLink.so.13 -arch=sm_100 -- "${steps[@]}" \
  cubin:got > said
expect_contains said "complete -> 0"
expect_same expected got
