#!/usr/bin/env bash
# A failed link exits with nvlink's status, names every broken input, and leaves an existing output as it was.
. "${BASH_SOURCE%/*}/../common.inc.sh"
objects=$SOURCE/examples/vector_math/sm_90

echo precious > out
head -c 100 "$objects/main.cubin" > cut.cubin
echo text > text.cubin
expect_status 1 "$CULINK" -arch=sm_90 cut.cubin text.cubin missing.cubin -o out 2> errors
expect_contains errors "culink: error: cut.cubin: " "culink: error: text.cubin: " \
  "culink: error: missing.cubin: "
[ "$(cat out)" = precious ] || fail "the output was touched"

# Undefined symbols are all named, with the file that needs them.
expect_status 255 "$CULINK" -arch=sm_90 "$objects/main.cubin" -o out 2> errors
expect_contains errors "culink: error: undefined symbol: " ">>> "
[ "$(cat out)" = precious ] || fail "the output was touched"

# An output that cannot be written is an error of its own.
expect_status 1 "$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" \
  -o no/such/folder/out 2> errors
expect_contains errors "no/such/folder/out: cannot create"
[ "$(ls)" = "$(printf 'cut.cubin\nerrors\nout\ntext.cubin')" ] || fail "left files behind: $(ls)"

# Too few descriptors are said to be that.
for number in 4 5 6 7; do
  bash -c 'ulimit -n "$1"; shift; exec "$@"' - "$number" "$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" \
    -o new -Map=map --report=page > log 2>&1 || expect_lacks log "Bad file descriptor"
done
