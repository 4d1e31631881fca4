#!/usr/bin/env bash
# A link that is given only what cannot be linked fails, and says of each file why and what to do: source
# text, a linked cubin, a program compiled as a whole. Programs and shared libraries are normal among
# the inputs of a host link: without anything else there is a warning. nvlink makes an empty file of each.
. "${BASH_SOURCE%/*}/../common.inc.sh"

# refused FILE TEXT...: it is left out with these words, and there is no output.
refused() {
  local file=$1
  shift
  says 1 "culink: warning: $file: ignored, " "culink: error: nothing to link: $file is left out, because " "$@" -- \
    "$CULINK" -arch=sm_90 "$file" -o out.cubin
  [ ! -e out.cubin ] || fail "wrote an output"
  "$CULINK" --emulate=nvlink-13.0.88 -arch=sm_90 "$file" -o out.cubin 2> errors
  rm out.cubin
}
printf "// %s\n" "a program without device code, which is longer than the header of an ELF file is" "int main() {}" > main.cu
refused main.cu "it is source text" "hint: compile it first, with nvcc -dc"
cp "$SOURCE/examples/vector_math/sm_90/linked.cubin" .
refused linked.cubin "it is already linked" "hint: link the objects that it was made of"

# The note of the only tool is the compiler's.
"$CUBIN" text --exact linked.cubin | sed 's/tool: nvlink/tool: ptxas/' | assemble whole
refused whole.cubin "it was compiled without -rdc=true" "hint: compile it with -rdc=true or -dc"

# With an object beside it the link goes on.
cp "$SOURCE"/examples/vector_math/sm_90/{main,filter}.cubin .
says 0 "warning: main.cu: ignored, it is source text" -- \
  "$CULINK" -arch=sm_90 main.cubin filter.cubin main.cu -o out.cubin
expect_lacks told "no kernels"

need objcopy
head -c 100 linked.cubin > code
cp "$CULINK" program
objcopy --add-section .nv_fatbin=code program
says 0 "warning: the output has no kernels: program is not linked, because it is already linked" -- \
  "$CULINK" -arch=sm_90 program -o out.cubin
says 0 -- "$CULINK" -arch=sm_90 main.cubin filter.cubin program -o out.cubin
