#!/usr/bin/env bash
# A link of an empty file for sm_100 says which shortcuts a finalizer may take: none.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded link_of_nothing_has_compatibility --code=mercury
