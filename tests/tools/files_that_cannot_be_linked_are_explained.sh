#!/usr/bin/env bash
# A link that is given only what cannot be linked fails, and says of each file why and what to do: source
# text, a linked cubin, a program compiled as a whole. Programs and shared libraries are normal among
# the inputs of a host link: without anything else there is a warning. nvlink makes an empty file of each.
. "${BASH_SOURCE%/*}/../common.inc.sh"

# refused FILE TEXT...: it is left out with these words, and there is no output.
refused() {
  local file=$1
  shift
  not "$CULINK" -arch=sm_90 "$file" -o out.cubin 2> errors
  expect_contains errors "culink: warning: $file: ignored, " "culink: error: nothing to link: $file is left out, because " "$@"
  [ ! -e out.cubin ] || fail "wrote an output"
  "$CULINK" --emulate=nvlink-13.0.88 -arch=sm_90 "$file" -o out.cubin 2> errors
  rm out.cubin
}
printf "// %s\n" "a program without device code, which is longer than the header of an ELF file is" "int main() {}" > main.cu
refused main.cu "it is source text" "hint: compile it first, with nvcc -dc"
cp "$SOURCE/examples/vector_math/sm_90/linked.cubin" .
refused linked.cubin "it is already linked" "hint: link the objects that it was made of"

# The note of the only tool is the compiler's.
"$CUBIN" text --exact linked.cubin > linked.yaml
sed 's/tool: nvlink/tool: ptxas/' linked.yaml > whole.yaml
"$CUBIN" assemble whole.yaml -o whole.cubin
refused whole.cubin "it was compiled without -rdc=true" "hint: compile it with -rdc=true or -dc"

# With an object beside it the link goes on.
cp "$SOURCE"/examples/vector_math/sm_90/{main,filter}.cubin .
"$CULINK" -arch=sm_90 main.cubin filter.cubin main.cu -o out.cubin 2> errors
expect_contains errors "warning: main.cu: ignored, it is source text"
expect_lacks errors "no kernels"

need objcopy
head -c 100 linked.cubin > code
cp "$CULINK" program
objcopy --add-section .nv_fatbin=code program
"$CULINK" -arch=sm_90 program -o out.cubin 2> errors
expect_contains errors "warning: the output has no kernels: program is not linked, because it is already linked"
"$CULINK" -arch=sm_90 main.cubin filter.cubin program -o out.cubin 2> errors
expect_same errors /dev/null
