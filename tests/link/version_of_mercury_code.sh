#!/usr/bin/env bash
# Up to nvlink 13.2 machine code for sm_100 of ptxas 12.9 counts as made from the first version of Mercury code: a link of it
# alone says so, one with an object of 13.0 has that one's version (Q151). The objects are those of
# compatibility_with_toolkit_12.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded version_of_mercury_code
"$CUBIN" dump --notes "$SOURCE/tests/golden/version_of_mercury_code/old.expected" > notes
grep -q "MERCURY_ISA_MAJOR_MINOR_VERSION .*value 0x100" notes || fail "another version"
