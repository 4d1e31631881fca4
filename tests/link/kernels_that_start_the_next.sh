#!/usr/bin/env bash
# Since 13.4 records say which kernels let the next one start before they end. A kernel does so if
# functions do that it calls, directly or through others; calls through pointers do not count (Q150).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded kernels_that_start_the_next --code=mercury
