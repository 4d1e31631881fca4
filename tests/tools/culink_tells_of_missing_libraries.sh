#!/usr/bin/env bash
# A library of -l that is not found is a warning, and an error with --fatal-missing-library or -Werror.
# Libraries of the host, and those of which there is a shared one, are nothing to tell.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > k.yaml <<'EOT'
arch: sm_90
functions:
- {name: k, kernel: true, code: nop x4}
EOT
"$CUBIN" assemble k.yaml -o k.cubin
mkdir folder
: > folder/libshared.so
link() {
  "$CULINK" -arch=sm_90 k.cubin -o out.cubin -Lfolder -lm -lpthread -lshared "$@" 2> log
}

link
expect_same log /dev/null
link --fatal-missing-library
expect_same log /dev/null
link -lnone
expect_contains log "warning: library 'none' not found" ">>> no libnone.a in folder"
for option in --fatal-missing-library -Werror; do
  rm -f out.cubin
  not link -lnone $option
  expect_contains log "error: library 'none' not found"
  [ ! -e out.cubin ] || fail "$option leaves an output"
done
not link -lnone,other --fatal-missing-library --error-format=json
expect_contains log '"id":"library-missing"' '"arguments":["none"]' '"arguments":["other"]'
not link -lnone --fatal-missing-library --error-format=nvlink
expect_contains log "nvlink fatal   : Could not open input file 'none'"
"$CULINK" --help > help
expect_contains help --fatal-missing-library
"$CULINK" --print-docs man > page
expect_contains page 'fatal\-missing\-library'
