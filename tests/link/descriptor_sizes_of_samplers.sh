#!/usr/bin/env bash
# Code that asks for properties of a sampler refers to the size of sampler descriptors, an object that
# compilers declare as weak wherever it is needed (Q072).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded descriptor_sizes_of_samplers
