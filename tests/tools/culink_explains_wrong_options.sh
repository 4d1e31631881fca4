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
