#!/usr/bin/env bash
# cuda-bindings, cuda.core and numba-cuda link with culink when its library is loaded before they look for one, and get
# the same cubin. CULINK_TEST_PYTHON names a Python that has the packages; else that of the build's test tools.
. "${BASH_SOURCE%/*}/../common.inc.sh"
python=${CULINK_TEST_PYTHON:-${CULINK_BUILD:-$SOURCE/build/release}/test-tools/bin/python3}
"$python" -c "import cuda.bindings.nvjitlink" 2> none || skip "no cuda-bindings in $python"
mkdir in
cp "$SOURCE"/examples/vector_math/sm_90/{main,filter}.cubin "$SOURCE/examples/vector_math/fat/filter.o" in
"$CULINK" --make-jit-folder jit > told
for client in bindings core numba; do
  module=cuda.core
  [ "$client" = core ] || module=numba.cuda
  if [ "$client" != bindings ] && ! "$python" -c "import $module" 2> none; then
    echo "no $module in $python"
    continue
  fi
  CULINK_JIT_LOG=$WORK/$client.log LD_PRELOAD=$WORK/jit/libnvJitLink.so.13 "$python" -B \
    "$SOURCE/tests/nvjitlink/python_clients.py" "$client" in
  expect_contains "$client.log" "code=0"
  expect_same bindings.cubin "$client.cubin"
done
