#!/usr/bin/env bash
# Values follow options after '=', as the next word, or after a letter at once; arguments stand anywhere; nothing is abbreviated.
. "${BASH_SOURCE%/*}/../common.inc.sh"
folder=$SOURCE/examples/vector_math/sm_90
linked=$folder/linked.cubin

"$CUBIN" usage --rows=2 --sort=code "$linked" > want
for form in "--rows 2 --sort code" "-n 2 --sort code" "-n2 --sort code" "-n0x2 --json=false --sort code"; do
  # shellcheck disable=SC2086
  "$CUBIN" usage $form "$linked" > got
  expect_same want got
done
"$CUBIN" usage "$linked" --sort code -n 2 -- > got
expect_same want got
says 0 -- "$CUBIN" verify -q "$linked" -- "$linked"
says 0 ": ok" -- "$CUBIN" verify --target=sm_80,sm_90 --target sm_100 "$linked"
cp "$linked" ./--json
says 0 "--json: ok" -- "$CUBIN" verify -- --json
# An option that takes many words leaves those that arguments need.
says 0 ": ok" -- "$CUBIN" check -i "$folder/main.cubin" "$folder/filter.cubin" "$linked"

wrong() { # wrong MESSAGE ARGUMENT...
  local message=$1
  shift
  expect_status 2 "$CUBIN" "$@" 2> err > out
  expect_contains err "cubin: error: $message" "Try 'cubin $1 --help'."
  [ ! -s out ] || fail "prints, too: $(cat out)"
}
wrong "--rows: <n> is missing" usage "$linked" --rows
wrong "Could not convert: --rows = 1k" usage --rows=1k "$linked"
wrong "--rows: At Most 1 required but received 2" usage -n 1 -n 2 "$linked"
wrong "--block-size: Value 0 not in range 1 to 1024" usage --block-size 0 "$linked"
wrong "--dynamic-shared requires --block-size" usage --dynamic-shared 5 "$linked"
wrong "--json excludes --csv" usage --csv --json "$linked"
wrong "--form: elf not in {cubin,ptx,lto}" extract --form elf "$linked"
wrong "--output is required" pack "$linked"
wrong "unknown option '--jso'; did you mean '--json'?" verify --jso "$linked"
wrong "unknown argument" text "$linked" "$linked"
wrong "Could not convert: --json = maybe" verify --json=maybe "$linked"
# Help counts before what is wrong.
says 0 "usage: cubin verify [options] [FILE...]" "--list-rules" -- "$CUBIN" verify --no-such -h
