#!/usr/bin/env bash
# Objects of CUDA 12.9, 13.0 and 13.4 together: records of .nv.compat that one side lacks are left out or
# count as unknown, and kernels get LANGUAGE from the functions that they reach.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded objects_of_two_releases
"$CULINK" --check -arch=sm_90 older.cubin newer.cubin -o own.cubin
mv older.out.cubin nvlink.cubin
"$CUBIN" diff --details --all --ignore=tkinfo --ignore=layout own.cubin nvlink.cubin
