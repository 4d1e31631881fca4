#!/usr/bin/env bash
# nvlink 13.1 aligns dynamic shared memory as its first declaration says, and in a group of kernels
# that have to agree on its start as the function that is read first says (Q116). After -r the offset
# of an instance counts as an alignment (Q115). By default all declarations count.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded alignment_of_dynamic_memory
links_soundly alignment_of_dynamic_memory plain '^(code|segments|headers):'
"$CUBIN" dump --hex .text.f own.cubin > code
expect_contains code ' 04 01 00 ' # f has its memory at 0x100, not at the end of `both`
