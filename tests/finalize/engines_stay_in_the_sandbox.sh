#!/usr/bin/env bash
# With CULINK_SANDBOX=1 an engine can neither write files, nor reach a network, nor start programs, and
# still does its work.
. "${BASH_SOURCE%/*}/../common.inc.sh"

bin=$(dirname "$CULINK")
[ -e "$bin/libfake_engine.so" ] || skip "a static culink loads no libraries"
cp "$SOURCE/tests/finalize/steps.cubin" "$SOURCE/tests/finalize/steps.answer" .
record() { "$bin/record_answer" "$CULINK" "${2:-$bin/libfake_engine.so}" sm_100 steps.cubin "$1"; }

CULINK_FAKE_ENGINE=escape not record none.cubin 2> errors
[ -e escaped ] || fail "without the sandbox the engine should have written a file"
rm escaped

export CULINK_SANDBOX=1
status=0
CULINK_FAKE_ENGINE=steps.answer record out.cubin 2> errors || status=$?
if grep -q "sandbox" errors; then skip "no filters of system calls here"; fi
[ "$status" -eq 0 ] || fail "$(cat errors)"
expect_same out.cubin steps.answer
CULINK_FAKE_ENGINE=escape not record none.cubin 2> errors
expect_contains errors "it does not want to"
[ ! -e escaped ] || fail "the engine has written a file"

# NVIDIA's own, where it is.
library=$(ls /usr/local/cuda/lib64/libnvJitLink.so.13 2> /dev/null || true)
if [ -n "$library" ]; then
  record real.cubin "$library"
  CULINK_SANDBOX=0 record free.cubin "$library"
  expect_same real.cubin free.cubin
fi
