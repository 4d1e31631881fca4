#!/usr/bin/env bash
# A kernel with .maxnreg or launch bounds must not call a function that needs more registers.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded registers_have_a_limit
