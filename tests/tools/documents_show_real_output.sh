#!/usr/bin/env bash
# What README and docs show under a command is what the command prints.
. "${BASH_SOURCE%/*}/../common.inc.sh"

python3 -B "$SOURCE/scripts/update_shown_outputs.py" --check "$(dirname "$CUBIN")" ||
  fail "out of date; run scripts/update_shown_outputs.py"
