#!/usr/bin/env bash
# Toolkit 12 counts barriers in the flags of code, toolkit 13 in a record. A kernel of toolkit 12 that
# calls a function of toolkit 13 gets the largest count of its callees and keeps its own in the flags
# (Q063); by default the record has the largest of all.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded barriers_of_two_toolkits
"$CULINK" -arch=sm_75 kernels.cubin old.cubin new.cubin -o own.cubin
"$CUBIN" dump --info own.cubin > info
for kernel in few:6 many:15 none:12 old_alone:12; do
  sed -n "/^ *\.nv\.info\.${kernel%:*} /,/NUM_BARRIERS/p" info > records
  expect_contains records "EIATTR_NUM_BARRIERS                     EIFMT_BVAL  value ${kernel#*:}"
done
"$CUBIN" dump --sections own.cubin | awk '{print $NF, $8}' > flags
expect_contains flags '.text.many 0x6'
