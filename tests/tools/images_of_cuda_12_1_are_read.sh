#!/usr/bin/env bash
# In linked images of CUDA 12.1 and 12.3 all sections with symbols name .nv.info for the symbol table. Every
# command reads them without a word about it; images of other releases have to name the table.
. "${BASH_SOURCE%/*}/../common.inc.sh"

folder=$SOURCE/examples/vector_math/sm_80
parts=("$folder/main.cubin" "$folder/filter.cubin")
"$CULINK" -arch=sm_80 --dialect=12.4 "${parts[@]}" -o linked.cubin
# stale FILE OUT: a copy whose sections name .nv.info for the symbol table.
stale() {
  edit_elf "$1" "$2" "
for section in file.sections:
    if section.link == sections['.symtab'].index:
        section.link = sections['.nv.info'].index
        section.store()"
}
stale linked.cubin stale.cubin
for command in usage "dump --all" callgraph verify "report -o page.html" list size "check --inputs ${parts[*]}"; do
  for name in linked stale; do
    # shellcheck disable=SC2086  # several words
    "$CUBIN" $command $name.cubin > shown.$name 2> log || fail "$command $name: $(cat log)"
    expect_same log /dev/null
    sed -i "s/$name\.cubin/NAME/g" shown.$name
  done
  expect_same shown.linked shown.stale
done
"$CUBIN" text --exact stale.cubin | assemble again
expect_same stale.cubin again.cubin

stale "$folder/linked.cubin" new.cubin # of CUDA 13
says 1 "is not a symbol table" -- "$CUBIN" verify new.cubin

# Of targets before sm_75 only the structure is known.
edit_elf stale.cubin old.cubin "file.data[48] = file.data[50] = 60"
says 0 "old.cubin: sm_60 is not checked" -- "$CUBIN" verify old.cubin
[ "$(wc -l < told)" = 1 ] || fail "$(cat told)"
