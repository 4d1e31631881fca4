#!/usr/bin/env bash
# cubin usage gives registers, stack, shared memory, barriers and constants of each function.
. "${BASH_SOURCE%/*}/../common.inc.sh"

"$CUBIN" usage "$SOURCE/examples/vector_math/sm_90/linked.cubin" >out.txt
expect_contains out.txt "constant3         32" "reserved shared   1024"
grep -Eq '^  kernel +36 +0 +0 +- +1568 +0 +1 +20 +1280  _Z6smoothPKfPfi  constant0 548$' out.txt ||
  fail "the kernel's line is not as expected: $(cat out.txt)"
grep -Eq '^  function +36 .* _Z8filteredPKf$' out.txt || fail "no line for the function"

"$CUBIN" usage --demangle "$SOURCE/examples/vector_math/sm_90/linked.cubin" >demangled.txt
expect_contains demangled.txt "smooth(float const*, float*, int)"
