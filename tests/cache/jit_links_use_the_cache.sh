#!/usr/bin/env bash
# Programs that link through nvJitLink share the user's cache, unless they give -no-cache.
. "${BASH_SOURCE%/*}/watched_compiler.inc"

build=${CULINK_BUILD:-$SOURCE/build/release}
library=$build/lib/culink/jit-13/libnvJitLink.so.13
[ -e "$library" ] || skip "no libraries in a static build"
mkdir -p toolkit/bin
mv ptxas toolkit/bin
unset CULINK_NO_CACHE
export CUDA_HOME=$PWD/toolkit CULINK_CACHE_DIR=$PWD/cache

check() { # COUNT OUTPUT [OPTION...]
  local count=$1 output=$2
  shift 2
  "$build/bin/nvjitlink_client" "$library" -arch=sm_90 "$@" -- file:ptx:main.ptx data:ptx:filter.ptx complete \
    cubin:"$output" > got
  expect_contains got "complete -> 0" "cubin -> 0"
  expect_compiled "$count"
}
check 2 one
check 0 two
expect_same one two
check 2 three -no-cache
expect_same one three
CULINK_NO_CACHE=1 check 2 four
chmod 777 cache
check 2 five
expect_same one five
