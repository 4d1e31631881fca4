#!/usr/bin/env bash
# Common symbols for unified variables: executables keep the mark of one, definitions in .nv.udt give way as
# those without initial values do, and entries of the table have the place that nvlink knew (Q057, Q067).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded common_unified_variables
"$CULINK" -arch=sm_90 --check common.cubin -o out.cubin
"$CUBIN" verify out.cubin
