#!/usr/bin/env bash
# What `make demo` shows works: linking, comparing with nvlink's file, text and back, verifying.
. "${BASH_SOURCE%/*}/../common.inc.sh"

says 0 "linked.cubin: ok" "identical, " "identical; " " files: ok" "demo done" -- "$SOURCE/scripts/demo.sh" "$(dirname "$CUBIN")"
