#!/usr/bin/env bash
# nvlink -r leaves code as it was compiled, but not stubs of unified functions, which compilers since
# 13.1 write shorter than engines do (Q104); with the longer one reserved memory shows other bytes of
# what nvlink has in between (Q102). The engine gives the answer that nvlink 13.1.115 gave (stub.answer).
. "${BASH_SOURCE%/*}/../common.inc.sh"
export ANSWER=$SOURCE/tests/finalize/stub.answer
make_answering nvlink
links_as_recorded stubs_of_unified_functions --code=exact --finalizer="$PWD/nvlink"

# Sound links leave them alone.
rm nvlink
"$CULINK" -arch=sm_110 -r --code=mercury unified.cubin -o own.cubin
for file in unified own; do
  "$CUBIN" dump --hex .nv.uft.rel.unified $file.cubin | grep '^    0' > $file.stub
done
expect_same unified.stub own.stub
