#!/usr/bin/env bash
# An engine takes objects of earlier releases, too, and schedules their code in its own way. Where the
# bytes of a release of nvlink are asked for, an engine of another one is an error; where only both forms
# of the code are, a warning. The engine here gives the answer that nvlink 13.0.88 gave (steps.answer).
. "${BASH_SOURCE%/*}/../common.inc.sh"
export ANSWER=$SOURCE/tests/finalize/steps.answer
make_answering nvlink
# The function of another file becomes one that the driver may provide, which a program can leave undefined.
"$CUBIN" text --exact "$SOURCE/tests/finalize/steps.cubin" | sed 's/_Z8far_awayi/__cuda_syscall_far/' | assemble steps
link() { "$CULINK" -arch=sm_100 --finalizer="$PWD/nvlink" "$@" steps.cubin -o out.cubin; }

link --emulate=nvlink-13.0.88 2> told
expect_lacks told "CUDA"
rm out.cubin
says 1 "the finalizer is of CUDA 13.0, but --emulate asks for the code of 13.1" "--cuda=FOLDER" -- \
  link --emulate=nvlink-13.1.115
[ ! -e out.cubin ] || fail "wrote a file"

says 0 "warning: the finalizer is of CUDA 13.0" "not that of nvlink 13.1" -- link --code=exact --dialect=13.1
link --code=exact 2> told
expect_lacks told "CUDA"
# Nobody asked for certain bytes.
link --dialect=13.1 2> told
expect_lacks told "CUDA"
