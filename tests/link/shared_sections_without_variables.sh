#!/usr/bin/env bash
# nvlink 13.4 takes the .nv.shared section that -r has left of a kernel without variables for a block
# of memory, so that dynamic memory starts behind it; the block's symbol is symbol 0 (Q117). That of a kernel
# that was not selected stays as it is, and variables that only this kernel uses have no place. By default it
# is nothing.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded shared_sections_without_variables
links_soundly shared_sections_without_variables again '^(sections|symbols|code|segments|headers|strings):'
"$CUBIN" usage own.cubin > usage
grep -qE ' 1024 .* dynamic$' usage || fail "dynamic memory does not start at once: $(cat usage)"
links_soundly shared_sections_without_variables only-launched \
  '^(sections|symbols|code|info|segments|headers|strings):' --check
