#!/usr/bin/env bash
# The helpers of common.inc.sh end a test where something is not as it says.
. "${BASH_SOURCE%/*}/../common.inc.sh"
echo text > file

ends() {
  if ("$@") > log 2>&1; then fail "goes on after: $*"; fi
  expect_contains log FAILED
}
ends not true
ends not bash -c 'kill -SEGV $$'
ends expect_status 1 true
ends expect_contains file text other
ends expect_lacks file other text
ends expect_same file /dev/null
ends says 0 other -- echo text
ends says 0 -- echo text
ends says 0 text -- bash -c 'echo text; exit 1'

not false
says 0 -- true
says 1 text error -- bash -c 'echo text; echo error >&2; exit 1'
expect_contains told text
