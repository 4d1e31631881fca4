#!/usr/bin/env bash
# The engine looks for the GPU driver, which would take longer to start than the link: a worker does
# not find it, though it is where the loader looks. Any library stands for the driver here; that
# another program finds it shows that it would be found.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3

bin=$(dirname "$CULINK")
[ -e "$bin/libfake_engine.so" ] || skip "a static culink loads no libraries"
cp "$SOURCE/tests/finalize/steps.cubin" "$SOURCE/tests/finalize/steps.answer" .
mkdir driver
cp "$bin/libfake_engine.so" driver/libcuda.so.1
export LD_LIBRARY_PATH=$PWD/driver CULINK_FAKE_ENGINE=steps.answer CUDA_VISIBLE_DEVICES=0
found() { python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2> errors; }
if found driver/libcuda.so.1; then # without a sanitizer that wants to be loaded first
  found libcuda.so.1 || fail "nobody would find the driver"
fi
"$bin/record_answer" "$CULINK" "$bin/libfake_engine.so" sm_100 steps.cubin out.cubin
expect_same out.cubin steps.answer
