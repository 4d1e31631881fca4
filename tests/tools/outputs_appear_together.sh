#!/usr/bin/env bash
# A link writes all its outputs or none: a map, registration file or table that cannot be written leaves no
# new cubin, and an old one as it was.
. "${BASH_SOURCE%/*}/../common.inc.sh"
[ -w /dev/full ] || skip "no /dev/full"

assemble k <<< '{arch: sm_90, functions: [{name: k, kernel: true, code: nop x100}]}'
mkdir out folder
link() { "$CULINK" -arch=sm_90 k.cubin -o out/x "$@"; }

# fails MESSAGE OPTIONS...: without and with an old output.
fails() {
  local message=$1
  shift
  rm -f out/*
  says 1 "$message" -- link "$@"
  [ -z "$(ls out)" ] || fail "$*: leaves $(ls out)"
  echo old > out/x
  echo rows > out/times
  says 1 "$message" -- link "$@"
  [ "$(ls out)" = "$(printf 'times\nx')" ] || fail "$*: leaves $(ls out)"
  [ "$(cat out/x out/times)" = "$(printf 'old\nrows')" ] || fail "$*: has changed a file"
}
fails "none/m: cannot create" -Map=none/m --register-link-binaries=out/registered -time out/times
fails "folder: cannot" -Map=folder --register-link-binaries=out/registered -time out/times
fails "none/r: cannot create" -Map=out/map --register-link-binaries=none/r -time out/times
fails "/dev/full: cannot write" -Map=out/map --register-link-binaries=/dev/full -time out/times
fails "/dev/full: cannot write" -Map=/dev/full --register-link-binaries=out/registered -time out/times
fails "/dev/full: cannot write" -Map=out/map --register-link-binaries=out/registered -time /dev/full
fails "none/t: cannot write" -Map=out/map -time none/t
fails "folder: cannot write" -Map=out/map -time folder

# A program with errors, too, has no table.
rm -f out/*
assemble bad <<< '{arch: sm_90, functions: [{name: k, kernel: true, code: nop, calls: [gone]}], undefined: [gone]}'
says 255 "undefined symbol: gone" -- "$CULINK" -arch=sm_90 bad.cubin -o out/x -Map=out/map -time out/times
[ -z "$(ls out)" ] || fail "a failed link leaves $(ls out)"

rm -f out/*
link -Map=out/map --register-link-binaries=out/registered -time out/times
[ "$(ls out)" = "$(printf 'map\nregistered\ntimes\nx')" ] || fail "there are $(ls out)"
rows=$(wc -l < out/times)
link -Map=out/map -time out/times
[ "$(wc -l < out/times)" -eq $((2 * rows - 1)) ] || fail "the head of the table is there twice"
