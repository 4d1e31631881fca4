#!/usr/bin/env bash
# The JSON of every example, and of a file whose names are not UTF-8, is read by a JSON parser.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need python3

"$CUBIN" dump --all --json "$SOURCE"/examples/*/*/*.cubin >all.json
python3 - <<'END'
import json
files = json.load(open("all.json", encoding="utf-8"))
assert len(files) >= 20, len(files)
for f in files:
    assert f["header"]["section_count"] == len(f["sections"]), f["file"]
END

python3 - "$SOURCE/examples/vector_math/sm_80/main.cubin" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
assert b"_Z5totalPKfPfi\0" in data
open("strange.cubin", "wb").write(data.replace(b"_Z5total", b'_\xff"\\\n\xc3\xbc\x1b'))
END
"$CUBIN" dump --all --json strange.cubin >strange.json
python3 - <<'END'
import json
names = [s["name"] for s in json.load(open("strange.json", encoding="utf-8"))[0]["sections"]]
assert '.text._\\xff"\\\\\\x0a\u00fc\\x1bPKfPfi' in names, names
END
"$CUBIN" dump strange.cubin >strange.txt
expect_contains strange.txt '.text._\xff"\\\x0aü\x1bPKfPfi'

"$CUBIN" usage --json "$SOURCE"/examples/*/*/*.cubin | python3 -m json.tool >usage.txt
expect_contains usage.txt '"registers": 28'
