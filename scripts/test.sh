#!/usr/bin/env bash
# Every test, for `make test`: the release build with the tests of the programs, and the sanitizer build
# with the unit tests and short runs of the fuzz targets. Ends with what was skipped, by name, and one line
# of totals. Fails if a build or a test fails. Arguments are handed to cmake.
#
# The builds run side by side, each on half of the cores, and so do the tests after them: no core is idle
# while one build waits for its slowest step. Tests take all cores, because the other side may be done.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-$(nproc)}
flags=("$@")
results=build/test-results
rm -rf "$results"
mkdir -p "$results"

# run_stage PRESET TARGET CTEST_ARGUMENTS...: configures, builds and tests one preset.
run_stage() {
  local preset=$1 target=$2
  shift 2
  cmake --preset "$preset" "${flags[@]}" >/dev/null
  cmake --build --preset "$preset" -j $(((jobs + 1) / 2)) --target "$target"
  ctest --preset "$preset" -j "$jobs" --output-junit "$PWD/$results/$preset.xml" "$@"
}

# start PRESET ...: run_stage beside what else runs; its lines begin with the name.
stages=()
start() {
  run_stage "$@" 2>&1 | sed -u "s/^/$1: /" &
  stages+=($!)
  [ "$jobs" -gt 1 ] || wait $! || true
}

start release program_tests -LE '^(unit|fuzz|campaign)$'
# clang makes one build serve both; without it the unit tests still meet g++'s sanitizers.
if command -v clang++-16 >/dev/null; then
  start check sanitized_tests -L '^(unit|fuzz|campaign)$'
else
  start asan sanitized_tests -L '^(unit|fuzz|campaign)$'
  echo "skipped: fuzz runs (no clang++-16)"
fi
status=0
for stage in "${stages[@]}"; do
  wait "$stage" || status=1
done

python3 scripts/summarize_tests.py "$results"/*.xml || status=1
exit $status
