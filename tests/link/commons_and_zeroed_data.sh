#!/usr/bin/env bash
# Since 13.3 data without initial values prevails over common symbols of its name, as initialised data
# does (Q057).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded commons_and_zeroed_data
