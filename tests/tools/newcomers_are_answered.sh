#!/usr/bin/env bash
# What newcomers to version 0.1.0 stumbled over, one after the other, and what they are told now. What everybody
# runs into once has a test of its own, classic_traps_are_explained.sh.
. "${BASH_SOURCE%/*}/../common.inc.sh"
objects=$SOURCE/examples/vector_math/sm_90
cp "$objects/main.cubin" "$objects/filter.cubin" .
link() { "$CULINK" -arch=sm_90 main.cubin filter.cubin -o linked.cubin "$@"; }

# Names with commas, patterns, variables; nothing matched.
link --why-live='smooth(const float *, float *, int)' > told
expect_contains told "smooth(float const*, float*, int): kept by"
link --why-live='*_taps' > told
expect_contains told "filter_taps: kept by" ">>> refers to filter_taps of filter.cubin"
expect_status 255 link --why-live=smoth 2> told
expect_contains told "no input has a symbol 'smoth'" "hint: similar names: smooth"

# Outputs that would destroy each other or an input.
for words in "-Map=linked.cubin" "-Map=main.cubin" "--register-link-binaries=main.cubin" "-time main.cubin"; do
  # shellcheck disable=SC2086  # several words
  expect_status 1 link $words 2> told
done
expect_same main.cubin "$objects/main.cubin"
# Several targets.
"$CULINK" -arch=sm_80 "$SOURCE"/examples/vector_math/sm_80/{main,filter}.cubin -o 80.cubin -Map=m.%a
link -Map=m.%a
expect_contains m.sm_80 "Map of a link for sm_80"
expect_contains m.sm_90 "Map of a link for sm_90"

# Wrong words.
expect_status 1 "$CULINK" @nope.rsp 2> told
expect_contains told "option file 'nope.rsp'"
expect_status 1 "$CULINK" --outptu 2> told
expect_contains told "did you mean '--output-file'?"
expect_status 1 "$CULINK" -arch=sm90 2> told
expect_contains told "did you mean 'sm_90'? values: "
"$CULINK" --help > help
expect_contains help "Everyday:"
[ -z "$(awk 'length > 80' help)" ] || fail "--help is wide"

# Options of nvcc make no noise. (classic_traps_are_explained has objects for link-time optimisation.)
link -nvvmpath=/nowhere > told 2>&1
[ ! -s told ] || fail "noise: $(cat told)"
# -dlto: PTX is compiled, machine code is not, and both are told so.
cat > fake_ptxas <<'CODE'
#!/usr/bin/env bash
while [ "$1" != -o ]; do shift; done
cp main.cubin "$2"
CODE
chmod +x fake_ptxas
printf '.version 8.0\n.target sm_90\n.address_size 64\n' > a.ptx
"$CULINK" -dlto -arch=sm_90 a.ptx filter.cubin --ptxas=./fake_ptxas -o linked.cubin > told 2>&1
expect_contains told "a.ptx: has no code for link-time optimisation and is compiled by itself" \
  "filter.cubin: has no code for link-time optimisation and is linked as it is"

# The map: marked numbers and totals.
link --print-map > told
expect_contains told "0x280" "Totals by input" "Totals by kind" "Code of kernels"
expect_lacks told "      at "

# Many -L, many errors, reports apart from messages, --stats.
seq 20000 | sed 's,^,-Lnone/,' > folders
link @folders -lnothing > told 2>&1
expect_contains told "library 'nothing' not found" "nor in 19992 more folders"
functions=$(seq -s, 3000 | sed 's/[0-9]*/f&/g')
echo "{arch: sm_90, functions: [{name: k, kernel: true, code: nop x4, calls: [$functions]}], undefined: [$functions]}" > many.yaml
"$CUBIN" assemble many.yaml -o many.cubin
for limit in 20 5 0; do
  expect_status 255 "$CULINK" -arch=sm_90 many.cubin -o out --error-limit=$limit 2> told
  [ "$(grep -c 'undefined symbol' told)" = "${limit/#0/3000}" ] || fail "--error-limit=$limit: $(tail -3 told)"
done
link --stats > told 2> messages
expect_contains told "peak memory"
[ ! -s messages ] || fail "messages: $(cat messages)"
"$CULINK" -arch=sm_90 a.ptx filter.cubin --ptxas=./fake_ptxas --stats -o linked.cubin > told 2>&1 || true
grep -qE 'of it ptxas +[0-9]' told || fail "no row of ptxas: $(cat told)"

"$CULINK" --version > told
expect_contains told "culink 0." "13.0.88"

# A toolchain folder: paths for any place; nothing is put into folders of others.
mkdir -p cuda/bin
printf '#!/bin/sh\n' > cuda/bin/nvcc
chmod +x cuda/bin/nvcc
"$CULINK" --make-toolchain made --cuda="$WORK/cuda" > told
expect_contains told "$WORK/made/bin/nvcc"
"$CULINK" --make-toolchain made --cuda="$WORK/cuda" > told # again
mkdir other
touch other/file
expect_status 1 "$CULINK" --make-toolchain other --cuda="$WORK/cuda" 2> told
expect_contains told "it is not empty"
[ "$(ls other)" = file ] || fail "filled another's folder"

# What other linkers have.
link --cref -t --print-map --strip-debug --error-limit=3 --icf=safe > told
expect_contains told "Cross references" "filter.cubin"
"$CUBIN" verify linked.cubin
link --repro=link.tar
"$CULINK" --replay link.tar -o again.cubin
expect_same linked.cubin again.cubin
# Without debug information the output is as sound, and smaller.
for option in "" --strip-debug; do
  "$CULINK" -g -arch=sm_90 "$SOURCE"/examples/diagnostics/sm_90-debug/{main,checks}.cubin $option --check -o debug$option.cubin
  "$CUBIN" verify debug$option.cubin
done
[ "$(wc -c < debug--strip-debug.cubin)" -lt "$(wc -c < debug.cubin)" ] || fail "nothing is left out"
