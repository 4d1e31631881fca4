#!/usr/bin/env bash
# Wrong command lines fail with one line per mistake; --help and --version do nothing else.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CULINK" --version > version
expect_contains version "culink 0."
"$CULINK" -h > help
expect_contains help "usage: culink -arch=sm_NN" "--relocatable-link, -r"

expect_status 1 "$CULINK" --verb -v=1 -arch=sm_91 -maxrregcount x a.cubin 2> errors
expect_contains errors "unknown option '--verb'" "option '-v' takes no value" \
  "invalid value 'sm_91' for option 'arch'" "'x' is not a number"
expect_status 1 "$CULINK" a.cubin 2> errors
expect_contains errors "missing option '-arch'" "missing option '-o'"
expect_status 1 "$CULINK" -arch=sm_90 --emulate=nvlink-13.0.88 -o out 2> errors
expect_contains errors "no input files"
expect_status 1 "$CULINK" -arch=sm_90 --emulate=nvlink-13.0.88 -dlto a.cubin -o out 2> errors
expect_contains errors "option '-dlto' requires '-nvvmpath'"
expect_status 1 "$CULINK" -arch=sm_90 --emulate=nvlink-1 a.cubin -o out 2> errors
expect_contains errors "cannot emulate 'nvlink-1'" "hint: known linkers: nvlink-13.0.88"
[ ! -e out ] || fail "wrote an output"

# Where there is nothing to optimise, the option does no harm.
"$CULINK" -arch=sm_90 -r -dlto -nvvmpath=none "$SOURCE/examples/vector_math/sm_90/main.cubin" \
  -o linked.cubin 2> errors
expect_contains errors "warning: option '-dlto' is ignored: no input has code for link-time optimisation" \
  "main.cubin: has no code for link-time optimisation and is linked as it is"

# What may have been meant. One line each: OPTION, then the hint.
while read -r word hint; do
  expect_status 1 "$CULINK" "$word" 2> errors
  expect_contains errors "hint: $hint"
done <<'END'
--outptu=x did you mean '--output-file=x'?
--verb did you mean '--verbose'?
-verbose did you mean '--verbose'?
--Werror did you mean '-Werror'?
-oout.cubin did you mean '-o out.cubin'?
--why_live=f did you mean '--why-live=f'?
-O3 optimisation is asked of nvcc and ptxas
-arch=sm90 did you mean 'sm_90'? values: sm_75, sm_
-arch=sm_52 values: sm_
--error-format=jsn did you mean 'json'? values: 
--code=sas did you mean 'sass'? values: 
--zzzz culink --help lists all options
usage instead: cubin usage
dump instead: cubin dump
END
expect_status 1 "$CULINK" @nope.rsp 2> errors
expect_contains errors "option file 'nope.rsp': cannot open: No such file or directory"
expect_lacks errors "-arch"
"$CULINK" --help > help
[ -z "$(awk 'length > 80' help)" ] || fail "--help is wider than 80 columns"
expect_contains help "Everyday:" "Reports:" "Accepted without effect:"
"$CULINK" --version > version
expect_contains version "nvlink releases it stands for" "13.0.88"

# Of many errors 20 are shown, unless somebody wants more, or it is a program that reads them.
{ echo 'arch: sm_90'; echo 'functions:'; printf -- '- {name: k, kernel: true, code: nop x4, calls: ['
  for i in $(seq 30); do printf 'f%d, ' "$i"; done; echo ']}'
  printf 'undefined: ['; for i in $(seq 30); do printf 'f%d, ' "$i"; done; echo ']'; } > many.yaml
"$CUBIN" assemble many.yaml -o many.cubin
while read -r count options; do
  # shellcheck disable=SC2086  # several options
  expect_status 255 "$CULINK" -arch=sm_90 many.cubin -o many.out $options 2> errors
  [ "$(grep -cE 'undefined symbol|Undefined reference' errors)" -eq "$count" ] || fail "$options: not $count"
done <<'END'
20
30 --error-limit=0
5 --error-limit 5
30 --error-format=json
30 --emulate=nvlink-13.0.88
30 --error-format=nvlink --error-limit=3
END
expect_status 255 "$CULINK" -arch=sm_90 many.cubin -o many.out 2> errors
expect_contains errors "culink: 10 more errors are not shown; --error-limit=0 shows all"

# nvcc passes it always.
"$CULINK" -arch=sm_90 -nvvmpath=none -r "$SOURCE/examples/vector_math/sm_90/main.cubin" -o linked.cubin 2> errors
[ ! -s errors ] || fail "noise: $(cat errors)"
