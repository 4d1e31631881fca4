#!/usr/bin/env bash
# A section of Mercury code whose type has no bytes in the file, or entries of another size than the section of the machine code it
# belongs to, is refused by its name: linked with the other's type it would be read beyond its end, or at wrong entries.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CUBIN" text --exact "$SOURCE/examples/vector_math/sm_100/filter.cubin" > filter.yaml
"$CUBIN" assemble filter.yaml -o right.cubin
"$CULINK" -arch=sm_100 -r right.cubin -o out.cubin
sed '/name: .nv.merc.rela.text._Z9block_sumf/a\  type: REL' filter.yaml > rel.yaml
"$CUBIN" assemble rel.yaml -o rel.cubin
expect_status 1 "$CULINK" -arch=sm_100 -r rel.cubin -o none.cubin 2> errors
expect_contains errors "'.nv.merc.rela.text._Z9block_sumf', sh_type: does not go with section" "'.rela.text._Z9block_sumf'"

# The type is the only byte that changes.
table=$SOURCE/tests/golden/mercury_and_machine_code/table.cubin
"$CULINK" -arch=sm_110 "$table" -o out.cubin
edit_elf "$table" empty.cubin "
section = sections['.nv.merc.nv.constant.optimizer.choose']
section.type = 0x70000015
section.store()"
expect_status 1 "$CULINK" -arch=sm_110 empty.cubin -o none.cubin 2> errors
expect_contains errors "'.nv.merc.nv.constant.optimizer.choose', sh_type: does not go with section" "'.nv.constant2.choose'"
[ ! -e none.cubin ] || fail "wrote an output"
