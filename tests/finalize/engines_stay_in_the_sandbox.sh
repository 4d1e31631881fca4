#!/usr/bin/env bash
# With CULINK_SANDBOX=1 an engine can do nothing but compute: each of more than 100 system calls that
# reach further is refused. It still does its work.
. "${BASH_SOURCE%/*}/../common.inc.sh"

bin=$(dirname "$CULINK")
[ -e "$bin/libfake_engine.so" ] || skip "a static culink loads no libraries"
cp "$SOURCE/tests/finalize/steps.cubin" "$SOURCE/tests/finalize/steps.answer" .
record() { "$bin/record_answer" "$CULINK" "${2:-$bin/libfake_engine.so}" sm_100 steps.cubin "$1"; }

CULINK_FAKE_ENGINE=escape not record none.cubin 2> errors
expect_lacks errors "it does not want to"

export CULINK_SANDBOX=1
status=0
CULINK_FAKE_ENGINE=steps.answer record out.cubin 2> errors || status=$?
if grep -q "sandbox" errors; then skip "no filters of system calls here"; fi
[ "$status" -eq 0 ] || fail "$(cat errors)"
expect_same out.cubin steps.answer
CULINK_FAKE_ENGINE=escape not record none.cubin 2> errors 9> leaked
expect_contains errors "it does not want to"
[ ! -s leaked ] || fail "the engine has written to a file of the program that started the linker"
