#!/usr/bin/env bash
# A large output is made in its file, for which there is room just before, or, where threads are
# many, since the link was planned. It replaces an older file only if all goes well, and nothing else
# is left in the folder: not after a link that fails late, nor on a full disk.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > big.yaml << 'YAML'
arch: sm_90
functions:
- {name: k, kernel: true, code: nop x600000}
YAML
"$CUBIN" assemble big.yaml -o big.cubin
"$CULINK" -arch=sm_90 --threads=1 big.cubin -o - > one.cubin # which was never in a file of culink's
[ "$(stat -c %s one.cubin)" -gt $((9 << 20)) ] || fail "the output is too small for this test"

mkdir out
only_output() {
  [ "$(ls out)" = x.cubin ] || fail "$1: left in the folder: $(ls out)"
}

check_with() { # threads
  local link=("$CULINK" -arch=sm_90 --threads="$1" big.cubin -o)
  rm -f out/x.cubin
  "${link[@]}" out/x.cubin
  only_output "new file"
  expect_same out/x.cubin one.cubin

  echo old > out/x.cubin
  chmod 640 out/x.cubin
  "${link[@]}" out/x.cubin
  only_output "replaced file"
  expect_same out/x.cubin one.cubin
  [ "$(stat -c %a out/x.cubin)" = 640 ] || fail "the replaced file had another mode"

  # A warning that is an error lets the link fail when the image is complete.
  echo old > out/x.cubin
  not "${link[@]}" out/x.cubin --preserve-relocs --warning-as-error 2> log
  expect_contains log "error"
  only_output "failed link"
  [ "$(cat out/x.cubin)" = old ] || fail "a failed link has changed the file"

  (
    ulimit -f 1024
    trap '' XFSZ
    not "${link[@]}" out/x.cubin 2> log
  )
  expect_contains log "out/x.cubin" "cannot write"
  only_output "full disk"
  [ "$(cat out/x.cubin)" = old ] || fail "a failed write has changed the file"

  not "${link[@]}" none/x.cubin 2> log
  expect_contains log "none/x.cubin" "cannot create"
  "${link[@]}" - > standard
  expect_same standard one.cubin
}

for threads in 1 2 8; do
  check_with $threads
done
