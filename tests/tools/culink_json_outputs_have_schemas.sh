#!/usr/bin/env bash
# Maps and messages of culink in JSON are what their schemas in docs/schemas say.
. "${BASH_SOURCE%/*}/../common.inc.sh"
examples=$SOURCE/examples/vector_math
valid() { python3 -B "$SOURCE/tests/schemas/validate.py" "$SOURCE/docs/schemas/$1" "${@:2}" || fail "not as $1 says"; }

"$CULINK" -arch=sm_90 "$examples"/sm_90/{main,filter}.cubin -o out.cubin -Map=one.json --Map-format=json
"$CULINK" -arch=sm_90 "$examples"/sm_90/{main,filter}.cubin -o out.cubin -kernels-used=smooth --print-map \
  --Map-format=json > two.json
"$CULINK" -arch=sm_90 -o out.cubin -Map=three.json --Map-format=json 2> log
valid culink-map.json one.json two.json three.json
expect_contains two.json '"reason":"unused"' '"demangled":"total(float const*, float*, int)"'

# Messages of all kinds, each a line.
{ "$CULINK" -arch=sm_90 "$examples/sm_90/main.cubin" "$examples/sm_80/main.cubin" -o out.cubin --error-format=json ||
  "$CULINK" -arch=sm_90 "$examples/sm_90/main.cubin" -o out.cubin --error-format=json ||
  "$CULINK" -arch=sm_90 "$examples"/sm_90/{main,main}.cubin -report-arch -o out.cubin --error-format=json ||
  "$CULINK" --outptu --error-format=json ||
  "$CULINK" -arch=sm_90 "$examples"/sm_90/{main,filter}.cubin -lnone -Xnvvm=-x -o out.cubin --error-format=json; } 2> lines
[ "$(grep -c '"severity":"error"' lines)" -ge 5 ] || fail "few errors: $(cat lines)"
expect_contains lines '"severity":"warning"' '"severity":"info"' '"target":"sm_90"' '"hint":"did you mean'
split -l 1 -d --additional-suffix=.json lines message.
valid culink-message.json message.*.json

# What -v and -dump-callgraph print are messages, too: every line is one.
says 0 '"id":"resource-usage","text":"used ' '"role":"kernel","symbol":"' '"id":"call-graph"' ' bytes gmem' -- \
  "$CULINK" -arch=sm_90 "$examples"/sm_90/{main,filter}.cubin -v -dump-callgraph -o out.cubin --error-format=json
split -l 1 -d --additional-suffix=.json told report.
valid culink-message.json report.*.json
