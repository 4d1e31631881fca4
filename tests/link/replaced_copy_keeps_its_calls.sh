#!/usr/bin/env bash
# Of weak functions the copy with fewer registers counts, but the calls of a copy that it replaced
# stay in the call graph; only -r lists each callee once. Calls of a later copy that lost do not
# (Q026, Q027).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded replaced_copy_keeps_its_calls
