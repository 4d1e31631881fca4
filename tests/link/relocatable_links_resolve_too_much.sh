#!/usr/bin/env bash
# nvlink -r resolves references that the next link moves again: to dynamic shared memory from functions
# (Q021), to constants and sized shared memory (Q023), and to images, with bank 28 (Q024); and it drops
# the relocations of weak data that lost.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded relocatable_links_resolve_too_much
