#!/usr/bin/env bash
# What became of symbols: --trace-symbol, --why-live, --print-gc-sections, -Map and --stats. Words
# may come from @files; groups and whole archives are accepted as other linkers spell them.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > a.yaml <<'YAML'
arch: sm_90
functions:
- {name: _Z4kernv, kernel: true, code: nop x4, calls: [_Z3onei]}
- {name: _Z3onei, code: nop x4, calls: [_Z3twoi]}
- {name: _Z4deadv, code: nop x8}
- {name: _Z4copyv, bind: WEAK, code: nop x4}
undefined: [_Z3twoi]
YAML
cat > b.yaml <<'YAML'
arch: sm_90
functions:
- {name: _Z3twoi, code: nop x4, calls: [_Z4copyv]}
- {name: _Z4copyv, bind: WEAK, code: nop x4}
globals:
- {name: counter, data: 01000000}
YAML
for name in a b; do "$CUBIN" assemble $name.yaml -o $name.cubin; done
echo '-arch=sm_90 --start-group "a.cubin" b.cubin --end-group --whole-archive' > words

"$CULINK" @words -o out.cubin --why-live=two --trace-symbol=copy,_Z3twoi > told
printf '%s\n' "a.cubin: refers to it: two(int)" "a.cubin: defines it weakly: copy()" \
  "b.cubin: defines it: two(int)" \
  "b.cubin: defines it weakly, but another definition is linked: copy()" \
  "two(int): kept by" ">>> kernel kern() of a.cubin" ">>> calls one(int) of a.cubin" \
  ">>> calls two(int) of b.cubin" > expected
sort told > told.sorted
sort expected | cmp - told.sorted || fail "told otherwise: $(cat told)"

"$CULINK" @words -o out.cubin --print-gc-sections --why-live=dead > told
expect_contains told "128  a.cubin: dead(): unused" \
  "64  b.cubin: copy(): the copy of a.cubin is linked" "192  bytes in 2 definitions left out" \
  "dead(): not live: nothing refers to it"

# Of several definitions, those that are not linked are named, too; nvcc's links name their target.
"$CULINK" @words -o out.cubin --why-live=copy > told
printf '%s\n' "copy(): kept by" ">>> kernel kern() of a.cubin" ">>> calls one(int) of a.cubin" \
  ">>> calls two(int) of b.cubin" ">>> calls copy() of a.cubin" ">>> not linked: the copy of b.cubin" > expected
expect_same told expected
"$CULINK" @words -o out.cubin --why-live=copy -variables-used=counter -report-arch > told
printf '%s\n' "target sm_90:" "copy(): not live: no live kernel reaches what refers to it" \
  ">>> called by two(int) of b.cubin" ">>> defined in a.cubin" ">>> defined in b.cubin" > expected
expect_same told expected

"$CULINK" @words -o out.cubin -Map=out.map --stats > stats
expect_contains out.map "objects" ".text._Z3twoi" "two(int): b.cubin" "counter: b.cubin" \
  "dead(): unused"
expect_contains stats "resolve" "objects 2, functions 4 of 5, kernels 1"
# Every section of the file is in the map, and every function that stays, once.
"$CUBIN" dump --sections out.cubin | grep -o ' \.[a-z][a-zA-Z_.0-9]*' | sort -u > sections
while read -r name; do grep -qF -- " $name" out.map || fail "$name is not in the map"; done < sections
[ "$(grep -c '()*: [ab].cubin$\|): [ab].cubin$' out.map)" -eq 4 ] || fail "not four functions: $(cat out.map)"

# All of it goes to a file instead, and none of it where the image goes.
"$CULINK" @words -o out.cubin --stats --trace --cref --report-file=report.txt > printed 2> messages
if [ -s printed ] || [ -s messages ]; then fail "printed: $(cat printed messages)"; fi
expect_contains report.txt "a.cubin" "two(int)" "    b.cubin: defines it" "    a.cubin: refers to it" \
  "peak memory" "resolve"
[ "$(head -2 report.txt | tr '\n' ' ')" = "a.cubin b.cubin " ] || fail "--trace: $(head -2 report.txt)"
"$CULINK" @words -o - --stats > image 2> stats
expect_same image out.cubin
expect_contains stats "resolve"

# Numbers of the map are marked or decimal; totals are those of the lists. %a is the target.
"$CULINK" @words -o out.cubin -Map=m.%a.map --print-map > printed
expect_same printed m.sm_90.map
expect_contains printed "Totals by kind (bytes, sections)" "Totals by input (bytes, definitions)" \
  "Code of kernels with what they reach (bytes, functions)" "       256         4  kern()"
! grep -E '^ *[0-9a-f]+  ' printed | grep -vE '^ *(0x[0-9a-f]+ +0x[0-9a-f]+ |[0-9]+ )' || fail "unmarked numbers"
"$CULINK" @words -o out.cubin -Map=map.json --Map-format=json
python3 - << 'CODE' || fail "the map as JSON"
import json
facts = json.load(open("map.json"))
assert facts["target"] == "sm_90" and [i["file"] for i in facts["inputs"]] == ["a.cubin", "b.cubin"]
for total in facts["by_input"]:
    own = [s for s in facts["symbols"] if s["file"] == total["name"]]
    assert total["bytes"] == sum(s["size"] for s in own) and total["count"] == len(own), total
assert sum(t["bytes"] for t in facts["by_kind"]) == sum(s["size"] for s in facts["sections"])
assert facts["by_kernel"] == [{"name": "_Z4kernv", "bytes": 256, "count": 4}]
assert {d["name"] for d in facts["discarded"]} == {"_Z4deadv", "_Z4copyv"}
CODE

# A link of nothing makes an empty image.
"$CULINK" -arch=sm_90 -o empty.cubin 2> told
expect_contains told "warning: no input files; the output is empty"
"$CUBIN" verify empty.cubin
