#!/usr/bin/env bash
# Threads merge chunks of the objects of a large link, and the chunks are joined. Sections that all objects
# have, weak functions, names that several files give to functions of their own, definitions that override
# earlier ones: the bytes are those of one thread.
. "${BASH_SOURCE%/*}/../common.inc.sh"
objects=6
object() { # number, further functions and data
  printf 'arch: sm_90\n'
  printf 'globals: [{name: g%d, data: 0102030405, align: %d}, {name: z%d, size: 12}]\n' \
    "$1" $((1 << ($1 % 5))) "$1"
  printf 'constants: [{name: c%d, data: 0%d00}]\nfunctions:\n' "$1" "$1"
  for ((i = 0; i < 350; ++i)); do
    printf -- '- {name: k%d_%d, kernel: true, code: nop, calls: [f%d], ' "$1" "$i" $((($1 + 1) % objects))
    printf 'relocs: [{at: 0x0, type: ABS32_LO_32, to: g%d}]}\n' "$1"
    printf -- '- {name: h%d_%d, code: nop, bind: weak}\n' $(($1 % 2)) "$i"
  done
  printf -- '- {name: f%d, code: nop x2}\n' "$1"
  printf '%s\n' "$2"
  printf 'undefined: [f%d]\n' $((($1 + 1) % objects))
}
check() { # folder
  for options in "" "-r" "-g" "--emulate=nvlink-13.0.88" "--emulate=nvlink-13.0.88 -r"; do
    # shellcheck disable=SC2086
    "$CULINK" -arch=sm_90 $options --threads=1 "$1"/*.cubin -o out.cubin # notes have its name
    mv out.cubin one.out
    for threads in 2 3 7 16; do
      # shellcheck disable=SC2086
      "$CULINK" -arch=sm_90 $options --threads="$threads" "$1"/*.cubin -o out.cubin
      expect_same one.out out.cubin
    done
  done
}
all() { # folder, number of an object, its further functions
  mkdir "$1"
  for ((o = 0; o < objects; ++o)); do
    object "$o" "$([ "$o" = "$2" ] && echo "$3")" > "$1/$o.yaml"
    "$CUBIN" assemble "$1/$o.yaml" -o "$1/$o.cubin"
  done
}
all plain none ''
check plain
# An earlier object has a weak definition of the function.
all override 4 '- {name: h1_7, code: nop x4}'
check override
