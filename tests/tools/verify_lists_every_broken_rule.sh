#!/usr/bin/env bash
# cubin verify accepts what the tools wrote, names place, field and rule of damage, and exits 1.
. "${BASH_SOURCE%/*}/../common.inc.sh"
good=$SOURCE/examples/vector_math/sm_90/main.cubin

"$CUBIN" verify "$good" > ok
expect_contains ok "main.cubin: ok"
"$CUBIN" verify -q "$SOURCE"/examples/*/sm_*/*.cubin > quiet
[ ! -s quiet ] || fail "findings in shipped files:"$'\n'"$(cat quiet)"

cp "$good" bad.cubin
printf '\x5b' | dd of=bad.cubin bs=1 seek=49 conv=notrunc status=none # sm_91
printf 'xxx' >> bad.cubin
expect_status 1 "$CUBIN" verify bad.cubin "$good" > findings
expect_contains findings "bad.cubin: ELF header, e_flags: 0x6005b04: sm_91 is not known [header-flags]" \
  "bad.cubin: file: 3 bytes follow the last table" "[file-trailing]" "main.cubin: ok"
expect_status 1 "$CUBIN" verify --json bad.cubin > json
expect_contains json '"rule": "header-flags"' '"field": "e_flags"'

head -c 100 "$good" > cut.cubin
expect_status 1 "$CUBIN" verify cut.cubin missing.cubin > findings
expect_contains findings "cut.cubin: ELF header, e_shoff" "missing.cubin: "
expect_status 2 "$CUBIN" verify 2> errors
"$CUBIN" verify --list-rules > rules
expect_contains rules "section-overlap"
