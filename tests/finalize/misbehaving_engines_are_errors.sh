#!/usr/bin/env bash
# Whatever an engine does, it does it in a process of its own: the linker says which object it was
# and what happened, and goes on to its end.
. "${BASH_SOURCE%/*}/../common.inc.sh"

bin=$(dirname "$CULINK")
[ -e "$bin/libfake_engine.so" ] || skip "a static culink loads no libraries"
cp "$SOURCE/tests/finalize/steps.cubin" "$SOURCE/tests/finalize/steps.answer" .
record() { "$bin/record_answer" "$CULINK" "${2:-$bin/libfake_engine.so}" sm_100 steps.cubin "$1"; }

CULINK_FAKE_ENGINE=steps.answer record out.cubin
expect_same out.cubin steps.answer

echo nonsense > nonsense
head -c 1000 steps.answer > short
for behaviour in crash refuse fail nonsense short missing; do
  export CULINK_FAKE_ENGINE=$behaviour
  expect_status 1 record none.cubin 2> errors
  expect_contains errors "error: steps.cubin: cannot be finalized: "
  [ ! -e none.cubin ] || fail "there is an output of an engine that did: $behaviour"
done
CULINK_FAKE_ENGINE=crash not record none.cubin 2> errors
expect_contains errors "the engine ended by signal 6"
CULINK_FAKE_ENGINE=refuse not record none.cubin 2> errors
grep -q "it does not want to; ERROR 9$" errors || fail "not one line: $(cat errors)"

# Libraries that are none.
cp nonsense libnonsense.so
not record none.cubin ./libnonsense.so 2> errors
expect_contains errors "cannot be loaded"
not record none.cubin ./libmissing.so 2> errors
expect_contains errors "cannot be loaded"
