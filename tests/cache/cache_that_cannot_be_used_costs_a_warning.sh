#!/usr/bin/env bash
# A folder that others can write, or that is somebody else's, is not used, because what is in it
# becomes code; one that is full or cannot be written is read. Each costs one warning, which
# -Werror does not raise, and no link.
. "${BASH_SOURCE%/*}/watched_compiler.inc"

check() { # COUNT WORDS [OPTION...]: links, compiles that often, and warns with these words, once
  local count=$1 words=$2
  shift 2
  link out.cubin --cache-dir=cache -Werror "$@" 2> err || fail "no link: $(cat err)"
  expect_right out.cubin -Werror "$@"
  expect_compiled "$count"
  expect_contains err "warning: cache: " "$words"
  [ "$(wc -l < err)" -eq 1 ] || fail "more than one line: $(cat err)"
}
mkdir cache
chmod 777 cache
check 2 "others can write to the folder"
chmod 720 cache
check 2 "others can write to the folder"
not "$CULINK" --cache-stats --cache-dir=cache 2> err
expect_contains err "others can write to the folder"
[ -z "$(ls cache)" ] || fail "something was written: $(ls cache)"
rmdir cache
echo file > cache
check 2 "cannot open the folder"
rm cache
if [ "$(id -u)" -eq 0 ]; then
  mkdir cache
  chown 12345 cache
  check 2 "belongs to another user"
  rmdir cache
fi

# Nothing is warned about where the cache is not needed.
mkdir cache && chmod 777 cache
"$CULINK" -arch=sm_90 main.cubin filter.cubin -o plain.cubin --cache-dir=cache 2> err
[ ! -s err ] || fail "a warning without a question: $(cat err)"
chmod 700 cache

# Read-only: entries are used.
link out.cubin --cache-dir=cache
expect_compiled 2
if [ "$(id -u)" -ne 0 ]; then
  chmod -R a-w cache
  text main "// changed"
  check 1 "cannot write to the folder"
  text main
  link out.cubin --cache-dir=cache
  expect_compiled 0
  chmod -R u+w cache
fi

# A limit of the process on the size of files would end it by a signal.
rm -rf cache
(ulimit -f 24; link out.cubin --cache-dir=cache) || fail "ended by the limit on files"
expect_right out.cubin
expect_compiled 2

# A full disk, where a small one can be made.
rm -rf cache && mkdir cache
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=16k,mode=700 none cache 2> /dev/null; then
  trap 'umount "$WORK/cache"; rm -rf "$WORK"' EXIT
  for round in 1 2 3; do
    link out.cubin --cache-dir=cache 2> err || fail "no link on a full disk, round $round: $(cat err)"
    expect_right out.cubin
  done
  rm -f log
  check 2 "No space left on device" -Xptxas=-O1
fi
