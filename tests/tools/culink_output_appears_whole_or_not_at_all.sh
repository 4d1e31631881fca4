#!/usr/bin/env bash
# A large output is made in its file, for which there is room just before, or, where threads are
# many, since the link was planned. It replaces an older file only if all goes well, and nothing else
# is left in the folder: not after a link that fails late, nor on a full disk.
. "${BASH_SOURCE%/*}/../common.inc.sh"

assemble big <<< '{arch: sm_90, functions: [{name: k, kernel: true, code: nop x600000}]}'
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
  echo "what a killed link has left" > out/x.cubin.culink-tmp.0
  "${link[@]}" out/x.cubin
  only_output "replaced file"
  expect_same out/x.cubin one.cubin
  [ "$(stat -c %a out/x.cubin)" = 640 ] || fail "the replaced file had another mode"

  # A warning that is an error lets the link fail when the image is complete.
  echo old > out/x.cubin
  says 255 "error" -- "${link[@]}" out/x.cubin --preserve-relocs --warning-as-error
  only_output "failed link"
  [ "$(cat out/x.cubin)" = old ] || fail "a failed link has changed the file"

  (ulimit -f 1024 && trap '' XFSZ && says 1 "out/x.cubin" "cannot write" -- "${link[@]}" out/x.cubin)
  only_output "full disk"
  [ "$(cat out/x.cubin)" = old ] || fail "a failed write has changed the file"

  says 1 "none/x.cubin" "cannot create" -- "${link[@]}" none/x.cubin
  "${link[@]}" - > standard
  expect_same standard one.cubin
}

for threads in 1 2 8; do
  check_with $threads
done
