#!/usr/bin/env bash
# Names of files and symbols come from strangers: what a terminal would obey, or read as a line of its own,
# is shown by its number in messages, maps and reports.
. "${BASH_SOURCE%/*}/../common.inc.sh"

objects="$SOURCE/examples/vector_math/sm_90"
main=$'a\033[31m\nforged: \302\233x.cubin' filter=$'\033]0;title\007.cubin'
python3 - "$objects" "$main" "$filter" << 'PYTHON'
import sys
for source, output in zip(("main", "filter"), sys.argv[2:]):
    with open(f"{sys.argv[1]}/{source}.cubin", "rb") as file:
        data = file.read()
    for name in (b"_Z9block_sumf", b"_Z5totalPKfPfi"):  # others of the same length
        data = data.replace(name, b"\033[2J\nforged: x"[:len(name)].ljust(len(name), name[2:3]))
    with open(output, "wb") as file:
        file.write(data)
PYTHON

# clean FILE: no control character, and no line that another file has written.
clean() {
  [ -s "$1" ] || fail "$1 is empty"
  if LC_ALL=C grep -q -a $'[\001-\010\013-\037\177]\\|\302\233\\|^forged' "$1"; then
    cat -v "$1" >&2
    fail "$1 is not clean"
  fi
}

"$CULINK" -arch=sm_90 "$main" "$filter" -o out.cubin -Map=map --why-live=samples_seen --trace-symbol=samples_seen \
  --dump-callgraph -v --print-gc-sections > reports 2>&1
clean map
clean reports
for format in text nvlink json; do
  not "$CULINK" -arch=sm_90 --error-format=$format "$main" -o out.cubin 2> error
  clean error
  not "$CULINK" -arch=sm_90 --error-format=$format "$main" "$main" "$filter" -o out.cubin 2> error
  clean error
  not "$CULINK" -arch=sm_90 --error-format=$format $'no\033[1m such\nforged: file' -o out.cubin 2> error
  clean error
done

# Signs with which a spreadsheet begins a formula, and names of files that are made of names of members.
assemble formula <<< '{arch: sm_90, functions: [{name: "=1+1", kernel: true, code: nop}]}'
for command in "usage --csv" "size --csv"; do
  # shellcheck disable=SC2086  # several words
  says 0 ',\x3d1+1' -- "$CUBIN" $command formula.cubin
  expect_lacks told "=1+1"
done
cp formula.cubin $'m\033[31m.o'
ar rc members.a $'m\033[31m.o'
"$CUBIN" extract members.a -C pieces
[ -e 'pieces/members.m\x1b[31m.1.sm_90.cubin' ] || fail "$(ls -b pieces)"
