#!/usr/bin/env bash
# A refused object leaves all code of the link as it was compiled, with one warning. With --code=exact, with
# --emulate and for another chip, which needs other code, it is an error.
. "${BASH_SOURCE%/*}/../common.inc.sh"
printf '#!/bin/sh\necho "no, thanks"\nexit 3\n' > nvlink
chmod +x nvlink
cp "$SOURCE"/tests/golden/shared_variables_of_other_files/*.cubin .
link() { "$CULINK" -arch="$1" --finalizer="$PWD/nvlink" "${@:2}" user.cubin owner.cubin -o out.cubin; }

link sm_100 --code=mercury
mv out.cubin expected.cubin
link sm_100 --check 2> told
expect_same expected.cubin out.cubin
expect_contains told "warning: user.cubin: cannot be finalized, so that all code stays as it was compiled" "no, thanks"
[ "$(grep -c warning told)" = 1 ] || fail "more than one warning"
link sm_100 -g 2> told # both objects are refused
[ "$(grep -c warning told)" = 1 ] || fail "more than one warning"
rm out.cubin

for option in --code=exact --emulate=nvlink-13.0.88; do
  expect_status 1 link sm_100 $option 2> told
  expect_contains told "error: user.cubin: cannot be finalized: " "--code=mercury" "--code=sass"
done
expect_status 1 link sm_103 2> told
expect_contains told "error: user.cubin: cannot be finalized: " "--finalizer=FILE"
expect_lacks told "--code="
[ ! -e out.cubin ] || fail "wrote a file"
