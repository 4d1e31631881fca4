#!/usr/bin/env bash
# Builds of one release differ: ptxas 13.2.86 puts instructions that only wait into code (NVSAL_SW_WAR), nvlink 13.2.51
# removes them. Under --emulate all functions are finalized, also those that are not kernels; without it, functions with
# such a workaround keep the code of their compiler, but for another chip. The engine here answers as nvlink 13.2.51 did.
. "${BASH_SOURCE%/*}/../common.inc.sh"
export ANSWER=$SOURCE/tests/finalize/workaround.answer
make_answering nvlink
cp "$SOURCE"/tests/finalize/workaround.{cubin,expected} .

"$CULINK" -arch=sm_100 --finalizer="$PWD/nvlink" --emulate=nvlink-13.2.51 workaround.cubin -o out.cubin
expect_same out.cubin workaround.expected
"$CUBIN" dump --all out.cubin > records
expect_lacks records NVSAL_SW_WAR
"$CUBIN" check out.cubin --inputs workaround.cubin > log
expect_contains log ok

"$CULINK" -arch=sm_100 --finalizer="$PWD/nvlink" --check workaround.cubin -o out.cubin
"$CULINK" -arch=sm_100 --code=mercury workaround.cubin -o compiled.cubin
"$CUBIN" diff --details --all --ignore=tkinfo out.cubin compiled.cubin
"$CUBIN" dump --all out.cubin > records
expect_contains records NVSAL_SW_WAR
