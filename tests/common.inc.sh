# shellcheck shell=bash
# Helpers for the shell tests. A test begins with
#
#   #!/usr/bin/env bash
#   # What this test shows, in a sentence.
#   . "${BASH_SOURCE%/*}/../common.inc.sh"
#
# and then runs in an empty folder of its own that is removed when it ends. $CUBIN and $CULINK are
# the programs under test; run by hand, the release build is taken. $SOURCE is the repository.
set -euo pipefail

SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CUBIN=${CUBIN:-$SOURCE/build/release/bin/cubin}
CULINK=${CULINK:-$SOURCE/build/release/bin/culink}
export SOURCE CUBIN CULINK
export CULINK_NO_CACHE=1 # what earlier links have left proves nothing; --cache-dir counts more

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"

# fail MESSAGE...: ends the test.
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# skip REASON...: ends the test as one that cannot run here.
skip() {
  printf 'skipped: %s\n' "$*"
  exit 77
}

# need PROGRAM...: skips the test unless all are found.
need() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "no $program"
  done
}

# not COMMAND...: succeeds if the command fails in an orderly way; a signal is no orderly failure.
not() {
  local status=0
  "$@" || status=$?
  [ "$status" -ne 0 ] || fail "succeeded, should have failed: $*"
  # nvlink's status for errors that it collects is 255; a shell's for crashes lies between.
  [ "$status" -lt 126 ] || [ "$status" -eq 255 ] || fail "died with status $status: $*"
}

# expect_contains FILE TEXT...: each text occurs in the file, as it is and on one line.
expect_contains() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || fail "no '$text' in $file, which is:"$'\n'"$(head -50 "$file")"
  done
}

# expect_lacks FILE TEXT...: none of the texts occurs in the file.
expect_lacks() {
  local file=$1 text
  shift
  for text in "$@"; do
    ! grep -qF -- "$text" "$file" || fail "'$text' should not be in $file"
  done
}

# expect_status STATUS COMMAND...: the command ends with exactly this exit status.
expect_status() {
  local expected=$1 status=0
  shift
  "$@" || status=$?
  [ "$status" -eq "$expected" ] || fail "status $status instead of $expected: $*"
}

# says STATUS TEXT... -- COMMAND...: the command ends with the status, and each text occurs in what it prints,
# both streams together, which is then the file `told`. Without a text it prints nothing.
says() {
  local expected=$1 status=0 texts=()
  shift
  while [ "$1" != -- ]; do
    texts+=("$1")
    shift
  done
  shift
  "$@" > told 2>&1 || status=$?
  [ "$status" -eq "$expected" ] || fail "status $status instead of $expected: $*"$'\n'"$(head -50 told)"
  expect_contains told "${texts[@]}"
  [ ${#texts[@]} -gt 0 ] || [ ! -s told ] || fail "prints something: $*"$'\n'"$(head -50 told)"
}

# assemble NAME: makes NAME.cubin of the YAML on standard input, which becomes NAME.yaml.
assemble() {
  cat > "$1.yaml"
  "$CUBIN" assemble "$1.yaml" -o "$1.cubin"
}

# edit_elf FILE OUT STATEMENTS: writes a copy of a device file that statements of Python have changed. In them `file`
# is the ElfFile of tests/check/elf_edit.py, and `sections` has its sections by name.
edit_elf() {
  PYTHONPATH=$SOURCE/tests/check python3 -B -c '
import sys
from elf_edit import ElfFile
file = ElfFile(open(sys.argv[1], "rb").read())
sections = file.by_name
exec(sys.argv[3])
open(sys.argv[2], "wb").write(file.data)' "$@"
}

# expect_same FILE FILE: the bytes are equal.
expect_same() {
  cmp -- "$1" "$2" >&2 || fail "$1 and $2 differ"
}

# links_as_recorded NAME [OPTION...]: with --emulate and the options, culink writes what nvlink wrote for
# each link of tests/golden/NAME, as LABEL.out.cubin in the current folder, beside the inputs.
links_as_recorded() {
  python3 -B "$SOURCE/tests/golden/links.py" "$@" || exit 1
}

# links_soundly NAME LABEL PATTERN [OPTION...]: after links_as_recorded, culink without --emulate
# writes a well-formed file for the link LABEL, own.cubin. It differs from the recorded one in what
# `cubin diff` reports in lines that match PATTERN, and beside that in the tool note alone.
links_soundly() {
  local name=$1 label=$2 pattern=$3 options
  shift 3
  options=$(sed -n "s/^$label //p" "$SOURCE/tests/golden/$name/links")
  # shellcheck disable=SC2086  # several options
  "$CULINK" "$@" $options -o own.cubin > log 2>&1 || fail "$name, $label: $(cat log)"
  "$CUBIN" verify own.cubin > log 2>&1 || fail "$name, $label: $(cat log)"
  "$CUBIN" diff --details --all --ignore=tkinfo --ignore=layout own.cubin "$label.out.cubin" > differences || true
  grep -vE ' differences?$' differences | grep -vE -- "$pattern" > unexplained || true
  [ ! -s unexplained ] || fail "$name, $label: differs in more than $pattern:"$'\n'"$(cat unexplained)"
  grep -qE -- "$pattern" differences || fail "$name, $label: no difference matches $pattern"
}

# make_answering PROGRAM: makes a compiler or an engine whose answer is the file $ANSWER, whatever it is given.
make_answering() {
  cat > "$1" << 'CODE'
#!/usr/bin/env bash
while [ "$1" != -o ]; do shift; done
cp "$ANSWER" "$2"
CODE
  chmod +x "$1"
}

# links_as_nvlink OPTION...: culink with --emulate and exact code writes what the installed nvlink
# writes.
links_as_nvlink() {
  nvlink "$@" -o out.cubin # the name stands in the file
  mv out.cubin expected.cubin
  "$CULINK" --emulate=nvlink-13.0.88 --code=exact "$@" -o out.cubin 2> err ||
    { grep -q finalizer err && skip "no finalizer"; cat err; fail "no link"; }
  expect_same expected.cubin out.cubin
}
