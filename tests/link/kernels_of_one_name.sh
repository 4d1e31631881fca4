#!/usr/bin/env bash
# A local kernel with the name of a kernel in another file: nvlink gives the first one the parameters,
# shared memory, constants and images of both (Q130).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded kernels_of_one_name
