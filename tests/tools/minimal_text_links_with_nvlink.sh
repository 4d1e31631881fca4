#!/usr/bin/env bash
# Two documents as a person writes them, a kernel that calls a function and the file that defines
# it, become objects that nvlink links; so does the minimal text of a compiled example.
. "${BASH_SOURCE%/*}/../common.inc.sh"

for arch in sm_75 sm_90 sm_100; do
  assemble caller-$arch << YAML
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
  assemble callee-$arch << YAML
arch: $arch
functions:
- {name: foo, registers: 40, frame: 16, code: nop x4}
globals:
- {name: gvar, data: "01000000"}
YAML
  says 0 "caller-$arch.cubin: ok" "callee-$arch.cubin: ok" -- "$CUBIN" verify call{er,ee}-$arch.cubin
done

examples=$SOURCE/examples/vector_math/sm_90
for part in main filter; do
  "$CUBIN" text "$examples/$part.cubin" | assemble $part
  expect_contains $part.yaml "# left out (use --exact to see it):" "arch: sm_90" "functions:"
done

need nvlink
for arch in sm_75 sm_90 sm_100; do
  nvlink -arch=$arch caller-$arch.cubin callee-$arch.cubin -o linked.cubin
  "$CUBIN" usage linked.cubin > listing
  grep -q 'kernel  *40  *16 ' listing || fail "$arch: registers and stack did not reach the kernel"
done
nvlink -arch=sm_90 main.cubin filter.cubin -o linked.cubin
"$CUBIN" usage linked.cubin | sed 1d | sort > ours
"$CUBIN" usage "$examples/linked.cubin" | sed 1d | sort > theirs
expect_same ours theirs
