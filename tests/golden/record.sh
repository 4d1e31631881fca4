#!/usr/bin/env bash
# Compiles the sources of recorded links and lets nvlink 13.0.88 link them again, or the release that
# the folder's file `release` names, whose toolkit CUDA_HOME has to be then.
# Usage: [CUDA_HOME=DIR] [TOOLKITS=DIR] tests/golden/record.sh FOLDER...
set -euo pipefail
export PATH=${CUDA_HOME:+$CUDA_HOME/bin:}$PATH:/usr/local/cuda/bin

for folder in "$@"; do
  (
    cd "$folder"
    release=$(cat release 2> /dev/null || echo 13.0.88)
    nvlink --version | grep -qF "V$release" || { echo "$folder is of nvlink $release"; exit 1; }
    arch=$(grep -oEm1 -- '-arch=sm_[0-9]+[af]?' links)
    for source in *.ptx; do
      [ -e "$source" ] || continue
      if [ -e "${source%.ptx}.release" ] && [ "$(cat "${source%.ptx}.release")" != "$release" ]; then
        continue # made by the ptxas of that release
      fi
      options="-c $(cat compile 2> /dev/null || true)"
      [ ! -e "${source%.ptx}.compile" ] || options=$(cat "${source%.ptx}.compile")
      ptxas=ptxas
      [ ! -e "${source%.ptx}.toolkit" ] ||
        ptxas=${TOOLKITS:?has the toolkits of other releases}/$(cat "${source%.ptx}.toolkit")/bin/ptxas
      # shellcheck disable=SC2086  # several options
      "$ptxas" "$arch" $options "$source" -o "${source%.ptx}.cubin"
    done
    made=()
    while read -r label options; do
      # shellcheck disable=SC2086  # several options
      if nvlink $options -o out.cubin 2> "$label.refused"; then
        rm "$label.refused"
        cp out.cubin "$label.expected"
        mv out.cubin "$label.out.cubin" # later links may take it
        made+=("$label.out.cubin")
      fi
    done < links
    rm -f "${made[@]}"
  )
done
