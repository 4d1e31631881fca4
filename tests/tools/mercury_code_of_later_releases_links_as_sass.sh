#!/usr/bin/env bash
# Mercury code with a section of a type that nobody knows, as a later release of CUDA may write it,
# is left out with a warning: the machine code beside it links all the same, and is checked. Who asks for
# Mercury code learns why there can be none.
. "${BASH_SOURCE%/*}/../common.inc.sh"

folder=$SOURCE/examples/vector_math/sm_100
{
  "$CUBIN" text --exact "$folder/main.cubin"
  echo '- {name: .nv.merc.nv.new, type: 0x70000fff, flags: 0x10000000, align: 4, data: 01020304}'
} | assemble main
says 0 "main.cubin: Mercury code with '.nv.merc.nv.new' (0x70000fff)" "runs on sm_100 only" -- \
  "$CULINK" -arch=sm_100 --check main.cubin "$folder/filter.cubin" -o new.cubin
"$CULINK" -arch=sm_100 --code=sass "$folder/"{main,filter}.cubin -o old.cubin
expect_same old.cubin new.cubin
says 1 "main.cubin: " "'.nv.merc.nv.new': there is no machine-code section for it" -- \
  "$CULINK" -arch=sm_100 --code=mercury main.cubin "$folder/filter.cubin" -o none.cubin
[ ! -e none.cubin ] || fail "wrote an output"

# So is Mercury code with instructions for which machine code calls the driver: textures on sm_107.
"$CUBIN" text --exact "$folder/main.cubin" |
  awk '/^- name: / { if (inside) print "  - {name: __cuda_syscall_bw_do_2d_tex_level, type: FUNC}"
                     inside = $3 == ".symtab" } { print }' | assemble main
says 0 "main.cubin: Mercury code with no call of '__cuda_syscall_bw_do_2d_tex_level'" "runs on sm_100 only" -- \
  "$CULINK" -arch=sm_100 --check main.cubin "$folder/filter.cubin" -o new.cubin
for code in mercury exact; do
  says 1 "main.cubin: " "which the machine code calls" "--code=sass can link it" -- \
    "$CULINK" -arch=sm_100 --code=$code main.cubin "$folder/filter.cubin" -o none.cubin
done
[ ! -e none.cubin ] || fail "wrote an output"
