#!/usr/bin/env bash
# `make demo`: the programs at work on the files in examples/. Needs no CUDA and no GPU.
#
#   scripts/demo.sh [FOLDER_WITH_PROGRAMS]
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$(cd "${1:-build/release/bin}" && pwd):$PATH
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

say() { printf '\n--- %s\n' "$*"; }

# Shows a command as a person would type it, then runs it.
show() {
  printf '$ %s\n' "$*"
  "$@"
}

say "Two objects of one program, compiled apart: who needs whom?"
cd examples/vector_math/sm_90
show cubin dump --callgraph --demangle main.cubin

say "Link them, and look at what the kernels use."
printf '$ culink -arch=sm_90 main.cubin filter.cubin -o linked.cubin\n'
culink -arch=sm_90 main.cubin filter.cubin -o "$out/linked.cubin"
(cd "$out" && show cubin usage --demangle linked.cubin && show cubin verify linked.cubin)

say "The same link as nvlink 13.0.88 did it, byte for byte."
printf '$ culink --emulate=nvlink-13.0.88 -arch=sm_90 main.cubin filter.cubin -o same.cubin\n'
culink --emulate=nvlink-13.0.88 -arch=sm_90 main.cubin filter.cubin -o "$out/same.cubin"
printf '$ cmp same.cubin linked-by-nvlink.cubin\n'
cmp "$out/same.cubin" linked.cubin
echo "identical, $(wc -c < linked.cubin) bytes"

say "A cubin as text, and back."
(
  cd "$out"
  printf '$ cubin text --exact same.cubin > same.yaml && cubin assemble same.yaml -o again.cubin\n'
  cubin text --exact same.cubin > same.yaml
  cubin assemble same.yaml -o again.cubin
  show cubin diff same.cubin again.cubin
  echo "identical; same.yaml has $(wc -l < same.yaml) lines"
)

say "Every cubin in examples/ is well-formed."
cd ../..
printf '$ cubin verify */sm_*/*.cubin\n'
cubin verify ./*/sm_*/*.cubin > "$out/verdicts"
echo "$(grep -c ': ok$' "$out/verdicts") files: ok"

echo
echo "demo done; the programs are in ${1:-build/release/bin}; docs/cubin.md shows more, README.md says what works"
