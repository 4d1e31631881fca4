#!/usr/bin/env bash
# Two outputs that are one file, or an output that is a file which is read, are refused before anything is
# written, by whatever names they are called; the message names both.
. "${BASH_SOURCE%/*}/../common.inc.sh"
mkdir in
cd in

assemble k <<< '{arch: sm_90, functions: [{name: k, kernel: true, code: nop}]}'
cp k.cubin before.cubin
mkdir folder
ln -s ../k.cubin folder/symbolic
ln k.cubin folder/hard
ln -s folder here
ln -s nowhere dangling

link() {
  # shellcheck disable=SC2086  # perhaps no word
  "$CULINK" -arch=sm_90 $mode "$@"
}
# refused TEXT... -- link WORD...: with these words of the message.
refused() {
  for mode in "" --emulate=nvlink-13.0.88; do says 1 "$@"; done
  expect_same k.cubin before.cubin
}
state() {
  find . -name told -o -type f -printf '%p %s %i\n' -o -printf '%p\n' | sort
}
unchanged() {
  state > ../after
  diff ../start ../after >&2 || fail "files were changed"
}
state > ../start

# Two outputs, of which neither is there yet.
refused "'-o x' and '-Map x'" -- link k.cubin -o x -Map=x
refused "'-o folder/x' and '-Map ./here/../folder/x'" -- link k.cubin -o folder/x -Map=./here/../folder/x
refused "'--register-link-binaries here/x'" "'-o folder/x'" -- link k.cubin -o folder/x --register-link-binaries=here/x
refused "'-o x'" "'-time ./x'" -- link k.cubin -o x -time ./x
refused "'-o nowhere' and '-Map dangling'" -- link k.cubin -o nowhere -Map=dangling
unchanged

# An output and an input.
refused "'-o k.cubin' would overwrite the input 'k.cubin'" -- link k.cubin -o k.cubin
refused "'-Map k.cubin' would overwrite the input 'k.cubin'" -- link k.cubin -o x -Map=k.cubin
refused "'-o folder/symbolic'" "'k.cubin'" -- link k.cubin -o folder/symbolic
refused "'-o folder/hard'" "'k.cubin'" -- link k.cubin -o folder/hard
refused "'-time k.cubin'" "'folder/hard'" -- link folder/hard -o x -time k.cubin
refused "'--register-link-binaries k.cubin'" -- link k.cubin -o x --register-link-binaries=k.cubin
unchanged

# A library that was searched for, a member of a thin archive, an option file, a response file.
ar rc folder/libk.a k.cubin
ar rcT thin.a k.cubin
echo "-v" > options
state > ../start
refused "'-Map folder/libk.a' would overwrite the input" -- link -Lhere -lk -o x -Map=folder/libk.a
refused "'-o k.cubin' would overwrite the input 'k.cubin'" -- link thin.a -o k.cubin
refused "'-Map options' would overwrite 'the option file ./options'" -- link k.cubin -o x -optf ./options -Map=options
refused "'-o options'" "the option file options" -- link k.cubin @options -o options
says 1 "'-o options'" -- "$CULINK" --gen-host-linker-script=lcs-abs -o options @options
cp "$CULINK" ptxas # stands for any program
refused "'-Map ./ptxas' would overwrite '--ptxas ptxas'" -- link k.cubin -o x --ptxas=ptxas -Map=./ptxas
rm ptxas
unchanged

# A stored link is an output, too, and is not even stored then.
refused "'-o x' and '--repro x'" -- link k.cubin -o x --repro=x
refused "'--repro k.cubin' would overwrite" -- link k.cubin -o x --repro=k.cubin
refused "'--repro folder/libk.a' would overwrite" -- link -Lhere -lk -o x --repro=folder/libk.a
says 1 "'--repro k.cubin' would overwrite 'the input k.cubin'" -- "$CULINK" --repro=k.cubin k.cubin # without a target
unchanged
"$CULINK" -arch=sm_90 k.cubin -o x --repro=../stored.tar && rm x
says 1 "'-o ../stored.tar' would overwrite '--replay ../stored.tar'" -- \
  "$CULINK" --replay ../stored.tar -o ../stored.tar

# What several outputs may share.
"$CULINK" -arch=sm_90 k.cubin -o /dev/null -Map=/dev/null -time /dev/null --register-link-binaries=/dev/null
"$CULINK" -arch=sm_90 k.cubin -o - -Map=- | cat > both
expect_contains both ELF k
"$CULINK" -arch=sm_90 k.cubin -o x -Map=x.map && rm x x.map both

# cubin, too.
for words in "text k.cubin -o" "text --exact folder/hard -o" "extract k.cubin -o" "assemble k.cubin -o" "report k.cubin -o" "pack k.cubin -o"; do
  for output in k.cubin folder/hard folder/symbolic ./folder/../k.cubin; do
    # shellcheck disable=SC2086
    says 1 "$output: this output is the file that is read" -- "$CUBIN" $words $output
  done
done
unchanged
expect_same k.cubin before.cubin
