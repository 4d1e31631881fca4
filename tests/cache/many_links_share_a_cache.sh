#!/usr/bin/env bash
# Sixteen links at once, of which some are killed at any moment, in a cache so small that they remove
# each other's entries: every link that ends has the right output.
. "${BASH_SOURCE%/*}/watched_compiler.inc"

for level in 0 1 2 3; do link "expected$level.cubin" --no-cache -Xptxas=-O$level; done
worker() { # NUMBER SIZE
  local round level
  for round in 1 2 3 4 5 6; do
    level=$(((round + $1) % 4))
    link "out$1.cubin" --cache-dir=cache --cache-size="$2" -Xptxas=-O$level 2> "err$1" ||
      { echo "no link" >> failed; cat "err$1" >> failed; }
    cmp "out$1.cubin" expected$level.cubin >> failed 2>&1 || echo "differs" >> failed
  done
}
for size in 256k 1G; do
  for number in $(seq 16); do worker "$number" "$size" & done
  wait
  [ ! -s failed ] || fail "with $size: $(cat failed)"
done
rm -f log
for level in 0 1 2 3; do link out.cubin --cache-dir=cache -Xptxas=-O$level; done
expect_compiled 0

# Killed while they read and write. The linker itself is killed, not a shell around it.
for round in $(seq 40); do
  rm -rf "cache/v1/$((round % 10))"
  "$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" main.ptx filter.ptx -o killed.cubin --cache-dir=cache \
    -Xptxas="-O$((round % 4))" 2> /dev/null &
  sleep "0.0$((RANDOM % 3))$((RANDOM % 10))"
  kill -9 $! 2> /dev/null || true
  wait $! 2> /dev/null || true
done
for level in 0 1 2 3; do
  link out.cubin --cache-dir=cache -Xptxas=-O$level 2> err || fail "after kills: $(cat err)"
  expect_same out.cubin expected$level.cubin
  [ ! -s err ] || fail "after kills: $(cat err)"
done
rm -f log
link out.cubin --cache-dir=cache -Xptxas=-O3
expect_compiled 0
