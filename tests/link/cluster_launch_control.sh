#!/usr/bin/env bash
# Since 13.2 a record says that code cancels the launch of clusters; a kernel of an executable has it
# for the functions that it reaches, too (Q152).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded cluster_launch_control --code=mercury
"$CULINK" --code=sass --check -arch=sm_100 caller.cubin between.cubin cancels.cubin others.cubin -o out.cubin
"$CUBIN" dump --info out.cubin > info
expect_contains info CLUSTER_LAUNCH_CONTROL_USED
