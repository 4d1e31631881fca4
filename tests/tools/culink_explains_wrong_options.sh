#!/usr/bin/env bash
# Wrong command lines fail with one line per mistake; --help and --version do nothing else.
. "${BASH_SOURCE%/*}/../common.inc.sh"

says 0 "usage: culink -arch=sm_NN" "--relocatable-link, -r" -- "$CULINK" -h

says 1 "unknown option '--verb'" "option '-v' takes no value" "invalid value 'sm_91' for option 'arch'" \
  "'x' is not a number" -- "$CULINK" --verb -v=1 -arch=sm_91 -maxrregcount x a.cubin
says 1 "missing option '-arch'" "missing option '-o'" -- "$CULINK" a.cubin
says 1 "no input files" -- "$CULINK" -arch=sm_90 --emulate=nvlink-13.0.88 -o out
says 1 "option '-dlto' requires '-nvvmpath'" -- "$CULINK" -arch=sm_90 --emulate=nvlink-13.0.88 -dlto a.cubin -o out
says 1 "cannot emulate 'nvlink-1'" "hint: known linkers: nvlink-13.0.88" -- \
  "$CULINK" -arch=sm_90 --emulate=nvlink-1 a.cubin -o out
[ ! -e out ] || fail "wrote an output"

# Where there is nothing to optimise, the option does no harm.
says 0 "warning: option '-dlto' is ignored: no input has code for link-time optimisation" \
  "main.cubin: has no code for link-time optimisation and is linked as it is" -- "$CULINK" -arch=sm_90 -r -dlto \
  -nvvmpath=none "$SOURCE/examples/vector_math/sm_90/main.cubin" -o linked.cubin

# What may have been meant. One line each: OPTION, then the hint.
while read -r word hint; do
  says 1 "hint: $hint" -- "$CULINK" "$word"
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
says 1 "option file 'nope.rsp': cannot open: No such file or directory" -- "$CULINK" @nope.rsp
expect_lacks told "-arch"
says 0 "Everyday:" "Reports:" "Accepted without effect:" -- "$CULINK" --help
[ -z "$(awk 'length > 80' told)" ] || fail "--help is wider than 80 columns"
says 0 "culink 0." "nvlink releases it stands for" "13.0.88" -- "$CULINK" --version

# Of many errors 20 are shown, unless somebody wants more, or it is a program that reads them.
names=$(seq -s, 30 | sed 's/[0-9]*/f&/g')
assemble many <<< "{arch: sm_90, functions: [{name: k, kernel: true, code: nop x4, calls: [$names]}], undefined: [$names]}"
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
says 255 "culink: 10 more errors are not shown; --error-limit=0 shows all" -- \
  "$CULINK" -arch=sm_90 many.cubin -o many.out

# nvcc passes it always.
says 0 -- "$CULINK" -arch=sm_90 -nvvmpath=none "$SOURCE"/examples/vector_math/sm_90/{main,filter}.cubin -o linked.cubin
says 0 -- "$CULINK" -arch=sm_90 -nvvmpath=none -r "$SOURCE/examples/vector_math/sm_90/main.cubin" -o linked.cubin
