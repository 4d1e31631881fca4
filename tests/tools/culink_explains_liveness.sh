#!/usr/bin/env bash
# --why-live shows the shortest chain of reasons that the linker recorded: from a kernel, or from what
# takes the address of a function. Of symbols that are not live it says who refers to them.
. "${BASH_SOURCE%/*}/../common.inc.sh"

cat > a.yaml <<'YAML'
arch: sm_90
functions:
- {name: first, kernel: true, code: nop x4, calls: [used], indirect_calls: ["#v"]}
- {name: second, kernel: true, code: nop x4, calls: [detour, of_second]}
- {name: detour, code: nop, calls: [used]}
- {name: of_second, code: nop}
- {name: used, code: nop x2, relocs: [{at: 0x10, type: ABS32_LO_32, to: table}]}
- {name: printer, address_taken: "#i", code: nop, calls: [vprintf, lost]}
- {name: lost, code: nop}
- {name: setter, code: nop, relocs: [{at: 0, type: ABS32_LO_32, to: printer}]}
- {name: target, address_taken: "#v", code: nop, calls: [behind]}
- {name: behind, code: nop}
- {name: unknown_taker, address_taken: "#i", code: nop}
- {name: unused, code: nop, calls: [deeper]}
- {name: deeper, code: nop}
undefined: [vprintf]
globals:
- {name: table, data: "0000000000000000", relocs: [{at: 0, type: "64", to: pointee}]}
- {name: pointee, data: 01000000}
- {name: idle, data: 01000000}
YAML
"$CUBIN" assemble a.yaml -o a.cubin

# asks [OPTION]... NAME: compares what is told about a symbol with standard input
asks() {
  "$CULINK" -arch=sm_90 a.cubin -o out.cubin "${@:1:$#-1}" "--why-live=${*: -1}" > told 2>&1
  diff -u - told || fail "$*: told otherwise"
}

asks second <<'END'
second: kept by
>>> kernel second of a.cubin
END
asks used <<'END'
used: kept by
>>> kernel first of a.cubin
>>> calls used of a.cubin
END
asks behind <<'END'
behind: kept by
>>> kernel first of a.cubin
>>> may call through a pointer target of a.cubin
>>> calls behind of a.cubin
END

# A system call of a function that is live only because its address is taken.
asks vprintf <<'END'
vprintf: kept by
>>> setter of a.cubin
>>> takes the address of printer of a.cubin
>>> calls vprintf
END
asks unknown_taker <<'END'
unknown_taker: kept by
>>> code or data of a.cubin
>>> takes the address of unknown_taker of a.cubin
END

# Variables are kept by code, by other variables, or because all of them are.
asks pointee <<'END'
pointee: kept by
>>> kernel first of a.cubin
>>> calls used of a.cubin
>>> refers to table of a.cubin
>>> refers to pointee of a.cubin
END
asks idle <<'END'
idle: kept because variables are never discarded; no live code refers to it
END

# Not live: nobody refers to it, or nobody who is reached from a kernel.
asks unused <<'END'
unused: not live: nothing refers to it
END
asks deeper <<'END'
deeper: not live: no live kernel reaches what refers to it
>>> called by unused of a.cubin
END
asks lost <<'END'
lost: not live: no live kernel reaches what refers to it
>>> called by printer of a.cubin
END

# Selected kernels.
asks -kernels-used=first first <<'END'
first: kept by
>>> selected kernel first of a.cubin
END
asks -kernels-used=first second <<'END'
second: not live: a kernel that --kernels-used does not name
END
asks -kernels-used=first of_second <<'END'
of_second: not live: no live kernel reaches what refers to it
>>> called by second of a.cubin
END

# All code is kept, but a chain says more where there is one.
for option in -g -r --preserve-relocs; do
  "$CULINK" -arch=sm_90 a.cubin -o out.cubin "$option" --why-live=used,lost,vprintf > told 2>&1
  grep -v '^culink: warning' told > lines || true
  diff -u - lines <<'END' || fail "$option: told otherwise"
used: kept by
>>> kernel first of a.cubin
>>> calls used of a.cubin
lost: kept because all code is (-g, -r, --preserve-relocs); no kernel reaches it
vprintf: kept by
>>> setter of a.cubin
>>> takes the address of printer of a.cubin
>>> calls vprintf
END
done

# Names as in the source, with their commas, blanks and namespaces or without; patterns; several
# symbols of one name.
cat > b.yaml <<'YAML'
arch: sm_90
functions:
- {name: _Z6smoothPKfPfi, kernel: true, code: nop x4, calls: [_ZN4math5scaleEPKfi]}
- {name: _ZN4math5scaleEPKfi, code: nop}
- {name: _Z5scaled, code: nop}
globals:
- {name: _ZN4math5tableE, data: "00000000"}
YAML
"$CUBIN" assemble b.yaml -o b.cubin
for name in 'smooth(const float *, float *, int)' 'smooth(float const*,float*,int)' smooth 'smoo*' \
  'smooth(*' _Z6smoothPKfPfi; do
  "$CULINK" -arch=sm_90 b.cubin -o out.cubin "--why-live=$name" > told 2> messages
  expect_contains told "smooth(float const*, float*, int): kept by"
  [ ! -s messages ] || fail "$name: $(cat messages)"
  "$CULINK" -arch=sm_90 b.cubin -o out.cubin "-kernels-used=$name" --trace-symbol="$name" > told
  expect_contains told "b.cubin: defines it: smooth(float const*, float*, int)"
  "$CUBIN" usage out.cubin > usage
  expect_contains usage smooth
done
for name in scale math::scale 'math::scale(const float*, int)' '*::scale*'; do
  "$CULINK" -arch=sm_90 b.cubin -o out.cubin "--why-live=$name" > told
  expect_contains told "math::scale(float const*, int): kept by"
  [ "$(grep -c "scale(double)" told)" -le 1 ] || fail "$name"
done
"$CULINK" -arch=sm_90 b.cubin -o out.cubin --why-live='smooth(const float *, float *, int),table' > told
expect_contains told "smooth(float const*, float*, int): kept by" "math::table: kept because"

# A name that nothing has is an error, with those that may have been meant. Nothing is written.
rm out.cubin
for option in --why-live --trace-symbol; do
  expect_status 255 "$CULINK" -arch=sm_90 b.cubin -o out.cubin $option=smoth 2> told
  expect_contains told "error: $option: no input has a symbol 'smoth'" "hint: similar names: smooth"
done
not "$CULINK" -arch=sm_90 b.cubin -o out.cubin -kernels-used=smoth -Werror 2> told
[ ! -e out.cubin ] || fail "wrote an output"
# Kernels that nothing has are left out, as by nvlink.
"$CULINK" -arch=sm_90 b.cubin -o out.cubin -kernels-used=smoth 2> told
expect_contains told "warning: -kernels-used: no kernel is called 'smoth'" "hint: similar names: smooth"
# nvlink then removes every kernel.
"$CULINK" --emulate=nvlink-13.0.88 -arch=sm_90 b.cubin -o out.cubin '-kernels-used=smooth(const float *, float *, int)'
"$CUBIN" usage out.cubin > usage
expect_lacks usage smooth
