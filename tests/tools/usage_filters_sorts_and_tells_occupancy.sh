#!/usr/bin/env bash
# cubin usage chooses rows by conditions, sorts them in one table, and tells limits and occupancy.
. "${BASH_SOURCE%/*}/../common.inc.sh"
linked=$SOURCE/examples/vector_math/sm_90/linked.cubin

# names ARGUMENT...: the last column of the table.
names() { "$CUBIN" usage "$@" | sed '1,/^  kind /d' | awk '{print $NF}' | paste -sd' '; }
expect() { [ "$2" = "$3" ] || fail "$1: '$2' instead of '$3'"; }

expect where "$(names --where 'registers>24' "$linked")" "_Z6smoothPKfPfi _Z8filteredPKf"
expect and "$(names --where 'registers>=36' --where kind=kernel "$linked")" _Z6smoothPKfPfi
expect units "$(names --where 'shared>=2k' "$linked")" _Z5totalPKfPfi
expect unequal "$(names --where 'code != 640' --where 'kind!=function' "$linked")" _Z6smoothPKfPfi
expect pattern "$(names --where 'name=block_*' "$linked")" _Z9block_sumf
expect unsaid "$(names --where 'stack<=0' --where 'barriers=1' "$linked")" "_Z5totalPKfPfi _Z6smoothPKfPfi"
says 0 -- "$CUBIN" usage --where 'registers>200' "$linked"

expect sort "$(names --sort=code "$linked")" "_Z6smoothPKfPfi _Z9block_sumf _Z5totalPKfPfi _Z8filteredPKf"
expect name "$(names --sort=name -n 2 "$linked" | head -1)" "_Z5totalPKfPfi _Z6smoothPKfPfi more"
expect constant "$(names --sort=constant0 "$linked" | cut -d' ' -f1,2)" "_Z5totalPKfPfi _Z6smoothPKfPfi"
# All images of a file are in one table then, and it says which.
"$CUBIN" pack "$SOURCE"/examples/vector_math/sm_{80,90}/linked.cubin -o both.fatbin
"$CUBIN" usage --sort=registers --rows=3 --where=kind=kernel both.fatbin > table
[ "$(grep -c '^  kind ' table)" = 1 ] || fail "several tables: $(cat table)"
expect_contains table "1.sm_80.cubin" "2.sm_90.cubin" "  ... 1 more"
# CSV is one table for all files, with a line for its columns.
"$CUBIN" usage --csv both.fatbin "$linked" > table.csv
python3 - <<'EOT'
import csv
rows = list(csv.DictReader(open("table.csv")))
assert len(rows) == 12, len(rows)
assert {row["target"] for row in rows} == {"sm_80", "sm_90"}
smooth = [row for row in rows if row["name"] == "_Z6smoothPKfPfi"]
assert [row["shared"] for row in smooth] == ["544", "1568", "1568"], smooth
assert smooth[0]["image"] == "both.fatbin:1.sm_80.cubin" and smooth[0]["stack"] == "0", smooth
assert [row["stack"] for row in rows if row["kind"] == "function"] == [""] * 6
EOT

# Text and JSON have one name for everything.
"$CUBIN" usage --json --block-size=256 "$linked" > usage.json
"$CUBIN" usage --block-size=256 "$linked" > usage.txt
python3 - <<'EOT'
import json
image, = json.load(open("usage.json"))
titles = next(line for line in open("usage.txt") if line.startswith("  kind ")).split()
kernel = next(row for row in image["functions"] if row["name"] == "_Z6smoothPKfPfi")
assert list(kernel) == titles, (list(kernel), titles)
# What NVIDIA's occupancy calculator says of 36 registers and 544 bytes of shared memory on sm_90.
assert (kernel["blocks"], kernel["warps"], kernel["occupancy"], kernel["limited_by"]) == (6, 48, 75, "registers"), kernel
EOT
"$CUBIN" usage --block-size=256 --dynamic-shared=100000 --where=kind=kernel "$linked" > dynamic
[ "$(grep -cE ' 2 +16 +25  shared ' dynamic)" = 2 ] || fail "dynamic shared memory counts: $(cat dynamic)"
"$CUBIN" usage --block-size=128 "$SOURCE/examples/diagnostics/sm_90/main.cubin" > bounds
grep -Eq ' 64 1 1 +0 +0 +0  launch_bounds ' bounds || fail "the kernel is for 64 threads: $(cat bounds)"
says 0 "registers         255" "static shared     49152" "SM registers      65536" -- \
  "$CUBIN" usage --limits "$linked"

for wrong in --where=registers '--where=colour>1' '--where=registers>many' '--where=name>x' --sort=colour \
  --block-size=2000 --dynamic-shared=5; do
  says 2 'cubin: error: ' -- "$CUBIN" usage "$wrong" "$linked"
done
says 2 "no column 'colour'; there are kind, registers, stack, frame" -- "$CUBIN" usage --sort=colour "$linked"
