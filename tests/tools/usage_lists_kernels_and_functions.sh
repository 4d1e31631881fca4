#!/usr/bin/env bash
# cubin usage gives registers, stack, shared memory, barriers and constants of each function.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CUBIN" usage "$SOURCE/examples/vector_math/sm_90/linked.cubin" >out.txt
expect_contains out.txt "constant3         32" "reserved shared   1024"
expect_contains out.txt \
  '  kind      registers  stack  frame  spills  shared  local  barriers  parameters  constant0  code  name'
grep -Eq '^  kernel +36 +0 +0 +0 +1568 +0 +1 +20 +548 +1280  _Z6smoothPKfPfi$' out.txt ||
  fail "the kernel's line is not as expected: $(cat out.txt)"
grep -Eq '^  function +36 .* _Z8filteredPKf$' out.txt || fail "no line for the function"

# Marks of spilled registers; before 12.9 none were made, so that nothing is known.
"$CUBIN" text --exact "$SOURCE/examples/vector_math/sm_90/linked.cubin" -o marked.yaml
"$CUBIN" usage --json "$SOURCE/examples/vector_math/sm_90/linked.cubin" > plain.json
awk '/attr: MAXREG_COUNT/ && !done { print "  - {attr: ANNOTATIONS, notes: [{at: 0x10}, {at: 0x20}, {at: 0x30, text: note}]}"; done = 1 } 1' \
  marked.yaml > spills.yaml
"$CUBIN" assemble spills.yaml -o spills.cubin || fail "$(head -c 600 spills.yaml)"
"$CUBIN" usage --where='spills>0' spills.cubin > spilling
[ "$(grep -Ec '^  kernel ' spilling)" = 1 ] || fail "$(cat spilling)"
grep -Eq '^  kernel +[0-9]+ +0 +0 +2 ' spilling || fail "two marks: $(cat spilling)"
printf 'arch: sm_90\ntoolkit: 124\nfunctions: [{name: f, code: nop}]\n' > older.yaml
"$CUBIN" assemble older.yaml -o older.cubin
"$CUBIN" usage --json older.cubin > older.json
expect_contains older.json '"spills": null'

"$CUBIN" usage --demangle "$SOURCE/examples/vector_math/sm_90/linked.cubin" >demangled.txt
expect_contains demangled.txt "smooth(float const*, float*, int)"

# The release that made the file: of its own note, of e_version before there was one (ABI 7), and of
# the compiler's words where neither says so.
for toolkit in 130 134; do
  printf 'arch: sm_90\ntoolkit: %s\nfunctions: [{name: f, code: nop}]\n' $toolkit > made.yaml
  "$CUBIN" assemble made.yaml -o made.cubin
  "$CUBIN" usage made.cubin > out.txt
  expect_contains out.txt "CUDA release      13.${toolkit#13}"
done
cat > words.yaml <<'EOF'
cubin: exact
arch: sm_100
type: rel
sections:
- {name: .shstrtab}
- {name: .strtab}
- {name: .symtab, symbols: []}
- name: .note.nv.tkinfo
  notes:
  - tkinfo: {tool: ptxas, tool_version: "Cuda compilation tools, release 12.9, V12.9.86"}
EOF
"$CUBIN" assemble words.yaml -o words.cubin
"$CUBIN" usage words.cubin > out.txt
expect_contains out.txt "CUDA release      12.9"
sed -e 's/tool_version.*/tool_version: none}/' words.yaml > silent.yaml
"$CUBIN" assemble silent.yaml -o silent.cubin
"$CUBIN" usage silent.cubin > out.txt
expect_contains out.txt "CUDA release      -"
sed -e 's/arch: sm_100/header: {flags: 0x00500550, os_abi: 0x33, abi_version: 7, version: 124}/' words.yaml > old.yaml
"$CUBIN" assemble old.yaml -o old.cubin
"$CUBIN" usage old.cubin > out.txt
expect_contains out.txt "CUDA release      12.4"

# A helper that the compiler put inside a kernel comes first among the symbols; parameters, memory and
# constants are the kernel's all the same.
printf 'arch: sm_90\ntype: exec\nfunctions: [{name: k, kernel: true, params: [8], shared: 64, code: nop x8}]\n' > plain.yaml
"$CUBIN" assemble plain.yaml -o plain.cubin
"$CUBIN" text --exact plain.cubin | sed -e 's/{names: 7}/{names: 8}/' \
  -e 's/^  - {name: k, /  - {name: inner, type: FUNC, bind: WEAK, section: .text.k, value: 0x40, size: 0x40}\n&/' > inner.yaml
"$CUBIN" assemble inner.yaml -o inner.cubin
"$CUBIN" usage inner.cubin > out.txt
grep -Eq '^  function .* 64  inner$' out.txt || fail "the helper has what is the kernel's: $(cat out.txt)"
grep -Eq '^  kernel .* 64 .* 8 +536 +128  k$' out.txt || fail "not what the kernel needs: $(cat out.txt)"

# Other assemblers than ptxas have the number of registers in the header of the code alone, and shared
# memory as bytes.
cat > other.yaml <<'EOF'
cubin: exact
arch: sm_75
type: rel
sections:
- {name: .shstrtab}
- {name: .strtab}
- name: .symtab
  symbols:
  - {name: k, type: FUNC, section: .text.k, size: 16, other: kernel}
- {name: .text.k, flags: 6, align: 128, info_symbol: k, registers: 98, code: 0x0000000000007918 0x000fc00000000000}
- {name: .nv.shared.k, type: PROGBITS, flags: 0x43, align: 4, info_section: .text.k, data: "0000000000000000"}
EOF
"$CUBIN" assemble other.yaml -o other.cubin
"$CUBIN" usage other.cubin > out.txt
grep -Eq '^  kernel +98 +- +- +- +8 .* k$' out.txt || fail "registers and shared memory: $(cat out.txt)"
