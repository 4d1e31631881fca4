#!/usr/bin/env bash
# Installs into FOLDER what tests take from the Python index: NVIDIA's inspectors (cuobjdump, nvdisasm) and clients of
# its linker library (cuda-bindings, cuda-core, numba-cuda), in a virtual environment of their own.
#
#   scripts/install-test-tools.sh FOLDER
#
# Succeeds also without network; the tests that need these programs are skipped by name then. cuobjdump has a fixed
# release, because later ones print fewer names of attributes.
set -euo pipefail

folder=$1
packages=(nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm cuda-bindings cuda-core numba-cuda)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { python3 -m venv --clear "$folder" &&
  "$folder/bin/pip" -q install --disable-pip-version-check --retries 1 "${packages[@]}"; } > "$log" 2>&1; then
  echo "install-test-tools: the Python index gave no ${packages[*]}; tests that need them will be skipped:" >&2
  tail -n 1 "$log" >&2
  exit 0
fi
for program in cuobjdump nvdisasm; do
  find "$folder" -path "*/nvidia/*/bin/$program" -exec ln -sf {} "$folder/bin/" \;
done
