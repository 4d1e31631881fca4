#!/usr/bin/env bash
# Exceeded limits name what contributes most: variables of constant and shared memory, the calls
# that need registers, the circle of a recursion; contradictions show both sides. One run names all.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > limits.yaml <<'YAML'
arch: sm_90
functions:
- {name: few, kernel: true, code: nop x4, calls: [between], attributes: [{attr: MAXREG_COUNT, value: 32}]}
- {name: between, code: nop x4, calls: [many]}
- {name: many, registers: 200, code: nop x4}
- {name: round, kernel: true, code: nop x4, calls: [f1]}
- {name: f1, code: nop x4, calls: [f2]}
- {name: f2, code: nop x4, calls: [f1]}
- {name: large, kernel: true, code: nop x4, shared: [{name: tile, size: 60000}]}
constants:
- {name: table, size: 70000, data: 01}
- {name: small, size: 8, data: 01}
YAML
cat > other.yaml <<'YAML'
arch: sm_90
functions:
- {name: few, kernel: true, code: nop x4}
constants:
- {name: table, size: 16, data: 01}
YAML
for name in limits other; do "$CUBIN" assemble $name.yaml -o $name.cubin; done

expect_status 255 "$CULINK" -arch=sm_90 limits.cubin -o out 2> errors
expect_contains errors "too much __constant__ data" ">>> variable of limits.cubin: table, 70000 bytes" \
  "kernel 'large' uses too much shared memory" ">>> variable of limits.cubin: tile, 60000 bytes" \
  "kernel 'few' may use 32 registers but calls 'many', which needs 200" \
  ">>> which calls limits.cubin: between" ">>> which calls limits.cubin: many" \
  "stack size of kernel 'round' cannot be determined" ">>> which calls limits.cubin: f2"

# Beside a file that cannot be read, and with both sides of each contradiction.
expect_status 1 "$CULINK" -arch=sm_90 limits.cubin other.cubin missing.cubin -o out 2> errors
expect_contains errors "missing.cubin: " "duplicate symbol: few" ">>> defined in limits.cubin" \
  ">>> defined in other.cubin" "size of 'table' differs: 70000 and 16 bytes" \
  ">>> first specified in limits.cubin, 70000 bytes" ">>> specified in other.cubin, 16 bytes"

# An object for another target: what it is for, and what would link it.
sed 's/sm_90/sm_80/' other.yaml > old.yaml
"$CUBIN" assemble old.yaml -o old.cubin
expect_status 1 "$CULINK" -arch=sm_90 old.cubin -o out 2> errors
expect_contains errors "old.cubin: built for sm_80, not for sm_90" "this one links with -arch=sm_80"
