#!/usr/bin/env bash
# --why-live, --trace-symbol and -kernels-used take names as in the source, with their commas, blanks and
# namespaces or without, mangled names, patterns, and one name of several symbols. A name that nothing has is
# an error that proposes others, and nothing is written; kernels that nothing has are left out with a warning.
. "${BASH_SOURCE%/*}/../common.inc.sh"

assemble b <<'YAML'
arch: sm_90
functions:
- {name: _Z6smoothPKfPfi, kernel: true, code: nop x4, calls: [_ZN4math5scaleEPKfi]}
- {name: _ZN4math5scaleEPKfi, code: nop}
- {name: _Z5scaled, code: nop}
globals:
- {name: _ZN4math5tableE, data: "00000000"}
YAML
link() { "$CULINK" -arch=sm_90 b.cubin -o out.cubin "$@"; }

for name in 'smooth(const float *, float *, int)' 'smooth(float const*,float*,int)' smooth 'smoo*' \
  'smooth(*' _Z6smoothPKfPfi; do
  link "--why-live=$name" > told 2> messages
  expect_contains told "smooth(float const*, float*, int): kept by"
  expect_same messages /dev/null
  says 0 "b.cubin: defines it: smooth(float const*, float*, int)" -- link "-kernels-used=$name" --trace-symbol="$name"
  says 0 smooth -- "$CUBIN" usage out.cubin
done
for name in scale math::scale 'math::scale(const float*, int)' '*::scale*'; do
  says 0 "math::scale(float const*, int): kept by" -- link "--why-live=$name"
  [ "$(grep -c "scale(double)" told)" -le 1 ] || fail "$name"
done
says 0 "math::table: kept because" -- link --why-live='*::tab*'
says 0 "smooth(float const*, float*, int): kept by" "math::table: kept because" -- \
  link --why-live='smooth(const float *, float *, int),table'

rm out.cubin
for option in --why-live --trace-symbol; do
  says 255 "error: $option: no input has a symbol 'smoth'" "hint: similar names: smooth" -- link $option=smoth
done
says 255 "no kernel is called 'smoth'" -- link -kernels-used=smoth -Werror
not test -e out.cubin
says 0 "warning: -kernels-used: no kernel is called 'smoth'" "hint: similar names: smooth" -- link -kernels-used=smoth
# nvlink knows mangled names only, and then removes every kernel.
link --emulate=nvlink-13.0.88 '-kernels-used=smooth(const float *, float *, int)'
"$CUBIN" usage out.cubin > usage
expect_lacks usage smooth
