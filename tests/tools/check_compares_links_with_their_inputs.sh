#!/usr/bin/env bash
# cubin check accepts links of culink and nvlink, finds a changed byte wherever it lies, and finds what
# nvlink -r loses; culink --check writes no file that has findings.
. "${BASH_SOURCE%/*}/../common.inc.sh"

example=$SOURCE/examples/vector_math/sm_90
cp "$example"/*.cubin .
"$CULINK" -arch=sm_90 main.cubin filter.cubin -o own.cubin
for file in linked.cubin own.cubin; do
  says 0 "$file: ok" -- "$CUBIN" check "$file" --inputs main.cubin filter.cubin
done
says 0 -- "$CUBIN" check -q own.cubin --inputs main.cubin filter.cubin

# An input too few, and one too many.
says 1 'unexplained: _Z9block_sumf in .text._Z9block_sumf' -- "$CUBIN" check own.cubin --inputs main.cubin
"$CULINK" -arch=sm_90 --emulate=nvlink-13.0.88 -r main.cubin -o one.cubin
says 1 'missing-definition: _Z9block_sumf' -- "$CUBIN" check one.cubin --inputs main.cubin filter.cubin

# Each kind of damage has its finding. Lines: section, entry offset in it, xor, finding.
damage() { edit_elf own.cubin damaged.cubin "file.data[sections['$1'].offset + $2] ^= $3"; }
count=0
while read -r section offset flip finding; do
  damage "$section" "$offset" "$flip"
  says 1 "$finding" -- "$CUBIN" check damaged.cubin --inputs main.cubin filter.cubin
  count=$((count + 1))
done << 'DAMAGE'
.text._Z9block_sumf 0x08 0x01 wrong-bytes: _Z9block_sumf
.text._Z9block_sumf 0x24 0x08 wrong-field: _Z9block_sumf
.rela.text._Z5totalPKfPfi 0x00 0x10 wrong-relocation: _Z5totalPKfPfi
.rela.text._Z5totalPKfPfi 0x08 0x01 wrong-relocation: _Z5totalPKfPfi
.rela.text._Z5totalPKfPfi 0x0c 0x01 wrong-relocation: _Z5totalPKfPfi
.rela.text._Z5totalPKfPfi 0x10 0x01 wrong-relocation: _Z5totalPKfPfi
.nv.constant3 0x00 0x01 wrong-bytes
.nv.callgraph 0x0c 0x01 wrong-call-graph
DAMAGE
[ "$count" -eq 8 ] || fail "damaged $count times, not 8"

# The Mercury form of the program and its machine code.
mkdir mercury
(
  cd mercury
  cp "$SOURCE"/examples/vector_math/sm_100/*.cubin .
  "$CULINK" -arch=sm_100 --code=mercury --check main.cubin filter.cubin -o own.cubin
  count=0
  while read -r section offset flip finding; do
    damage "$section" "$offset" "$flip"
    says 1 "$finding" -- "$CUBIN" check --as-compiled damaged.cubin --inputs main.cubin filter.cubin
    count=$((count + 1))
  done << 'DAMAGE'
.text._Z9block_sumf 0x0e 0x01 wrong-bytes: _Z9block_sumf
.nv.capmerc.text._Z9block_sumf 0x00 0x01 wrong-mercury: _Z9block_sumf in .nv.capmerc.text._Z9block_sumf
.nv.capmerc.text._Z9block_sumf 0x20 0x01 wrong-mercury: _Z9block_sumf in .nv.capmerc.text._Z9block_sumf
.nv.merc.rela.text._Z5totalPKfPfi 0x0c 0x01 wrong-mercury: _Z5totalPKfPfi
.nv.merc.nv.info._Z9block_sumf 0x04 0x01 wrong-mercury: _Z9block_sumf
DAMAGE
  [ "$count" -eq 5 ] || fail "damaged $count times, not 5"
  # A finalizer may change when instructions start.
  damage .text._Z9block_sumf 0x0e 0x01
  "$CUBIN" check -q damaged.cubin --inputs main.cubin filter.cubin
)

# Findings are data, too.
"$CUBIN" check --json damaged.cubin --inputs main.cubin filter.cubin > out.json || true
python3 - << 'PY'
import json
findings = json.load(open("out.json"))[0]["findings"]
assert findings and all(f["kind"] == "wrong-call-graph" for f in findings), findings
assert set(findings[0]) == {"kind", "symbol", "section", "offset", "expected", "found"}, findings
PY

# culink's own -r keeps what nvlink's loses.
"$CULINK" -arch=sm_90 -r --check main.cubin filter.cubin -o relocatable.own
says 1 'E7partial__64, addend 0x0, found none' -- "$CUBIN" check relocatable.cubin --inputs main.cubin filter.cubin
says 1 'the output is not sound: wrong-relocation' -- \
  "$CULINK" -arch=sm_90 --emulate=nvlink-13.0.88 -r --check main.cubin filter.cubin -o lossy.cubin
[ ! -e lossy.cubin ] || fail "wrote a file that has findings"

# PTX among the inputs is compiled as for the link: by the ptxas that is named, with the options that the output notes.
printf '.version 8.0\n.target sm_90\n.address_size 64\n' > filter.ptx
mkdir -p cuda/bin
cat > cuda/bin/ptxas << 'CODE'
#!/usr/bin/env bash
printf '%s\n' "$@" > words
while [ "$1" != -o ]; do shift; done
cp filter.cubin "$2"
CODE
chmod +x cuda/bin/ptxas
"$CULINK" -arch=sm_90 -Xptxas=-O1,-dlcm=cv --ptxas=cuda/bin/ptxas main.cubin filter.ptx -o own.cubin
for way in --ptxas=cuda/bin/ptxas --cuda=cuda; do
  rm words
  says 0 "own.cubin: ok" -- "$CUBIN" check own.cubin --inputs main.cubin filter.ptx "$way"
  expect_contains words -O1 -dlcm=cv
done
CUDA_HOME=$PWD/cuda "$CUBIN" check -q own.cubin --inputs main.cubin filter.ptx
