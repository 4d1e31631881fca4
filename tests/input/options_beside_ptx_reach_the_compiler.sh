#!/usr/bin/env bash
# PTX of a fatbin is compiled with the options that nvcc has recorded beside it. They come before those of
# the link, in whose order nvlink gives them: the last value of an option counts. The compiler is one that
# shows what it is told.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3

cp "$SOURCE/examples/vector_math/sm_90/filter.cubin" .
printf ".version 8.8\n.target sm_80\n.address_size 64\n" > text.ptx
cat > ptxas << 'CODE'
#!/usr/bin/env bash
echo "${@:1:$#-3}" > words
[ ! -e remarks ] || cat remarks
[ ! -e refuse ] || exit 255
cp filter.cubin "${@: -1}"
CODE
chmod +x ptxas

fatbin() { python3 -B "$SOURCE/tests/fatbin.py" code.fatbin "80=text.ptx,$1"; }
link() { "$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" -r code.fatbin -o out.cubin "$@" > log 2>&1; }
expect_words() { # WORDS [OPTION...]: what the compiler is told
  local words=$1
  shift
  link "$@" || fail "$(cat log)"
  [ "$(cat words)" = "$words" ] || fail "ptxas got '$(cat words)' instead of '$words'"
}

fatbin options=
expect_words "-arch sm_90 -m 64 -c"
fatbin "options=--compile-only  -maxrregcount=32 "
expect_words "-arch sm_90 -m 64 --compile-only -maxrregcount=32 -c"
fatbin $'lz4,options=-O1\t-dlcm=cg "-v"'
expect_words '-arch sm_90 -m 64 -O1 -dlcm=cg "-v" -c'
expect_words '-arch sm_90 -m 64 -O1 -dlcm=cg "-v" -c -g -O2 -v -maxrregcount=40 --device-stack-protector=true -split-compile=2' \
  -split-compile=2 -device-stack-protector=true -maxrregcount=40 -Xptxas="-O2 -v" -g
# Options beside machine code have no effect.
python3 -B "$SOURCE/tests/fatbin.py" code.fatbin "90=filter.cubin,options=-O1"
rm words
link || fail "$(cat log)"
[ ! -e words ] || fail "machine code was compiled"

# What is wrong with them is said with the input and the options.
fatbin options=--no-such-option
touch refuse
not link
expect_contains log "code.fatbin" "its fatbin records the options '--no-such-option'"
rm refuse
echo "ptxas warning : incompatible redefinition for option 'opt-level', the last value of this option was used" > remarks
link || fail "$(cat log)"
not link -Werror
expect_contains log "of two values for an option of the compiler the last one would count"
rm remarks
# A fatbin names no file that the compiler would read or write.
for option in --compiler-stats-file=victim "-o victim" -output-file=victim "-optf words"; do
  fatbin "options=--compiler-stats=time $option"
  rm -f words
  not link
  expect_contains log "code.fatbin" "its fatbin records the compiler option '${option%% *}', which names a file"
  [ ! -e words ] || fail "the compiler was started with $(cat words)"
done
# The record lies outside the header of its entry.
printf '\xff' | dd of=code.fatbin bs=1 seek=80 conv=notrunc 2> /dev/null
for emulate in "" --emulate=nvlink-13.0.88; do
  not link $emulate
done
not link
expect_contains log "code.fatbin: fatbin entry at 0x10, options: lie outside the header"
