#!/usr/bin/env bash
# nvlink -r leaves .nv.info out of an object of data alone. The name is in the string tables of the next
# link all the same. data.cubin was assembled from data.yaml.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded objects_without_records
