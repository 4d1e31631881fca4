#!/usr/bin/env bash
# Every command that README offers in place of one of NVIDIA's runs as it is written there, with
# files of the examples under the names that it has; the disassembly needs nvdisasm.
. "${BASH_SOURCE%/*}/../common.inc.sh"

objects=$SOURCE/examples/vector_math
cp "$objects/sm_90/main.cubin" a.cubin
cp "$objects/sm_90/filter.cubin" b.cubin
cp "$SOURCE/examples/textures/references.ptx" b.ptx
cp "$objects/fat/main.o" FILE
ar rcs lib.a "$objects/fat/main.o" "$objects/fat/filter.o"
mkdir bin
ln -s "$CUBIN" bin/cubin
ln -s "$CULINK" bin/culink
export PATH=$WORK/bin:$PATH

sed -n "/^## In place of NVIDIA's tools/,/^## What/p" "$SOURCE/README.md" |
  awk -F'|' '/^\|/ { split($3, parts, "`"); print parts[2] }' | grep '^cu' > commands
[ "$(wc -l < commands)" -ge 9 ] || fail "few commands in README's table: $(cat commands)"
while read -r line; do
  case $line in "cubin disasm"*) command -v nvdisasm > /dev/null || continue ;; esac
  read -ra words <<< "$line"
  "${words[@]}" > shown < /dev/null || fail "as README has it: $line"
done < commands
for file in out.cubin out.a out.fatbin; do
  [ -s $file ] || fail "README's commands make no $file"
done
says 0 "sm_90" -- cubin list out.a
expect_lacks told "sm_80" "compute_"

# One word for each option, a list has commas: what follows is a file, wherever options stand.
cubin prune --drop ptx,sm_80 lib.a -o again.a
expect_same out.a again.a
says 0 "lib.a: " -- cubin prune --drop=ptx --drop=sm_80 lib.a --dry-run
cubin diff --ignore=tkinfo,strings a.cubin a.cubin --summary > told
expect_status 1 cubin diff --ignore tkinfo a.cubin b.cubin --summary > told
cubin check -L . -l none out.cubin --inputs a.cubin b.cubin > told 2>&1 || true
expect_contains told "out.cubin"
expect_status 1 cubin disasm --nvdisasm=/nonexistent --function=total a.cubin 2> told
expect_lacks told "required"
! command -v nvdisasm > /dev/null || says 0 "// R_CUDA_ABS55_16_34 block_sum(float)" "EXIT" -- cubin disasm a.cubin
