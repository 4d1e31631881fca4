#!/usr/bin/env bash
# cubin dump shows header, sections and symbols by itself, and with options exactly the parts named.
. "${BASH_SOURCE%/*}/../common.inc.sh"

file=$SOURCE/examples/function_pointers/sm_90/linked.cubin

"$CUBIN" dump "$file" >default.txt
expect_contains default.txt "target            sm_90" "Sections" "Symbols" ".nv.callgraph" "_Z7measurePfi"
expect_lacks default.txt "Relocations" "Attributes" "Segments"

"$CUBIN" dump --segments --info "$file" >some.txt
expect_contains some.txt "Segments" "R-X" "EIATTR_KPARAM_INFO" "ordinal 1, offset 0x8, size 4"
expect_lacks some.txt "Header" "Symbols"

"$CUBIN" dump --all "$file" >all.txt
expect_contains all.txt "Header" "Sections" "Segments" "Symbols" "Relocations" "Attributes" \
  "Call graph" "Prototypes" "Notes" "Compatibility attributes" "Relocation actions" \
  "caller _Z7measurePfi, callee _Z5applyPFffEfi" "R_CUDA_ABS32_LO_32"

"$CUBIN" dump --symbols --demangle "$file" >demangled.txt
expect_contains demangled.txt "measure(float*, int)"
expect_lacks demangled.txt "  _Z7measurePfi"

"$CUBIN" dump --hex .nv.rel.action "$file" >hex.txt
expect_contains hex.txt "73 00 00 00 00 00 00 00 00 00 00 11 25 00 05 36"
