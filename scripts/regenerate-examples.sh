#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rebuilds the binaries under examples/ from their sources. Needs nvcc 13.0; the result is the same
# on every machine with that version, so `git status` stays clean unless a source was changed.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
python3 "$root/tests/generate/build_examples.py"
# Nothing of the machine it was built on may get into a committed file.
if grep -rlaE '/(work|root|home|tmp|usr)/|tmpxft' --include='*.cubin' --include='*.fatbin' \
    --include='*.o' "$root/examples"; then
  echo "error: the files above contain a path of this machine" >&2
  exit 1
fi
