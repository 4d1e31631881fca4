#!/usr/bin/env bash
# cubin verify accepts what the tools wrote, names place, field and rule of damage, and exits 1.
. "${BASH_SOURCE%/*}/../common.inc.sh"
good=$SOURCE/examples/vector_math/sm_90/main.cubin

says 0 "main.cubin: ok" -- "$CUBIN" verify "$good"
says 0 -- "$CUBIN" verify -q "$SOURCE"/examples/*/sm_*/*.cubin

edit_elf "$good" bad.cubin "file.data[49] = 0x5b; file.data += b'xxx'" # sm_91
says 1 "bad.cubin: ELF header, e_flags: 0x6005b04: sm_91 is not known [header-flags]" \
  "bad.cubin: file: 3 bytes follow the last table" "[file-trailing]" "main.cubin: ok" -- "$CUBIN" verify bad.cubin \
  "$good"
says 1 '"rule": "header-flags"' '"field": "e_flags"' -- "$CUBIN" verify --json bad.cubin

head -c 100 "$good" > cut.cubin
says 1 "cut.cubin: ELF header, e_shoff" "missing.cubin: " -- "$CUBIN" verify cut.cubin missing.cubin
says 2 "error: " -- "$CUBIN" verify
says 0 "section-overlap" -- "$CUBIN" verify --list-rules
