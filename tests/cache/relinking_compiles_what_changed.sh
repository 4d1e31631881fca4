#!/usr/bin/env bash
# A text is compiled once for each compiler, target and list of options, whatever it is called and
# wherever it lies; --stats counts, and -no-cache and the variables decide where and whether.
. "${BASH_SOURCE%/*}/watched_compiler.inc"

check() { # COUNT [OPTION...]: links with the cache
  local count=$1
  shift
  link out.cubin --cache-dir=cache --stats "$@" > stats 2>&1
  expect_compiled "$count"
  expect_right out.cubin "$@"
}
check 2
expect_contains stats "cache hits 0 and 0 shared, misses 2, stored 2"
check 0
expect_contains stats "cache hits 2 and 0 shared, misses 0, stored 0"
text main "// changed"
check 1
expect_contains stats "cache hits 1 and 0 shared, misses 1, stored 1"
text main
check 0

# What decides about the answer: options, target, the compiler itself; not times and places.
check 2 -Xptxas=-O1
check 0 -Xptxas=-O1
check 2 -maxrregcount=32
touch main.ptx ptxas
check 0
# Options that a fatbin has beside the text decide, too.
beside() { # COUNT OPTIONS
  python3 -B "$SOURCE/tests/fatbin.py" beside.fatbin "90=main.ptx,options=$2"
  "$CULINK" -arch=sm_90 -r --ptxas="$PWD/ptxas" beside.fatbin -o out.cubin --cache-dir=cache
  expect_compiled "$1"
}
beside 1 -O1
beside 0 -O1
beside 1 -O2
mv ptxas old && cp "$bin/fake_ptxas" ptxas && rm old
check 0
printf 'x' >> ptxas
check 2
check 0
# A file that an option names may decide, too. A script may run anything.
touch more.txt
check 2 -Xptxas=-optf=more.txt
check 2 -Xptxas=-optf=more.txt
printf '#!/bin/sh\nexec %s "$@"\n' "$bin/fake_ptxas" > ptxas
check 2
check 2
cp "$bin/fake_ptxas" ptxas

# Off.
check 2 --no-cache
expect_contains stats "cache off"
CULINK_CACHE_DIR=cache check 2 --no-cache

# What the compiler said is said again, with the name that the text has now. Errors are not kept.
text main "// remark"
check 1
expect_contains stats "a remark about main.ptx"
mkdir other && cp main.ptx other/again.ptx
"$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" other/again.ptx filter.ptx -o out.cubin --cache-dir=cache 2> err
expect_compiled 0
expect_contains err "a remark about other/again.ptx"
text main "// refuse"
not link none.cubin --cache-dir=cache 2> err
not link none.cubin --cache-dir=cache 2> err
expect_compiled 2
text main

# Where it is.
unset CULINK_NO_CACHE
export HOME=$PWD/home; mkdir home
CULINK_CACHE_DIR=$PWD/cache link out.cubin
expect_compiled 0
XDG_CACHE_HOME=$PWD/xdg link out.cubin
expect_compiled 2
[ -d xdg/culink/v1 ] || fail "nothing in XDG_CACHE_HOME"
link out.cubin
expect_compiled 2
[ -d home/.cache/culink/v1 ] || fail "nothing below HOME"
[ -e home/.cache/culink/CACHEDIR.TAG ] || fail "backups would take it"
CULINK_NO_CACHE=1 link out.cubin
HOME='' link out.cubin
expect_compiled 4

# What is in it.
"$CULINK" --cache-stats > stats
expect_contains stats "folder   $PWD/home/.cache/culink" "of 5368709120"
grep -q "entries  [23]\$" stats || fail "not two answers and the digest of an old compiler: $(cat stats)"
CULINK_CACHE_SIZE=1M "$CULINK" --cache-clear --cache-stats > stats
expect_contains stats "entries  0" "bytes    0 of 1048576"
"$CULINK" --cache-stats --no-cache > stats
expect_contains stats "cache off"
not link out.cubin --cache-size=much 2> err
expect_contains err "invalid value 'much' for option 'cache-size'"
