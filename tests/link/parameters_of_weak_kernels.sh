#!/usr/bin/env bash
# Weak definitions of a kernel share one bank of parameters, which has to be of one size; beside a strong
# definition each has its own (Q044).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded parameters_of_weak_kernels
not "$CULINK" -arch=sm_80 weak.cubin larger.cubin -o out.cubin 2> log
expect_contains log "parameters of kernel 'kernel' differ: 360 and 368 bytes"
