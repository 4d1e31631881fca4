#!/usr/bin/env bash
# Capsules of CUDA 12.8 do not tell where instructions are, so that --check compares the operations of the
# code to see whether an engine has added some. The object is branches.cu, compiled by ptxas 12.8; the engine
# gives the answer that nvlink 13.0.88 gave with -g.
. "${BASH_SOURCE%/*}/../common.inc.sh"
make_answering nvlink
link() { "$CULINK" -arch=sm_100 -g --code=exact --check --finalizer="$PWD/nvlink" "$SOURCE/tests/finalize/older.cubin" -o out.cubin; }
ANSWER="$SOURCE/tests/finalize/older.answer" link

# In code to which nothing was added, every byte counts.
edit_elf "$SOURCE/tests/finalize/older.answer" broken "sections['.text._Z5firsti'].write(4, b'\1')"
export ANSWER=$PWD/broken
says 1 "wrong-bytes" "_Z5firsti" -- link
