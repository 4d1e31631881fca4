#!/usr/bin/env bash
# -dump-callgraph and -v print what nvlink prints, but for the style of C++ names, which is nvlink's
# only where nvlink's text is asked for. nvlink demangles names even if it is asked not to (Q091).
. "${BASH_SOURCE%/*}/../common.inc.sh"
objects=$SOURCE/examples/function_pointers/sm_90

link() {
  "$CULINK" -arch=sm_90 "$@" "$objects/main.cubin" "$objects/shapes.cubin" -o out.cubin
}

link -v -dump-callgraph 2> report
expect_contains report "callgraph for sm_90:" \
  "1: apply(float (*)(float), float, int) [28] -> 11 10 4" \
  "2: ^measure(float*, int) [24] -> 8 7 6 5 8 7 6 5 1 3" \
  "6: &(anonymous namespace)::Square::corners() const [24] ->" \
  "propagated to entry measure(float*, int)" \
  "culink: info: Function properties for 'measure(float*, int)':"
expect_lacks report "nvlink info"
link -v --no-demangle -report-arch 2> report
expect_contains report "culink: info: Function properties for '_Z7measurePfi': (target: sm_90)"
link -v --error-format=nvlink 2> report
expect_contains report "nvlink info    : Function properties for '_Z7measurePfi':"
expect_lacks report "culink"

for option in --emulate=nvlink-13.0.88 --error-format=nvlink; do
  link "$option" -dump-callgraph 2> report
  expect_contains report "2: ^measure(float *, int) [24] -> 8 7 6 5 8 7 6 5 1 3" \
    "6: &<unnamed>::Square::corners() const [24] ->"
done

link -dump-callgraph-no-demangle 2> report
expect_contains report "11: &_Z7doubledf [24] ->"
link -dump-callgraph --no-demangle 2> report
expect_contains report "11: &_Z7doubledf [24] ->"
link --emulate=nvlink-13.0.88 -v -dump-callgraph-no-demangle 2> report
expect_contains report "4: &unchanged(float) [24] ->" "nvlink info    : 88 bytes gmem"

# An object has no call graph of its own.
link -r -v -dump-callgraph 2> report
expect_lacks report "callgraph"
expect_contains report "88 bytes gmem"
