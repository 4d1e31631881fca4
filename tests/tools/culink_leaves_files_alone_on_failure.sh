#!/usr/bin/env bash
# A failed link exits with nvlink's status, names every broken input, and leaves an existing output as it was.
. "${BASH_SOURCE%/*}/../common.inc.sh"
objects=$SOURCE/examples/vector_math/sm_90

echo precious > out
head -c 100 "$objects/main.cubin" > cut.cubin
echo text > text.cubin
says 1 "culink: error: cut.cubin: " "culink: error: text.cubin: " "culink: error: missing.cubin: " -- \
  "$CULINK" -arch=sm_90 cut.cubin text.cubin missing.cubin -o out
[ "$(cat out)" = precious ] || fail "the output was touched"

# Undefined symbols are all named, with the file that needs them.
says 255 "culink: error: undefined symbol: " ">>> " -- "$CULINK" -arch=sm_90 "$objects/main.cubin" -o out
[ "$(cat out)" = precious ] || fail "the output was touched"

# An output that cannot be written is an error of its own.
says 1 "no/such/folder/out: cannot create" -- \
  "$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" -o no/such/folder/out
[ "$(ls)" = "$(printf 'cut.cubin\nout\ntext.cubin\ntold')" ] || fail "left files behind: $(ls)"

# Too few descriptors are said to be that.
for number in 4 5 6 7; do
  bash -c 'ulimit -n "$1"; shift; exec "$@"' - "$number" "$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" \
    -o new -Map=map --report=page > log 2>&1 || expect_lacks log "Bad file descriptor"
done
