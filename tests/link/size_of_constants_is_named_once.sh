#!/usr/bin/env bash
# Code that asks whether an address is one of constants needs to know how many there are. A relocatable
# link of nvlink answers, and keeps one symbol of all files for it (Q023).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded size_of_constants_is_named_once
