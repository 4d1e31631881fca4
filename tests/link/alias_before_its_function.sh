#!/usr/bin/env bash
# A second name that other objects mention before the function is known: nvlink takes it for the
# owner of the code, and the call frame stays as it is in Mercury code (Q107).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded alias_before_its_function --code=mercury
