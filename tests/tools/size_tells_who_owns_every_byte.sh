#!/usr/bin/env bash
# cubin size divides every kind of file by every view so that the rows add up to the file; it compares
# two files, finds what is stored more than once, and says the same as text, JSON and CSV.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need as ar gcc

linked=$SOURCE/examples/vector_math/sm_90/linked.cubin
main=$SOURCE/examples/vector_math/sm_90/main.cubin
older=$SOURCE/examples/vector_math/sm_80/linked.cubin

printf '.version 9.0\n.target sm_75\n.address_size 64\n' > text.ptx
fatbin() { python3 -B "$SOURCE/tests/fatbin.py" "$@"; }
fatbin code.fatbin "90=$linked,lz4,name=main.cu" "80=$older" 75=text.ptx
fatbin parts.fatbin "90=$main"
fatbin linked.fatbin "90=$linked"
cat > code.s <<'END'
.section .nv_fatbin,"a"
.incbin "code.fatbin"
.balign 4096
.incbin "linked.fatbin"
.section __nv_relfatbin,"a"
.incbin "parts.fatbin"
.section .rodata
.balign 8
.incbin "parts.fatbin"
.section .note.GNU-stack
END
as code.s -o code.o
echo 'int f(void) { return 0; } int main(void) { return 0; }' > plain.c
gcc -c plain.c -o plain.o
ld -r plain.o code.o -o joined.o
ar rc library.a plain.o code.o
ar rcT thin.a plain.o code.o
gcc -shared -nostdlib code.o -o library.so
gcc plain.o code.o -o program
cp library.so module.cpython-312-x86_64-linux-gnu.so
cp "$linked" whole.cubin

cat > adds_up.py <<'END'
import csv, io, json, os, subprocess, sys
cubin, size, *files = sys.argv[1:]
for file in files:
    expected = os.path.getsize(file) if size == "file" else int(size)
    for view in "kernel function template section input fatbin target packing".split():
        command = [cubin, "size", "--by", view, "-n", "0", file]
        table, = json.loads(subprocess.check_output(command + ["--json"]))
        assert sum(row["stored"] for row in table["sizes"]) == expected, (file, view, table)
        assert table["total"]["stored"] == expected, (file, view)
        assert sum(row["unpacked"] for row in table["sizes"]) == table["total"]["unpacked"], (file, view)
        sizes = [row["stored"] for row in table["sizes"]]
        assert sizes == sorted(sizes, reverse=True), (file, view)
        rows = list(csv.DictReader(io.StringIO(subprocess.check_output(command + ["--csv"], text=True))))
        assert [int(row["stored"]) for row in rows] == sizes, (file, view)
        assert [row["name"] for row in rows] == [row["name"] for row in table["sizes"]], (file, view)
        names = {row["name"]: row for row in table["sizes"]}
        if view == "kernel":
            assert "_Z6smoothPKfPfi" in names, (file, names)
            smooth = names["_Z6smoothPKfPfi"]
            assert smooth["code"] < smooth["unpacked"] / smooth["count"] < smooth["with_calls"], (file, smooth)
        if view == "template":
            assert "smooth" in names, (file, names)
END
python3 adds_up.py "$CUBIN" file whole.cubin code.fatbin code.o joined.o library.a library.so program module*.so
python3 adds_up.py "$CUBIN" $(($(stat -c %s thin.a) + $(stat -c %s plain.o) + $(stat -c %s code.o))) thin.a

"$CUBIN" size --by=packing code.fatbin > out
grep -Eq ' lz4$' out || fail "$(cat out)"
says 0 sm_90 sm_80 compute_75 -- "$CUBIN" size --by=target code.fatbin
says 0 main.cu "[no name]" -- "$CUBIN" size --by=input code.fatbin
says 0 code.o "[host]" -- "$CUBIN" size --by=input library.a
says 0 "host .text" "host .nv_fatbin" -- "$CUBIN" size --by=section program
says 0 "more (-n 0 shows all)" " total" -- "$CUBIN" size -n 1 code.o
says 0 "smooth(float const*, float*, int)" -- "$CUBIN" size --demangle code.o
says 0 sm_80 "[not chosen]" -- "$CUBIN" size --target=sm_80 --by=target code.o
expect_lacks told sm_90

# Two files.
"$CUBIN" size --by=target --json code.fatbin linked.fatbin | python3 -c '
import json, os, sys
table, = json.load(sys.stdin)
changes = {row["name"]: row for row in table["changes"]}
assert changes["sm_80"]["after"] is None and changes["sm_80"]["change"] == -changes["sm_80"]["before"]
assert changes["sm_90"]["change"] < 0 and changes["sm_90"]["unpacked_change"] < 0, changes
total = table["total"]
assert total["before"] == os.path.getsize("code.fatbin") and total["after"] == os.path.getsize("linked.fatbin")
assert total["change"] == total["after"] - total["before"]'
"$CUBIN" size code.o code.o > out
[ "$(grep -c _Z out)" = 0 ] || fail "nothing changed: $(cat out)"

# Stored more than once: linked.cubin in two fatbins, main.cubin in two sections. The link has not
# changed this kernel.
"$CUBIN" size --duplicates --relocatable --json program | python3 -c '
import json, sys
tables, = json.load(sys.stdin)
smooth, = [row for row in tables["same_kernels"] if row["name"] == "_Z6smoothPKfPfi"]
assert smooth["copies"] == 5 and smooth["targets"] == 2, smooth
equal = [row for row in tables["equal_code"] if row["name"] == "_Z6smoothPKfPfi"]
assert [row["copies"] for row in equal] == [4], equal
assert equal[0]["cost"] == 3 * equal[0]["size"], equal'

# What cannot be told.
says 1 "plain.o: has no device code" -- "$CUBIN" size plain.o
says 2 colour -- "$CUBIN" size --by=colour code.o
says 2 "error: " -- "$CUBIN" size --duplicates code.o code.o
cp code.fatbin damaged.fatbin
head -c 4 /dev/zero | dd of=damaged.fatbin bs=1 seek=120 conv=notrunc status=none
expect_status 1 "$CUBIN" size --by=section --csv damaged.fatbin > out 2> log # in its packed bytes
expect_contains out "[damaged]"
expect_contains log "damaged.fatbin:1.sm_90.cubin: fatbin entry at 0x10"
[ "$(awk -F, '{ sum += $1 } END { print sum }' out)" = "$(stat -c %s damaged.fatbin)" ] || fail "$(cat out)"
