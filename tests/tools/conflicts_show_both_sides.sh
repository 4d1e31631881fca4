#!/usr/bin/env bash
# Two objects that contradict each other about a name are both shown, with what each of them says.
. "${BASH_SOURCE%/*}/../common.inc.sh"

uses="{name: k, kernel: true, code: nop x4, relocs: [{at: 0x10, type: ABS32_LO_32, to: g}]}"
for space in global constant managed function kernel; do
  case $space in
    global) what="globals: [{name: g, size: 4, data: 01000000}]" ;;
    constant) what="constants: [{name: g, size: 4, data: 01000000}]" ;;
    managed) what="globals: [{name: g, size: 4, managed: true, data: 01000000}]" ;;
    function) what="functions: [{name: g, code: nop x4}]" ;;
    kernel) what="functions: [{name: g, kernel: true, code: nop x4}]" ;;
  esac
  assemble $space <<< "{arch: sm_90, $what}"
done
assemble user <<< "{arch: sm_90, functions: [$uses], undefined: [g]}"

# both FIRST SECOND TEXT...: the link fails with these texts and names both files.
both() {
  says 1 "${@:3}" -- "$CULINK" -arch=sm_90 "$1.cubin" "$2.cubin" -o out
  grep -q ">>> .*in $1.cubin" told || fail "$1 is not named: $(cat told)"
  grep -q ">>> .*in $2.cubin" told || fail "$2 is not named: $(cat told)"
}
both user constant "memory space of 'g' differs: __device__ and __constant__" \
  "user.cubin, __device__" "constant.cubin, __constant__"
both global constant "memory space of 'g' differs" "duplicate symbol: g"
both user function "memory space of 'g' differs: __device__ and a function"
both global function "memory space of 'g' differs" "duplicate symbol: g"
both user managed "'g' is __managed__ in one file and not in another" "managed.cubin, __managed__"
both function kernel "'g' is a __global__ function in one file and not in another" \
  "function.cubin, __device__" "kernel.cubin, __global__"

says 1 "duplicate symbol: g" ">>> defined in global.cubin" ">>> defined in ./global.cubin" \
  "hint: leave one of the files out, or make it static or inline; culink --explain multiple-definition tells more" \
  -- "$CULINK" -arch=sm_90 global.cubin ./global.cubin -o out
says 1 "the same file is given twice" -- "$CULINK" -arch=sm_90 global.cubin global.cubin -o out
