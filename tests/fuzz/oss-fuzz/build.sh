#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds every fuzz target into $OUT, with its dictionary, options and seeds, by the rules of
# OSS-Fuzz: compilers, flags and engine come in CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE;
# $WORK is a folder for what is in between. It runs outside OSS-Fuzz, too (docs/testing.md).
source=$(cd "$(dirname "$0")" && pwd)
if [ -d "${SRC:-}/culink" ]; then
  source=$SRC/culink
else
  source=$(cd "$source/../../.." && pwd)
fi

# Debian's yaml-cpp does not fit the compiler of OSS-Fuzz, which has another C++ library.
if [ -d "${SRC:-}/yaml-cpp" ]; then
  cmake -S "$SRC/yaml-cpp" -B "$WORK/yaml-cpp" -G Ninja -DYAML_CPP_BUILD_TESTS=OFF \
    -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_BUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX="$WORK/prefix"
  cmake --build "$WORK/yaml-cpp"
  cmake --install "$WORK/yaml-cpp"
fi

# No build type: optimisation is among the flags that are given.
cmake -S "$source" -B "$WORK/culink" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_PREFIX_PATH="$WORK/prefix" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=60 \
  -DCULINK_FUZZ=ON -DCULINK_FUZZ_ENGINE="$LIB_FUZZING_ENGINE"
cmake --build "$WORK/culink" --target fuzz_targets -j "${JOBS:-$(nproc)}"

# One program under many names: the one that it is started by chooses the target.
first=
for target in "$WORK"/culink/bin/*_fuzz; do
  if [ -z "$first" ]; then
    first=$OUT/$(basename "$target")
    cp -L "$target" "$first"
  else
    ln -f "$first" "$OUT/$(basename "$target")"
  fi
done
python3 "$source/tests/fuzz/pack_seeds.py" "$OUT"
