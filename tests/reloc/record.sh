#!/usr/bin/env bash
# Asks nvlink for the rows that the recorded matrices do not have; `--all` records everything anew,
# which takes some minutes.
# Usage: tests/reloc/record.sh [--all]
set -euo pipefail
export PATH=$PATH:/usr/local/cuda/bin

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${RELOC_MATRIX:-$folder/../../build/release/bin/reloc_matrix}
[ "${1:-}" != --all ] || rm -f "$folder"/matrix-*.txt
for base in "$folder"/base-*.yaml; do
  target=${base##*/base-}
  "$program" --record nvlink "$folder" "${target%.yaml}"
done
