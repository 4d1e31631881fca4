#!/usr/bin/env bash
# PTX inputs are compiled by as many processes as there are threads; what the compiler says comes in
# the order of the inputs, whoever is first. A program stands for ptxas, so that no CUDA is needed.
. "${BASH_SOURCE%/*}/../common.inc.sh"

for name in one two three; do
  printf '.version 9.0\n.target sm_90\n.address_size 64\n// %s\n' $name > $name.ptx
  assemble $name <<< "{arch: sm_90, functions: [{name: $name, kernel: true, code: nop x4}]}"
done

# The words are: -arch sm_90 -m 64 -c SOURCE -o OBJECT.
cat > waits <<'EOT'
#!/bin/sh
# Says who it is, waits until three are there, then gives back a cubin; the first input the last.
name=$(sed -n 's,^// ,,p' "$6")
: > "here.$name"
for turn in $(seq 100); do
  [ "$(ls here.* | wc -l)" = 3 ] && { [ $name != one ] || [ -e done.two ]; } && break
  sleep 0.02
done
[ "$(ls here.* | wc -l)" = 3 ] || { echo "alone: $name"; exit 3; }
echo "ptxas info    : compiled $name"
cat "$name.cubin" > "$8"
: > "done.$name"
EOT
cat > fails <<'EOT'
#!/bin/sh
name=$(sed -n 's,^// ,,p' "$6")
[ $name != one ] || sleep 0.1
echo "ptxas $6, line 4; error   : no $name"
exit 255
EOT
chmod +x waits fails

"$CULINK" -arch=sm_90 --ptxas="$PWD/waits" --threads=3 one.ptx two.ptx three.ptx -o out.cubin 2> log
expect_same <(grep -o 'compiled .*' log) <(printf 'compiled %s\n' one two three)
"$CULINK" -arch=sm_90 one.cubin two.cubin three.cubin -o plain.cubin
expect_same plain.cubin out.cubin

for threads in 1 3; do
  not "$CULINK" -arch=sm_90 --ptxas="$PWD/fails" --threads=$threads one.ptx two.ptx three.ptx \
    -o none.cubin 2> log
  expect_same <(grep -o '>>> ptxas .*' log) \
    <(printf '>>> ptxas %s.ptx, line 4; error   : no %s\n' one one two two three three)
done

# What was compiled is named: by --trace beside the other inputs, and by -v.
# shellcheck disable=SC2016  # for the program
printf '#!/bin/sh\nname=$(sed -n "s,^// ,,p" "$6")\ncat "$name.cubin" > "$8"\n' > gives
chmod +x gives
rm -f lib.a
ar rc lib.a two.ptx three.cubin
"$CULINK" -arch=sm_90 --ptxas="$PWD/gives" one.ptx lib.a -o out.cubin --trace -v > trace 2> log
expect_same trace <(printf '%s\n' "one.ptx (compiled from PTX)" "lib.a:two.ptx (compiled from PTX)" lib.a:three.cubin)
expect_contains log "culink: info: one.ptx: compiled from PTX" "culink: info: lib.a:two.ptx: compiled from PTX"
expect_lacks log "three.cubin: compiled"
"$CULINK" -arch=sm_90 --ptxas="$PWD/gives" one.ptx -o out.cubin -v --error-format=nvlink 2> log
expect_lacks log "compiled"
says 0 "one.ptx: has no code for link-time optimisation and is compiled by itself" \
  "three.cubin: has no code for link-time optimisation and is linked as it is" -- \
  "$CULINK" -dlto -arch=sm_90 --ptxas="$PWD/gives" one.ptx three.cubin -o out.cubin
