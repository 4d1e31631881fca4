#!/usr/bin/env bash
# Compiles the sources of recorded links and lets nvlink 13.0.88 link them again.
# Usage: tests/golden/record.sh FOLDER...
set -euo pipefail
export PATH=$PATH:/usr/local/cuda/bin

for folder in "$@"; do
  (
    cd "$folder"
    arch=$(grep -oEm1 -- '-arch=sm_[0-9]+a?' links)
    for source in *.ptx; do
      [ ! -e "$source" ] || ptxas -c "$arch" "$source" -o "${source%.ptx}.cubin"
    done
    while read -r label options; do
      # shellcheck disable=SC2086  # several options
      if nvlink $options -o out.cubin 2> "$label.refused"; then
        rm "$label.refused"
        mv out.cubin "$label.expected"
      fi
    done < links
  )
done
