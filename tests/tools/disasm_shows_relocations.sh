#!/usr/bin/env bash
# cubin disasm puts relocations and names of the source beside the lines of nvdisasm, shows the
# functions that were asked for, and says why it cannot. A script stands for nvdisasm, so that no CUDA
# is needed; where the program itself is installed, it is asked, too.
. "${BASH_SOURCE%/*}/../common.inc.sh"

object=$SOURCE/examples/vector_math/sm_90/main.cubin
cat > nvdisasm <<'EOF'
#!/bin/sh
echo "$@" > words
cat <<'LISTING'
	.target	sm_90

//--------------------- .text._Z5totalPKfPfi      --------------------------
_Z5totalPKfPfi:
        /*00c0*/                   S2UR UR6, SR_CgaCtaId ;
        /*00d0*/                   UMOV UR4, `(staged) ;
        /*0110*/                   MOV R21, 32@hi((_Z5totalPKfPfi + .L_x_0@srel)) ;
.L_x_0:

//--------------------- .text._Z6smoothPKfPfi     --------------------------
        /*02f0*/                   CALL.ABS.NOINC `(_Z8filteredPKf) ;
//--------------------- SYMBOLS --------------------------
        /*02f0*/                   not code
LISTING
EOF
chmod +x nvdisasm

"$CUBIN" disasm "$object" --nvdisasm="$PWD/nvdisasm" > listing
expect_contains listing "main.cubin:" "// total(float const*, float*, int)" \
  "UMOV UR4, \`(staged) ;                                // R_CUDA_ABS32_32 staged" \
  "// R_CUDA_ABS32_HI_32 total(float const*, float*, int)+0x160" \
  "// R_CUDA_ABS55_16_34 filtered(float const*)"
expect_lacks listing "not code" ".target"
grep -q 'SR_CgaCtaId ;$' listing || fail "a line without a relocation was changed"
expect_contains words "-c /dev/fd/"
expect_lacks words "-fun"

"$CUBIN" disasm "$object" --nvdisasm="$PWD/nvdisasm" --function='smo*' > listing
expect_contains listing "filtered(float const*)"
expect_lacks listing "staged"
expect_contains words "-fun "

expect_status 1 "$CUBIN" disasm "$object" --nvdisasm="$PWD/nvdisasm" --function=none 2> log
expect_contains log "there is no such function"
expect_status 1 "$CUBIN" disasm "$object" --nvdisasm="$PWD/absent" 2> log
expect_contains log "main.cubin"
printf '#!/bin/sh\necho "nvdisasm fatal: no"; exit 3\n' > fails
chmod +x fails
expect_status 1 "$CUBIN" disasm "$object" --nvdisasm="$PWD/fails" 2> log
expect_contains log "main.cubin: nvdisasm: ended with 3: nvdisasm fatal: no"
expect_status 1 "$CUBIN" disasm "$object" --cuda="$PWD" 2> log
expect_contains log "nvdisasm: not found"

"$CUBIN" disasm "$object" > listing 2> log || { expect_contains log "not found" && skip "no nvdisasm"; }
expect_contains listing "// R_CUDA_ABS55_16_34 block_sum(float)" "EXIT"
