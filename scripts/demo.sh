#!/usr/bin/env bash
# `make demo`: the tools at work on the files in examples/. Needs no CUDA.
#
#   scripts/demo.sh [FOLDER_WITH_PROGRAMS]
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$(cd "${1:-build/release/bin}" && pwd):$PATH

# Shows a command as a person would type it, then runs it.
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

culink --version
show cubin usage --demangle examples/vector_math/sm_90/linked.cubin
show cubin dump --callgraph --demangle examples/function_pointers/sm_90/linked.cubin
show cubin dump --header --notes examples/vector_math/sm_100/linked.cubin
