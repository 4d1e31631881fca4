#!/usr/bin/env bash
# cubin diff: 0 for the same, 1 for a difference, told in words, 2 for trouble.
. "${BASH_SOURCE%/*}/../common.inc.sh"
first=$SOURCE/examples/vector_math/sm_90/linked.cubin
second=$SOURCE/examples/vector_math/sm_90/relocatable.cubin

says 0 -- "$CUBIN" diff "$first" "$first"
says 1 "header: ELF header: type 0x2 vs 0x1" "only in the second file" " differences" -- \
  "$CUBIN" diff --all "$first" "$second"

# What became of functions comes first, and then how much else differs; details if asked for.
head -4 told > first_lines
expect_status 1 "$CUBIN" diff "$first" "$second" > told
expect_same <(head -4 told) first_lines
[ "$(tail -n +5 told)" = "78 differences: 1 in header, 1 in sections, 17 in symbols, 11 in headers, 15 in tkinfo, 8 in info, 1 in relocs, 5 in code, 10 in strings, 4 in segments, 5 in layout (--details tells them)" ] ||
  fail "$(tail -n +5 told)"
[ "$(head -1 told)" = "kernel _Z5totalPKfPfi: stack 0 -> unknown, shared 2048 -> 16, barriers 1 -> unknown, other instructions" ] ||
  fail "$(head -3 told)"
expect_contains told "functions: 3 changed, 0 added, 0 removed, 1 the same"
assemble old <<< '{arch: sm_90, functions: [{name: helper, code: nop x8}, {name: gone, code: nop}, {name: same, code: nop}]}'
assemble new <<< '{arch: sm_90, functions: [{name: helper, code: nop x16}, {name: same, code: nop}, {name: fresh, code: nop x2}]}'
expect_status 1 "$CUBIN" diff --summary old.cubin new.cubin > summary
grep -v '^functions: 1 changed, 1 added, 1 removed, 1 the same$' summary > functions || true
sed -E 's/, (registers|frame|stack|constants) [^,]*//g' functions > short
expect_same short <(printf 'function %s\n' 'helper: code 128 -> 256' 'gone: removed, code 16' 'fresh: added, code 32')
says 1 helper -- "$CUBIN" diff --details old.cubin new.cubin
expect_lacks told "function helper: code" "functions: 1 changed"
says 1 '"change": "added"' '{"field": "code", "before": 128, "after": 256}' '"same_functions": 1' -- \
  "$CUBIN" diff --json old.cubin new.cubin

# --demangle reaches every line.
says 1 "'.text._Z5totalPKfPfi': instruction" "\$___ZZ9block_sumfE7partial__64" -- \
  "$CUBIN" diff --all "$first" "$second"
says 1 "code: '.text.total(float const*, float*, int)': instruction" "'partial in block_sum(float)'" -- \
  "$CUBIN" diff --all --demangle "$first" "$second"
expect_lacks told _Z
expect_status 1 "$CUBIN" diff --json --demangle "$first" "$second" > json
expect_lacks json _Z

says 1 -- "$CUBIN" diff -q "$first" "$second"
says 1 "more differences in symbols (--all shows all)" -- "$CUBIN" diff --limit=1 "$first" "$second"
says 1 '"same": false' '"topic": "header"' -- "$CUBIN" diff --json "$first" "$second"

edit_elf "$first" other.cubin "sections['.note.nv.tkinfo'].write(50, b'X')" # in a tool's name
says 1 "functions: 0 changed" "1 difference: 1 in tkinfo (--details tells it)" -- "$CUBIN" diff "$first" other.cubin
says 1 "tkinfo: '.note.nv.tkinfo': field tool of note 0" -- "$CUBIN" diff --details "$first" other.cubin
says 0 -- "$CUBIN" diff --ignore=tkinfo "$first" other.cubin

says 2 "missing.cubin" -- "$CUBIN" diff "$first" missing.cubin
says 2 "nonsense not in {header,functions," -- "$CUBIN" diff --ignore=nonsense "$first" "$first"
says 2 "--summary" -- "$CUBIN" diff --summary --details "$first" "$second"
says 2 "error: " -- "$CUBIN" diff "$first"

# A kernel that moved to another image of its target is the same kernel, and cubin size says the same.
image() { # NAME [KERNEL INSTRUCTIONS]...
  { printf 'arch: sm_90\nfunctions:\n' && printf -- '- {name: %s, kernel: true, code: nop x%s}\n' "${@:2}"; } | assemble "$1"
}
image 1 grows 8 moves 8
image 2 stays 8 goes 8
image 3 stays 8 comes 8
image 4 grows 16
image 5 moves 8
python3 -B "$SOURCE/tests/fatbin.py" old.fatbin 90=1.cubin 90=2.cubin
python3 -B "$SOURCE/tests/fatbin.py" new.fatbin 90=3.cubin 90=4.cubin 90=5.cubin
expect_status 1 "$CUBIN" diff --summary old.fatbin new.fatbin > summary
[ "$(head -1 summary)" = sm_90: ] || fail "$(cat summary)"
sed -n 's/^kernel \([a-z]*\): \([a-z]*\).*/\1 \2/p' summary | sort > kernels
expect_same kernels <(printf 'comes added\ngoes removed\ngrows code\n')
expect_contains summary "functions: 1 changed, 1 added, 1 removed, 2 the same"
says 1 "... 2 more functions (--all shows all)" -- "$CUBIN" diff --summary --limit=1 old.fatbin new.fatbin
expect_status 1 "$CUBIN" diff --summary --all --limit=1 old.fatbin new.fatbin > summary
[ "$(grep -c '^kernel ' summary)" = 3 ] || fail "$(cat summary)"
expect_lacks summary "differences"
expect_same <("$CUBIN" size --csv old.fatbin new.fatbin | sed -n 's/.*,\([a-z]*\)$/\1/p' | grep -v name | sort) \
  <(sed 's/ .*//' kernels)
says 1 "old.fatbin:2.sm_90.cubin and new.fatbin:1.sm_90.cubin:" "only in the second file: new.fatbin:3.sm_90.cubin" \
  -- "$CUBIN" diff old.fatbin new.fatbin
expect_status 1 "$CUBIN" diff --json old.fatbin new.fatbin > json
[ "$(grep -c '"change": "added"' json)" = 1 ] || fail "$(cat json)"
