#!/usr/bin/env bash
# Two folders stand for two machines, and a server with GET and PUT for the store between them: what
# one has compiled the other takes. A store that is gone, full, slow, broken or lying costs one
# warning and no link.
. "${BASH_SOURCE%/*}/watched_compiler.inc"
need python3

[ "$(uname -s)" = Linux ] || skip "needs Linux"
mkdir store
python3 "$SOURCE/tests/cache/store.py" store port &
server=$!
trap 'kill $server 2> /dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 100); do [ -e port ] || sleep 0.1; done
url=http://127.0.0.1:$(cat port)

check() { # COUNT MACHINE [OPTION...]: links there, compiles that often
  local count=$1 machine=$2
  shift 2
  link out.cubin --cache-dir="$machine" --cache-remote="$url" --stats "$@" > err 2>&1 || fail "no link: $(cat err)"
  ! grep -q "libcurl" err || skip "$(grep libcurl err)"
  expect_right out.cubin "$@"
  expect_compiled "$count"
}
expect_warning() { # [WORDS]: one that has them, or none
  local count=1
  [ $# -ne 0 ] || count=0
  [ "$(grep -c warning err)" -eq "$count" ] || fail "not $count warnings: $(cat err)"
  [ $# -eq 0 ] || expect_contains err "warning: cache: http://127.0.0.1" "$1"
}
check 2 one
expect_warning
check 0 two
expect_contains err "cache hits 0 and 2 shared, misses 0, stored 2"
expect_warning
check 0 two
expect_contains err "cache hits 2 and 0 shared"
rm -rf one
check 0 one
CULINK_CACHE_REMOTE=$url CULINK_CACHE_DIR=three CULINK_NO_CACHE=0 link out.cubin
expect_compiled 0

# Without a folder of its own the store serves as well, and nothing is sent if that is not wanted.
rm store/requests
check 2 four --cache-remote-read-only -Xptxas=-O1
expect_lacks store/requests PUT
rm -rf four
check 2 four -Xptxas=-O1
expect_contains store/requests PUT

# Entries that were damaged there, or are those of other questions.
find store -type f -size +1k | while read -r file; do
  printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc status=none
done
rm -rf one two
check 2 one
expect_warning "sent a damaged entry"
check 0 two # they were replaced
rm -rf two
echo lie > store/mode
check 2 two
expect_warning "sent a damaged entry"

for mode in broken away full; do
  echo $mode > store/mode
  rm -rf one
  case $mode in full) check 0 one; expect_warning; check 2 one -Xptxas=-O"$RANDOM" ;; *) check 2 one ;; esac
  expect_warning status
done
# A password: in the URL, but not in messages.
echo forbidden > store/mode
rm -rf one
check 2 one
expect_warning "status 401"
rm -rf one
url=${url/127/me:secret@127} check 0 one
expect_warning
rm -rf one
url=${url/127/me:wrong@127} check 2 one
expect_warning "status 401"
expect_lacks err wrong

echo huge > store/mode
rm -rf one
check 2 one --cache-size=64M
expect_warning "sent more than an entry can have"

# No answer takes the memory of the link.
for mode in huge grow; do
  echo $mode > store/mode
  rm -rf one
  check 2 one --memory-limit=64M --cache-size=64G
  rm -rf one
  (ulimit -v 400000; check 2 one)
done

# Time counts whatever the answer is: an entry, or a damaged one.
rm -rf one store/mode
ptx=()
for ((i = 0; i < 40; ++i)); do
  printf '// answer: main.cubin\n// %d\n.version 8.8\n.target sm_90\n.address_size 64\n' "$i" > "$i.ptx"
  ptx+=("$i.ptx")
done
ask_for_all() { # THREADS: the definitions of all are the same, which is an error; that comes later
  rm -rf one store/requests
  not "$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" "${ptx[@]}" --cache-dir=one --cache-remote="$url" --threads="$1" \
    -o out.cubin > err 2>&1
}
ask_for_all 1
[ "$(grep -c PUT store/requests)" -gt 20 ] || fail "nothing was stored: $(cat err)"
echo late > store/mode
ask_for_all 16
[ "$(grep -c GET store/requests)" -lt 40 ] || fail "late entries are asked for"
expect_contains err "it is not asked again"
find store -type f -size +1k | while read -r file; do
  printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc status=none
done
ask_for_all 16
[ "$(grep -c GET store/requests)" -lt 40 ] || fail "late rubbish is asked for"
rm -f log
echo slow > store/mode
rm -rf one
SECONDS=0
check 2 one --threads=1
expect_warning "it is not asked again"
[ "$SECONDS" -lt 18 ] || fail "waited $SECONDS seconds"
kill "$server"
rm -rf one
check 2 one
expect_warning "it is not asked again"
check 0 one # from its own folder, the store is not needed
expect_warning
