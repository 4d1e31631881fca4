#!/usr/bin/env bash
# An undefined symbol is shown with who refers to it, what may have been meant, and which input
# would have defined it; names as in the source, unless --no-demangle asks for the others.
. "${BASH_SOURCE%/*}/../common.inc.sh"

# call KERNEL FUNCTION
call() {
  printf '{name: %s, kernel: true, code: nop x4, calls: [%s], ' "$1" "$2"
  printf 'relocs: [{at: 0x10, type: ABS32_LO_32, to: %s}]}' "$2"
}
cat > user.yaml <<YAML
arch: sm_90
functions:
- $(call _Z2k1v _Z5scalei)
- $(call _Z2k2v _Z5scalei)
- $(call _Z2k3v _Z5scalei)
- $(call _Z2k4v _Z5scalei)
- $(call _Z2k5v _Z6lenghti)
- $(call _Z2k6v _Z4gonei)
- $(call _Z2k7v cudaGetLastError)
undefined:
- {name: _Z5scalei, type: FUNC}
- {name: _Z6lenghti, type: FUNC}
- {name: _Z4gonei, type: FUNC}
- {name: cudaGetLastError, type: FUNC}
YAML
cat > library.yaml <<'YAML'
arch: sm_90
functions:
- {name: _Z5scalef, code: nop x4}
- {name: _Z6lengthi, code: nop x4}
YAML
cat > linked.yaml <<'YAML'
arch: sm_90
type: exec
functions:
- {name: _Z4gonei, code: nop x4}
YAML
for name in user library linked; do "$CUBIN" assemble $name.yaml -o $name.cubin; done

expect_status 255 "$CULINK" -arch=sm_90 user.cubin library.cubin linked.cubin -o out 2> errors
expect_contains errors "culink: error: undefined symbol: scale(int)" \
  ">>> referenced by user.cubin: k1()" ">>> referenced by user.cubin: k3()" \
  ">>> referenced by 1 more" ">>> other signature in library.cubin: scale(float)" \
  ">>> similar name in library.cubin: length(int)" \
  ">>> would be defined in linked.cubin, but it is already linked" \
  "hint: it is part of the device runtime: add -lcudadevrt"
expect_lacks errors "k4()" "hint: add the object"
# Where nothing better is known, a way to go on, once.
expect_status 255 "$CULINK" -arch=sm_90 user.cubin -o out 2> errors
[ "$(grep -c '^hint: add the object or library that defines it; culink --explain undefined-reference' errors)" = 1 ] ||
  fail "$(cat errors)"
expect_status 255 "$CULINK" -arch=sm_90 --error-format=nvlink user.cubin -o out 2> errors
expect_lacks errors hint

expect_status 255 "$CULINK" -arch=sm_90 --no-demangle user.cubin -o out 2> errors
expect_contains errors "undefined symbol: _Z5scalei" ">>> referenced by user.cubin: _Z2k1v"
expect_status 255 "$CULINK" -arch=sm_90 --color=always user.cubin -o out 2> errors
expect_contains errors $'\033[1;31merror:\033[0m undefined symbol: scale(int)'
expect_status 255 "$CULINK" -arch=sm_90 --error-format=json user.cubin library.cubin -o out 2> errors
python3 - <<'PYTHON' || fail "not the JSON that was expected: $(cat errors)"
import json
first = [json.loads(line) for line in open("errors")][0]
assert first["id"] == "undefined-reference" and first["arguments"] == ["_Z5scalei"]
assert first["origins"][0] == {"role": "referenced by", "file": "user.cubin", "symbol": "_Z2k1v",
                               "demangled": "k1()"}
PYTHON
[ ! -e out ] || fail "wrote an output"
