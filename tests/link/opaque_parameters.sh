#!/usr/bin/env bash
# Textures, surfaces and samplers as parameters of kernels (.param .texref): each has a slot in its
# kernel's bank. nvlink takes those of one name for one (Q131); culink fills the slots of each kernel.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded opaque_parameters
"$CULINK" -arch=sm_90 other.cubin several.cubin variable.cubin -o out.cubin
"$CUBIN" text --exact out.cubin > text
for kernel in 1 2 5; do
  sed -n "/^- name: .rela*.nv.constant0.k$kernel/,/^- {*name: .nv/p" text > slots
  expect_contains slots HEADER_INDEX
done
# ptxas writes one symbol for the parameters of one name, in k2; k1 has a slot for it all the same.
"$CULINK" -arch=sm_90 --check several.cubin -o out.cubin
"$CUBIN" dump --relocs out.cubin | sed -n '/rel.nv.constant0.k1/,/rela.debug/p' > slots
grep -q 'HEADER_INDEX *t$' slots || fail "no slot of t in k1: $(cat slots)"
"$CULINK" -arch=sm_90 --check -kernels-used=k2 several.cubin -o out.cubin
not "$CULINK" -arch=sm_90 -kernels-used=k1 several.cubin -o out.cubin 2> log
expect_contains log "'t' is a parameter of a kernel that is discarded" "used by several.cubin: k1"
expect_contains log "keep 'k2', too"
not "$CULINK" -arch=sm_90 several.cubin surface.cubin -o out.cubin 2> log
expect_contains log "several.cubin, a texture"
expect_contains log "surface.cubin, a surface"
