#!/usr/bin/env bash
# A wrong document is refused with file, line, key and reason; the output file stays as it was.
. "${BASH_SOURCE%/*}/../common.inc.sh"

echo precious > out.cubin
cat > wrong.yaml << 'YAML'
cubin: exact
arch: sm_90
sections:
- {name: .shstrtab}
- {name: .text.k, code: nop x4, alignment: 128}
YAML
expect_status 1 "$CUBIN" assemble wrong.yaml -o out.cubin 2> errors
expect_contains errors "cubin: error: wrong.yaml: line 5, alignment: unknown key; known here: name"
expect_contains out.cubin precious

printf 'cubin: exact\nsections: [{name: x\n' > broken.yaml
expect_status 1 "$CUBIN" assemble broken.yaml -o out.cubin 2> errors
expect_contains errors "cubin: error: broken.yaml: line 3: not valid YAML"

expect_status 1 "$CUBIN" assemble missing.yaml -o out.cubin 2> errors
expect_contains errors "cubin: error: missing.yaml:"
expect_status 2 "$CUBIN" assemble wrong.yaml 2> errors
expect_contains out.cubin precious

printf 'not an ELF file' > text.txt
expect_status 1 "$CUBIN" text text.txt 2> errors
expect_contains errors "cubin: error: text.txt: not a known kind of file with device code"
