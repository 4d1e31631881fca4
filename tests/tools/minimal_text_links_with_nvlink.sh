#!/usr/bin/env bash
# Two documents as a person writes them, a kernel that calls a function and the file that defines
# it, become objects that nvlink links; so does the minimal text of a compiled example.
. "${BASH_SOURCE%/*}/../common.inc.sh"

for arch in sm_75 sm_90 sm_100; do
  cat > caller.yaml << YAML
arch: $arch
functions:
- name: kern
  kernel: true
  params: [8]
  code: nop x4
  calls: [foo]
  relocs: [{at: 0x10, type: ABS32_LO_32, to: gvar}]
undefined: [foo, gvar]
YAML
  cat > callee.yaml << YAML
arch: $arch
functions:
- {name: foo, registers: 40, frame: 16, code: nop x4}
globals:
- {name: gvar, data: "01000000"}
YAML
  "$CUBIN" assemble caller.yaml -o caller.cubin
  "$CUBIN" assemble callee.yaml -o callee.cubin
  "$CUBIN" verify caller.cubin callee.cubin > verdict
  expect_contains verdict "caller.cubin: ok" "callee.cubin: ok"
done

examples=$SOURCE/examples/vector_math/sm_90
for part in main filter; do
  "$CUBIN" text "$examples/$part.cubin" -o $part.yaml
  expect_contains $part.yaml "# left out (use --exact to see it):" "arch: sm_90" "functions:"
  "$CUBIN" assemble $part.yaml -o $part.cubin
done

need nvlink
for arch in sm_75 sm_90 sm_100; do
  sed "s/^arch: .*/arch: $arch/" caller.yaml > a.yaml
  sed "s/^arch: .*/arch: $arch/" callee.yaml > b.yaml
  "$CUBIN" assemble a.yaml -o a.cubin
  "$CUBIN" assemble b.yaml -o b.cubin
  nvlink -arch=$arch a.cubin b.cubin -o linked.cubin
  "$CUBIN" usage linked.cubin > listing
  grep -q 'kernel  *40  *16 ' listing || fail "$arch: registers and stack did not reach the kernel"
done
nvlink -arch=sm_90 main.cubin filter.cubin -o linked.cubin
"$CUBIN" usage linked.cubin | sed 1d | sort > ours
"$CUBIN" usage "$examples/linked.cubin" | sed 1d | sort > theirs
expect_same ours theirs
