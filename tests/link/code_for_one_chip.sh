#!/usr/bin/env bash
# Since 13.1 nvlink links code for one chip (sm_90a) for targets of that kind only; culink does not
# mind by default, since an image for sm_90 runs on that chip alone.
. "${BASH_SOURCE%/*}/../common.inc.sh"
links_as_recorded code_for_one_chip
not "$CULINK" --emulate=nvlink-13.1.115 --error-format=nvlink -arch=sm_90 chip.cubin -o out.cubin > log 2>&1
expect_same log "$SOURCE/tests/golden/code_for_one_chip/other.refused"
"$CULINK" -arch=sm_90 chip.cubin -o out.cubin
