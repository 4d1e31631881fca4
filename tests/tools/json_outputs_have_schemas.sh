#!/usr/bin/env bash
# Every JSON output of cubin is what its schema in docs/schemas says, and each schema is used.
. "${BASH_SOURCE%/*}/../common.inc.sh"
vector=$SOURCE/examples/vector_math
shopt -s nullglob
files=("$SOURCE"/examples/*/*/*.cubin "$SOURCE"/examples/*/fat/*.o "$SOURCE"/tests/corpus/*.cubin)
head -c 5000 "$vector/sm_90/filter.cubin" > broken.cubin

# output COMMAND ARGUMENT...: a further output of the command, whatever its verdict is.
count=0
output() {
  count=$((count + 1))
  "$CUBIN" "$1" --json "${@:2}" > "$1.$count.json" 2> log || [ $? -eq 1 ] || fail "$*: $(cat log)"
}
output dump --all "${files[@]}"
output dump --hex .nv.info --demangle "$vector/sm_90/main.cubin"
output dump --all broken.cubin
output usage "${files[@]}"
output usage --limits --block-size=64 "${files[@]}"
output usage --sort=code -n 3 "${files[@]}"
output usage broken.cubin
output callgraph "${files[@]}"
output list "${files[@]}"
output list --quick "$vector/fat/main.o"
output verify "${files[@]}" broken.cubin
for view in kernel function template section input fatbin target packing; do
  output size --by=$view "$vector/fat/main.o"
done
output size --duplicates "$SOURCE/examples/weak_templates/sm_90/linked.cubin"
output size "$vector/sm_90/relocatable.cubin" "$vector/sm_90/linked.cubin"
output diff "$vector"/sm_{80,90}/linked.cubin
output diff "$vector/fat/main.o" "$vector/fat/filter.o"
output check "$vector/sm_90/linked.cubin" --inputs "$vector"/sm_90/{main,filter}.cubin
output check "$vector/sm_90/linked.cubin" --inputs "$vector/sm_90/main.cubin"

for schema in "$SOURCE"/docs/schemas/cubin-*.json; do
  name=${schema##*/cubin-}
  outputs=("${name%.json}".*.json)
  [ ${#outputs[@]} -gt 0 ] || fail "$schema: no output to check"
  python3 -B "$SOURCE/tests/schemas/validate.py" "$schema" "${outputs[@]}" || fail "not as $schema says"
done
for made in *.json; do
  [ -e "$SOURCE/docs/schemas/cubin-${made%%.*}.json" ] || fail "no schema for cubin ${made%%.*}"
done
# Schemas do not see keys that an object has twice, nor sections that are missing.
python3 - ./*.json <<'END'
import json, sys
def once(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), keys
    return dict(pairs)
for name in sys.argv[1:]:
    json.load(open(name), object_pairs_hook=once)
files = json.load(open("dump.1.json"))
assert len(files) >= 20 and all(f["header"]["section_count"] == len(f["sections"]) for f in files)
END

# The validator finds what does not fit.
schema=$SOURCE/docs/schemas/cubin-usage.json
sed 's/"registers": [0-9]*/"registers": "many"/' usage.4.json > wrong.json
says 1 'registers: "many" is no integer or null' -- \
  python3 -B "$SOURCE/tests/schemas/validate.py" "$schema" wrong.json
sed 's/"registers"/"regs"/' usage.4.json > wrong.json
says 1 "no 'registers'" "'regs' is not in the schema" -- \
  python3 -B "$SOURCE/tests/schemas/validate.py" "$schema" wrong.json
