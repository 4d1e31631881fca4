#!/usr/bin/env bash
# Every command of cubin that has --json writes the same rows as CSV and as tables of Markdown.
. "${BASH_SOURCE%/*}/../common.inc.sh"
cp "$SOURCE"/examples/vector_math/sm_90/{main,filter,linked}.cubin .
"$CUBIN" pack linked.cubin -o "=formula.fatbin"

for form in json csv markdown; do
  "$CUBIN" dump --all --$form main.cubin > dump.$form
  "$CUBIN" usage --$form linked.cubin > usage.$form
  "$CUBIN" size -n 0 --$form linked.cubin > size.$form
  "$CUBIN" callgraph --$form linked.cubin > callgraph.$form
  "$CUBIN" list --$form linked.cubin ./=formula.fatbin > list.$form
  "$CUBIN" verify --$form linked.cubin main.cubin > verify.$form
  expect_status 1 "$CUBIN" check --$form linked.cubin --inputs main.cubin > check.$form
  expect_status 1 "$CUBIN" diff --$form main.cubin linked.cubin > diff.$form
done
expect_status 2 "$CUBIN" dump --csv --markdown main.cubin 2> /dev/null

python3 - <<'EOT'
import csv
import json

def tables(name):
    """The tables of a file of CSV; a line of keys begins each."""
    found = []
    for line in csv.reader(open(name + ".csv")):
        if line[0] in ("file", "kind", "stored"):
            found.append((line, []))
        else:
            assert len(line) == len(found[-1][0]), (name, line)
            found[-1][1].append(line)
    return found

def shown(value):
    return "" if value is None else {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)

# CSV has what JSON has, value by value.
for name, key in (("usage", "functions"), ("size", "sizes"), ("list", "code"), ("check", "findings"), ("diff", "differences")):
    rows = [row for file in json.load(open(name + ".json")) for row in file[key]]
    keys, lines = tables(name)[-1]
    assert len(lines) == len(rows) > 0, (name, len(lines), len(rows))
    for line, row in zip(lines, rows):
        cells = dict(zip(keys, line))
        for field, value in row.items():
            assert cells[field] == shown(value), (name, field, cells[field], value)

# A section of a dump begins each line of its rows.
symbols = [(keys, lines) for keys, lines in tables("dump") if keys[1] == "symbol_tables.name"]
assert symbols[0][0][:3] == ["file", "symbol_tables.name", "symbol_tables"], symbols[0][0]
assert len(symbols[0][1]) == len(json.load(open("dump.json"))[0]["symbol_tables"][0]["symbols"])

# Tables of Markdown have as many cells in each line.
for name in ("dump", "usage", "size", "callgraph", "list", "verify", "check", "diff"):
    width, rows = 0, 0
    for line in open(name + ".markdown").read().splitlines():
        cells = line.replace("\\|", "").count("|")
        assert cells == 0 or width in (0, cells), (name, line)
        width, rows = cells, rows + (cells != 0)
    assert rows >= 2, name
EOT
