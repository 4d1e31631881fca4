#!/usr/bin/env bash
# --memory-limit: what needs more is refused, with the file that is to blame, and never by a crash; what needs
# less is linked as without it.
. "${BASH_SOURCE%/*}/../common.inc.sh"

{
  printf 'arch: sm_90\nfunctions:\n'
  for ((i = 0; i < 3000; ++i)); do printf -- '- {name: k%d, kernel: true, code: nop x8}\n' "$i"; done
} | assemble all
"$CULINK" -arch=sm_90 all.cubin -o free.cubin

refused=0 linked=0
for limit in 1 100k 1M 2M 3M 4M 5M 6M 8M 10M 12M 14M 16M 20M 24M 1G; do
  for threads in 1 4; do
    rm -f out.cubin
    status=0
    "$CULINK" -arch=sm_90 all.cubin -o out.cubin --threads=$threads --memory-limit=$limit 2> log || status=$?
    case $status in
      0)
        linked=$((linked + 1))
        expect_same out.cubin free.cubin
        ;;
      1)
        refused=$((refused + 1))
        expect_contains log "error: "
        grep -q "out of memory\|memory-limit" log || fail "$limit: $(cat log)"
        [ ! -e out.cubin ] || fail "$limit: refused, and there is an output"
        ;;
      *) fail "$limit: status $status: $(cat log)" ;;
    esac
  done
done
[ "$refused" -ge 8 ] || fail "only $refused limits were too small"
[ "$linked" -ge 2 ] || fail "no limit was enough"
says 1 "the largest input is all.cubin" -- "$CULINK" -arch=sm_90 all.cubin -o out.cubin --memory-limit=1M

# A large link with several threads keeps to a limit, too.
for ((i = 0; i < 4; ++i)); do
  assemble "large$i" <<< "{arch: sm_90, functions: [{name: large$i, kernel: true, code: nop x200000}]}"
done
"$CULINK" -arch=sm_90 --threads=4 --memory-limit=28M large?.cubin -o limited.cubin
"$CULINK" -arch=sm_90 --threads=4 large?.cubin -o free.cubin
expect_same limited.cubin free.cubin

says 1 "memory-limit" -- "$CULINK" -arch=sm_90 all.cubin -o out.cubin --memory-limit=much
