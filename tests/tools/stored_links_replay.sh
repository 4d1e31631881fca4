#!/usr/bin/env bash
# culink --repro stores a link, --replay repeats it in another folder while the inputs are out of
# reach: the same bytes, messages and exit status for every kind of input, and for links that fail.
. "${BASH_SOURCE%/*}/../common.inc.sh"

mkdir -p here/lib here/objects here/out there/deep
cp "$SOURCE"/examples/vector_math/sm_90/{main,filter}.cubin "$SOURCE"/examples/vector_math/fat/* here
cp here/filter.o here/objects
(cd here/lib && ar rc libfilter.a ../filter.o && ar rcT libthin.a ../objects/filter.o)
printf 'main.cubin "filter.cubin" -o\nout/options.cubin' > here/words.txt
printf -- '-arch=sm_90 -optf=words.txt\n' > here/response
printf '.version 9.0\n.target sm_90\n// text\n' > here/text.ptx
printf '\xed\x43\x4e\x7fcode' > here/optimised.ltoir
cat > compiler <<EOF
#!/bin/sh
[ "\$1" != --version ] || { echo 'Cuda compilation tools, release 7.7, V7.7.7'; exit; }
eval "shift \$((\$# - 1))"
cat "$PWD/kept/main.cubin" > "\$1"
EOF
chmod +x compiler
cp -r here kept

with=() # further words of the replay
# replays NAME OUTPUT WORD...: the link stored in `here` is the same when it is replayed in `there`.
replays() {
  local name=$1 output=$2 status=0 again=0
  shift 2
  (cd here && "$CULINK" --repro="../$name.tar" "$@" 2> "../$name.log") || status=$?
  [ -z "$output" ] || [ -s "here/out/$output" ] || fail "$name: no output: $(cat "$name.log")"
  mv here gone
  (cd there/deep && "$CULINK" --replay "../../$name.tar" "${with[@]}" -o image \
    --register-link-binaries=registered 2> "../../$name.again") || again=$?
  mv gone here
  [ "$status" = "$again" ] || fail "$name: status $again instead of $status: $(cat "$name.again")"
  expect_same "$name.log" "$name.again"
  [ -z "$output" ] || expect_same "here/out/$output" there/deep/image
  rm -f there/deep/image
}

replays cubins a.cubin -arch=sm_90 main.cubin filter.cubin -o out/a.cubin -v
replays absolute a.cubin -arch=sm_90 "$PWD/here/main.cubin" filter.cubin -o "$PWD/here/out/a.cubin"
replays fatbins a.cubin -arch=sm_90 main.fatbin ../here/filter.fatbin -o out/a.cubin
replays objects a.cubin -arch=sm_90 main.o filter.o -o out/a.cubin
replays emulated a.cubin -arch=sm_90 --emulate=nvlink-13.0.88 main.o filter.o -g -o out/a.cubin
replays archive a.cubin -arch=sm_90 main.o lib/libfilter.a lib/../lib/libfilter.a -o out/a.cubin
replays thin a.cubin -arch=sm_90 main.o lib/libthin.a -o out/a.cubin
# The folders of -L are part of nvlink's output.
replays library a.cubin -arch=sm_90 --emulate=nvlink-13.0.88 main.o -L"$PWD/here/lib" -L lib -lfilter -lnone -o out/a.cubin
replays options options.cubin @response
replays response a.cubin -arch=sm_90 @response -o out/a.cubin
with=(--ptxas="$PWD/compiler")
replays text a.cubin -arch=sm_90 text.ptx filter.cubin --ptxas="$PWD/compiler" -o out/a.cubin
with=()
replays pipe a.cubin -arch=sm_90 main.cubin /dev/stdin -o out/a.cubin < here/filter.cubin
replays registered a.cubin -arch=sm_90 main.cubin filter.o --register-link-binaries=out/list \
  -Map=out/map -o out/a.cubin
expect_same here/out/list there/deep/registered # which has a name made of the folder

# Links that fail: a file is missing, the program is not complete, the options are wrong.
replays missing "" -arch=sm_90 none.cubin lib main.cubin -o out/b.cubin
expect_contains missing.again "none.cubin" "No such file"
replays undefined "" -arch=sm_90 main.cubin -o out/b.cubin
expect_contains undefined.again "undefined symbol"
replays wrong "" -arch=sm_90 --nonsense -optf=absent main.cubin -o out/b.cubin
expect_contains wrong.again "nonsense" "absent"
replays optimised "" -arch=sm_90 optimised.ltoir -o out/b.cubin
expect_contains optimised.again "optimised.ltoir"

# With a toolkit, a link that optimises.
if command -v nvcc > /dev/null && printf '__global__ void k(int *p) { *p = 1; }\n' > lto.cu &&
  nvcc -arch=sm_90 -dc -dlto lto.cu -o here/lto.o 2> log &&
  (cd here && "$CULINK" -arch=sm_90 -dlto lto.o -o ../trial.cubin 2> ../log); then
  replays lto a.cubin -arch=sm_90 -dlto lto.o -o out/a.cubin
else
  echo "not shown: a link with -dlto, there is no toolkit for it"
fi

# Another machine, as far as one machine can be another: no environment, a file system that can only be read
# and in which neither the inputs nor the folder of the link are.
if unshare -rm true 2> /dev/null; then
  mkdir machine
  cp cubins.tar archive.tar machine
  # shellcheck disable=SC2016  # they are for the inner shell
  unshare -rm bash -c '
    set -e
    mount -t tmpfs none there/deep
    cp machine/*.tar there/deep
    mount -t tmpfs none here
    mount -t tmpfs none kept
    mount -o remount,bind,ro /
    cd there/deep
    for name in cubins archive; do
      env -i "$CULINK" --replay $name.tar -o $name.image > /dev/null 2>&1
      cat $name.image >&3
    done' 3> elsewhere || fail "the replay needs something of this machine"
  for name in cubins archive; do
    (cd there/deep && "$CULINK" --replay "../../$name.tar" -o "$name.image" 2> /dev/null)
    cat "there/deep/$name.image"
    rm "there/deep/$name.image"
  done > expected
  [ -s expected ] || fail "nothing was replayed"
  expect_same elsewhere expected
else
  echo "not shown: a replay on another machine, there are no namespaces"
fi

# Nothing of the link's machine but the names is in the archive, and it can be linked by hand too.
(cd kept && "$CULINK" --repro=../other.tar -arch=sm_90 main.cubin filter.cubin -o out/a.cubin -v) 2> /dev/null
cmp -s <(tar xOf cubins.tar culink-repro/files.txt) <(tar xOf other.tar culink-repro/files.txt) ||
  fail "two folders give two lists"
says 0 "0/0" "1970-01-01" "culink-repro/inputs/" -- tar tvf thin.tar
tar xf library.tar
(cd culink-repro && "$CULINK" @response.txt 2> ../log) || fail "by hand: $(cat log)"
[ -s culink-repro/a.cubin ] || fail "by hand: no output"

# A link with other compilers says so; what the archive names is neither written nor started.
printf '#!/bin/sh\ntouch %s/started\n' "$WORK" > evil
chmod +x evil
(cd here && "$CULINK" --repro=../evil.tar -arch=sm_90 main.cubin filter.cubin --ptxas="$WORK/evil" \
  -o "$WORK/victim" -Map="$WORK/victim.map")
rm -f started victim victim.map
says 0 "was stored with evil: unknown version" -- "$CULINK" --replay evil.tar --ptxas="$WORK/compiler"
for file in started victim victim.map; do not test -e $file; done

# Words for compilers are those that concern the code: ptxas would write the file that this one names.
# What the replay gives itself is its own affair.
hostile() {
  (cd here && "$CULINK" --repro=../hostile.tar -arch=sm_90 text.ptx filter.cubin --ptxas="$WORK/compiler" "$@" -o out/a.cubin)
}
cat > compiler <<EOF
#!/bin/sh
echo "\$*" >> "$WORK/words"
eval "shift \$((\$# - 1))"
cat "$PWD/kept/main.cubin" > "\$1"
EOF
for word in --compiler-stats=time,--compiler-stats-file=victim -O3,--compiler-stats-file,victim -o,./victim \
  -optf,words.txt --unknown=1; do
  hostile -Xptxas=$word 2> log || true
  rm -f words
  says 1 "hostile.tar: command.txt: '-Xptxas=-" "' may write files" -- \
    "$CULINK" --replay hostile.tar --ptxas="$WORK/compiler" -o a.cubin
  [ ! -e words ] || [ "$(grep -vc -- --version words)" -eq 0 ] || fail "the compiler was started: $(cat words)"
done
"$CULINK" --replay hostile.tar --ptxas="$WORK/compiler" -Xptxas=--unknown=1 -o a.cubin 2> log ||
  fail "an option of the replay: $(cat log)"
hostile -Xptxas=-O2,--register-usage-level=3,-maxrregcount,40,--fmad=false
"$CULINK" --replay hostile.tar --ptxas="$WORK/compiler" -o a.cubin 2> log || fail "harmless: $(cat log)"

# What is no stored link.
echo "no archive" > listing
says 1 "listing: tar header at 0x0" -- "$CULINK" --replay listing
head -c 3000 cubins.tar > cut.tar
says 1 "cut.tar: tar header at" -- "$CULINK" --replay cut.tar
ln -s /etc/passwd there/link
tar cf linked.tar -C there link
says 1 "'link' is neither a file nor a folder" -- "$CULINK" --replay linked.tar
tar cPf outside.tar --transform 's,^,../,' listing
says 1 "'../listing' leads out of the archive" -- "$CULINK" --replay outside.tar
tar cf empty.tar listing
says 1 "no culink-repro/command.txt" -- "$CULINK" --replay empty.tar
says 1 "more.cubin: the inputs of a replay are those that were stored" -- "$CULINK" --replay cubins.tar more.cubin
says 1 "none/x.tar: cannot create" -- "$CULINK" --repro=none/x.tar -arch=sm_90 here/main.cubin here/filter.cubin -o y
[ ! -e y ] || fail "linked without the archive that was asked for"

# A password is no part of an archive.
for way in --cache-remote= "--cache-remote "; do
  # shellcheck disable=SC2086  # one word or two
  "$CULINK" --repro=store.tar ${way}http://me:secret@127.0.0.1:9/ -arch=sm_90 here/main.cubin here/filter.cubin -o z 2> log
  expect_lacks store.tar secret
  expect_contains store.tar http://127.0.0.1:9/
done
