#!/usr/bin/env bash
# `make demo`: the tools at work on the files in examples/. Needs no CUDA.
#
#   scripts/demo.sh [FOLDER_WITH_PROGRAMS]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${1:-build/release/bin}

"$bin/culink" --version
