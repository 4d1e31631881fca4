#!/usr/bin/env bash
# cubin callgraph shows calls as a tree, for graphviz and as JSON, with marks for what is external,
# recursive or called through pointers; and deep graphs cost no more than their size.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3
templates=$SOURCE/examples/weak_templates/sm_90/linked.cubin

"$CUBIN" callgraph --demangle "$templates" > tree
expect_contains tree "  forward(int*)  [kernel]" "    backward(int)" "      int scaled<int>(int)"
grep -Fxq '    backward(int)  [above]' tree || fail "met again: $(cat tree)"
"$CUBIN" callgraph --demangle --kernel='backward_kernel(*)' --depth=1 "$templates" > tree
grep -Fxq '    backward(int)  [...]' tree || fail "cut: $(cat tree)"
expect_lacks tree "forward(int*)" "scaled<int>"
"$CUBIN" callgraph --demangle --callers --function='backward' "$templates" > tree
expect_contains tree "  backward(int)" "    forward(int*)  [kernel]" "    backward_kernel(double*)  [kernel]"
expect_status 1 "$CUBIN" callgraph --function=nonesuch "$templates" 2> log
expect_contains log "has no function like nonesuch"

"$CUBIN" callgraph "$SOURCE/examples/vector_math/sm_90/main.cubin" > tree
grep -Fxq '    _Z9block_sumf  [external]' tree || fail "external: $(cat tree)"
"$CUBIN" callgraph --demangle "$SOURCE/examples/function_pointers/sm_90/linked.cubin" > tree
expect_contains tree "[kernel, calls through pointers]" "Shape::corners() const  [through a pointer]"

cat > calls.yaml <<'EOT'
arch: sm_90
functions:
- {name: k, kernel: true, code: nop x8, calls: [even, printer]}
- {name: even, code: nop x8, calls: [odd]}
- {name: odd, code: nop x8, calls: [even]}
- {name: again, code: nop x8, calls: [again]}
undefined: [printer]
EOT
"$CUBIN" assemble calls.yaml -o calls.cubin
"$CUBIN" callgraph calls.cubin > tree
cat > expected <<'EOT'
calls.cubin:
  k  [kernel]
    even  [recursive]
      odd  [recursive]
        even  [recursive, above]
    printer  [external]
  again  [recursive]
    again  [recursive, above]
EOT
expect_same tree expected
"$CUBIN" callgraph --json calls.cubin > calls.json
python3 - <<'EOT'
import json
image, = json.load(open("calls.json"))
functions = {row["number"]: row for row in image["functions"]}
named = {row["name"]: row for row in functions.values()}
assert [functions[n]["name"] for n in named["k"]["calls"]] == ["even", "printer"], named["k"]
assert {name for name, row in named.items() if row["recursive"]} == {"even", "odd", "again"}
assert named["printer"]["kind"] == "external" and named["k"]["kind"] == "kernel"
EOT
"$CUBIN" callgraph --dot calls.cubin calls.cubin > calls.dot
expect_contains calls.dot 'digraph calls {' 'f0_0 [label="k", shape=box];' 'f1_3 -> f1_3;' 'style=dotted'
if command -v dot > /dev/null; then dot -Tsvg calls.dot > calls.svg || fail "graphviz cannot read it"; fi

# A chain of 3,000 functions: the tree is cut and continued, not indented without end.
python3 - <<'EOT'
lines = ["arch: sm_90", "functions:", "- {name: f0, kernel: true, code: nop, calls: [f1]}"]
lines += [f"- {{name: f{i}, code: nop, calls: [f{i + 1}]}}" for i in range(1, 3000)]
lines += ["- {name: f3000, code: nop}"]
open("chain.yaml", "w").write("\n".join(lines) + "\n")
EOT
"$CUBIN" assemble chain.yaml -o chain.cubin
"$CUBIN" callgraph chain.cubin > tree
[ "$(wc -c < tree)" -lt 300000 ] || fail "$(wc -c < tree) bytes"
for i in 0 1 1500 3000; do grep -Eq "^ +f$i( |\$)" tree || fail "f$i is not there"; done
expect_contains tree "[below]"
