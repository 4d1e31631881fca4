#!/usr/bin/env bash
# A link of large files starts again with the allocator's setting for large programs; compilers that
# it runs do not inherit the setting, and a user's own one is left alone. A program stands for ptxas.
. "${BASH_SOURCE%/*}/../common.inc.sh"

printf '.version 9.0\n.target sm_90\n.address_size 64\n' > small.ptx
cp small.ptx large.ptx
head -c 34000000 /dev/zero | tr '\0' ' ' >> large.ptx
assemble kernel <<< '{arch: sm_90, functions: [{name: kernel, kernel: true, code: nop x4}]}'

# The words are: -arch sm_90 -m 64 -c SOURCE -o OBJECT. The parent is the linker.
cat > ptxas <<'EOT'
#!/bin/sh
tr '\0' '\n' < /proc/$PPID/environ | grep GLIBC_TUNABLES > linker
env | grep GLIBC_TUNABLES > compiler
cat kernel.cubin > "$8"
EOT
chmod +x ptxas

unset GLIBC_TUNABLES
"$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" small.ptx -o small.cubin
[ ! -s linker ] || fail "a small link has started again: $(cat linker)"

"$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" large.ptx -o large.cubin
expect_contains linker "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"
[ ! -s compiler ] || fail "the compiler inherits the setting: $(cat compiler)"
expect_same small.cubin large.cubin

GLIBC_TUNABLES=glibc.malloc.arena_max=2 \
  "$CULINK" -arch=sm_90 --ptxas="$PWD/ptxas" large.ptx -o own.cubin
for file in linker compiler; do
  expect_contains $file "GLIBC_TUNABLES=glibc.malloc.arena_max=2"
done
