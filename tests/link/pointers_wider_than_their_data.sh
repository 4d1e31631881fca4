#!/usr/bin/env bash
# Addresses in an array of 4-byte integers take 8 bytes each, the last beyond the end of the section.
# nvlink links that (Q133); culink says where it is.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded pointers_wider_than_their_data
not "$CULINK" -arch=sm_80 a.cubin -o out.cubin 2> log
expect_contains log "writes 8 bytes at 0x8 of section"
