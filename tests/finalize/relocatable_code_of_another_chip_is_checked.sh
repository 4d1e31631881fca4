#!/usr/bin/env bash
# nvlink -r makes code of sm_120 anew for sm_121, and that of sm_100 for sm_103. It stores offsets in banks of constants
# that the next link stores again, and with -g it adds instructions, behind which tables of branches have other values;
# --check knows all of that, and still sees other bytes. The engine gives the answers that nvlink 13.0.88 gave with -r and
# with -r -g.
. "${BASH_SOURCE%/*}/../common.inc.sh"
make_answering nvlink
link() { "$CULINK" -arch=sm_121 -r --code=exact --check --finalizer="$PWD/nvlink" "$@" "$SOURCE/tests/finalize/branches.cubin" -o out.cubin; }

ANSWER="$SOURCE/tests/finalize/branches.answer" link
ANSWER="$SOURCE/tests/finalize/branches_debug.answer" link -g

# The first instruction of a function is another one.
edit_elf "$SOURCE/tests/finalize/branches.answer" broken "sections['.text._Z5firsti'].write(4, b'\1')"
export ANSWER=$PWD/broken
says 1 "wrong-bytes" "_Z5firsti" -- link

# Tables of branches behind which instructions were added; then one that leads elsewhere.
golden=$SOURCE/tests/golden/branches_of_moved_code
ANSWER="$golden/tables.answer" "$CULINK" -arch=sm_103 -r -g --code=exact --check --finalizer="$PWD/nvlink" "$golden/tables.cubin" -o out.cubin
edit_elf out.cubin broken.cubin "sections['.nv.constant2.k'].write(4, b'\x10')"
says 1 "wrong-bytes: k in .nv.constant2.k" -- "$CUBIN" check broken.cubin --inputs "$golden/tables.cubin"
