#!/usr/bin/env bash
# nvlink makes the code of objects for sm_100 anew for sm_103 and sm_107. Where instructions have moved the checker finds
# their counterparts; what the code avoids on its chip (SW_WAR) may be another.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/tests/golden/code_for_another_chip/* .
for target in sm_103 sm_107; do
  "$CUBIN" check $target.expected --inputs kernel.cubin > log
  expect_contains log "ok"
done

# The branch of a loop that has moved still has to lead to its begin.
code=$("$CUBIN" dump --sections sm_107.expected | awk '$NF == ".text.h" { print $2 }')
branch=$(od -An -v -tx1 -w16 -j$((code)) -N512 sm_107.expected | awk '$1 == "47" && $2 != "79" { print NR - 1; exit }')
cp sm_107.expected broken.cubin
printf '\0' | dd of=broken.cubin bs=1 seek=$((code + 16 * branch + 2)) conv=notrunc status=none
not "$CUBIN" check broken.cubin --inputs kernel.cubin > log
expect_contains log "wrong-bytes: h"
