#!/usr/bin/env bash
# Objects for sm_110 are linked with both forms of their code. nvlink leaves the schedule of this
# code alone, so that its files can be made without a finalizer. table.cubin has a branch table in a
# device function; reserved shared memory is in every object for this target. Two such tables show how
# constants of the compiler are numbered after -r (Q103).
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded mercury_and_machine_code --code=mercury
while read -r _ options; do
  # shellcheck disable=SC2086  # several options
  "$CULINK" --code=mercury $options -o own.cubin
  "$CUBIN" verify own.cubin > /dev/null
  # shellcheck disable=SC2086
  "$CULINK" --code=sass $options -o sass.cubin
  "$CUBIN" verify sass.cubin > /dev/null
done < "$SOURCE/tests/golden/mercury_and_machine_code/links"

# Other chips of a family need code that was made anew.
not "$CULINK" -arch=sm_103 --code=mercury "$SOURCE/examples/vector_math/sm_100/main.cubin" -o no 2> log
expect_contains log "--code=exact"
