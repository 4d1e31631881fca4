#!/usr/bin/env bash
# Every test, for `make test`: the release build with the tests of the programs, then the sanitizer
# build with the unit tests and short runs of the fuzz targets. Ends with what was skipped, by name, and one
# line of totals. Fails if a build or a test fails. Arguments are handed to cmake.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
flags=("$@")
results=build/test-results
rm -rf "$results"
mkdir -p "$results"
status=0

# run_stage PRESET TARGET CTEST_ARGUMENTS...: configures, builds and tests one preset.
run_stage() {
  local preset=$1 target=$2
  shift 2
  echo "== $preset"
  cmake --preset "$preset" "${flags[@]}" >/dev/null
  cmake --build --preset "$preset" -j "$jobs" --target "$target"
  ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$results/$preset.xml" "$@" || status=1
}

run_stage release program_tests -LE '^(unit|fuzz|campaign)$'
# clang makes one build serve both; without it the unit tests still meet g++'s sanitizers.
if command -v clang++-16 >/dev/null; then
  run_stage check sanitized_tests -L '^(unit|fuzz|campaign)$'
else
  run_stage asan sanitized_tests -L '^(unit|fuzz|campaign)$'
  echo "skipped: fuzz runs (no clang++-16)"
fi

python3 scripts/summarize_tests.py "$results"/*.xml || status=1
exit $status
