#!/usr/bin/env bash
# What an engine made of an object is kept, too: the second link starts no engine, which here would
# crash. Another engine, or other options, ask again.
. "${BASH_SOURCE%/*}/../common.inc.sh"

bin=$(dirname "$CULINK")
[ -e "$bin/libfake_engine.so" ] || skip "a static culink loads no libraries"
cp "$SOURCE/tests/finalize/steps.cubin" "$SOURCE/tests/finalize/steps.answer" .
cp "$bin/libfake_engine.so" .
finalize() { # BEHAVIOUR OUTPUT [debug-code]
  CULINK_FAKE_ENGINE=$1 "$bin/record_answer" "$CULINK" ./libfake_engine.so sm_100 steps.cubin "$2" \
    "${3:--}" cache > use 2> err
}
finalize steps.answer first.cubin
expect_contains use "hits 0, misses 1"
expect_same first.cubin steps.answer
finalize crash second.cubin
expect_contains use "hits 1, misses 0"
expect_same second.cubin steps.answer
not finalize crash none.cubin debug-code
printf x >> libfake_engine.so
not finalize crash none.cubin
finalize steps.answer third.cubin
finalize crash third.cubin
expect_same third.cubin steps.answer

# What an engine refuses or gets wrong is not kept.
printf x >> libfake_engine.so
head -c 1000 steps.answer > short
for behaviour in refuse fail crash short; do not finalize $behaviour none.cubin; done
finalize steps.answer fourth.cubin
expect_contains use "hits 0, misses 1"
expect_same fourth.cubin steps.answer
