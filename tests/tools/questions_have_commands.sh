#!/usr/bin/env bash
# Every command of the questions in docs/culink.md, on files of the names that are used there: how it ends and what
# it tells. No row is without a check, and no check without a row.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need ar
python3 -m tarfile -e "$SOURCE/tests/tools/traps/objects.tar.xz" .
cp "$SOURCE/examples/vector_math/sm_90/filter.cubin" anything.bin
echo "-arch=sm_90 main.o f.o -o out.cubin" > words.rsp
ar rc libf.a f.o
ar rcT thin.a f.o
ar rc libdl.a
assemble recursive <<'YAML'
arch: sm_90
functions:
- {name: k, kernel: true, code: nop x4, calls: [_Z4evenj]}
- {name: _Z4evenj, code: nop x4, calls: [_Z3oddj]}
- {name: _Z3oddj, code: nop x4, calls: [_Z4evenj]}
YAML
assemble constants <<'YAML'
arch: sm_80
functions:
- {name: k, kernel: true, code: nop x4, calls: [large, small], constants: [{name: a, size: 8, data: 01}]}
- {name: large, code: nop x4, constants: [{name: b, size: 60000, data: 01}]}
- {name: small, code: nop x4, constants: [{name: c, size: 8000, data: 02}]}
YAML
assemble registers <<'YAML'
arch: sm_90
functions:
- {name: k, kernel: true, code: nop x4, calls: [between], attributes: [{attr: MAXREG_COUNT, value: 80}]}
- {name: between, code: nop x4, calls: [many]}
- {name: many, registers: 96, code: nop x4}
YAML
assemble names <<'YAML'
arch: sm_90
functions:
- {name: k, kernel: true, code: nop x4, calls: [_ZN38_INTERNAL_264b0677_13_names_test_cu_gp4statEPKf]}
- {name: _ZN38_INTERNAL_264b0677_13_names_test_cu_gp4statEPKf, bind: LOCAL, code: nop x4}
YAML
assemble old <<< '{arch: sm_90, virtual_arch: 80, functions: [{name: k80, kernel: true, code: nop x4}]}'
assemble new <<< '{arch: sm_90, virtual_arch: 90, functions: [{name: k90, kernel: true, code: nop x4}]}'
"$CUBIN" pack "$SOURCE"/examples/vector_math/sm_{80,90}/filter.cubin -o both.fatbin
ar rc libs.a both.fatbin
# A compiler of PTX, where there is none.
printf '.version 8.0\n.target sm_90\n.address_size 64\n' > kernel.ptx
mkdir -p cuda/bin
printf '#!/bin/sh\n' > cuda/bin/nvcc
chmod +x cuda/bin/nvcc
make_answering cuda/bin/ptxas
export CUDA_HOME=$WORK/cuda ANSWER=new.cubin
PATH=$(dirname "$CULINK"):$PATH

# asks STATUS COMMAND TEXT...: a command ends so and tells this; without a text it tells nothing.
asks() {
  printf '%s\n' "$2" >> asked
  says "$1" "${@:3}" -- bash -c "$2"
}

asks 0 'culink -arch=sm_90 anything.bin -o out.cubin'
"$CUBIN" verify out.cubin > told
asks 0 'culink -arch=sm_90 -o out.cubin' "warning: no input files; the output is empty"
asks 0 'culink -arch=sm_90 main.o --whole-archive libf.a --no-whole-archive -o out.cubin'
asks 0 'culink @words.rsp'
asks 255 'culink -arch=sm_90 main.o f80.o -o out.cubin' "undefined symbol: f(int)" \
  ">>> referenced by main.o: k(int*)" ">>> would be defined in f80.o, but it has no code for sm_90, only sm_80"
asks 0 "culink --explain 'undefined reference to __cudaRegisterLinkedBinary_1'" "nvcc -dlink" "CUDA_SEPARABLE_COMPILATION"
asks 0 'culink -arch=sm_90 main.o f.o dlinkf.o -o out.cubin' \
  "warning: f.o: linked again, although dlinkf.o has the result of a device link that took it"
asks 255 'culink -arch=sm_90 main.o f.o dlinkf.o --register-link-binaries=modules.c -o out.cubin' \
  ">>> would be defined in f.o, but a device link has already taken it, whose result is in dlinkf.o"
asks 0 'culink -arch=sm_90 main.o f.o -o out.cubin --why-live=k' "k(int*): kept by"
asks 255 'culink -arch=sm_90 main80.o f80.o -o out.cubin -Werror' "error: the output has no kernels"
asks 0 'cubin list libf.a' sm_90
asks 0 'culink -arch=sm_90 recursive.cubin -o out.cubin' \
  "warning: stack size of kernel 'k' cannot be determined" ">>> which calls recursive.cubin: odd(unsigned int)"
asks 255 'culink -arch=sm_80 constants.cubin -o out.cubin' "too many compiler-generated constants in 'k'" \
  ">>> constants of constants.cubin: large, 60000 bytes" "--disable-optimizer-constants"
asks 255 'culink -arch=sm_90 registers.cubin -o out.cubin' \
  "kernel 'k' may use 80 registers but calls 'many', which needs 96" ">>> which calls registers.cubin: between"
asks 0 'culink -extrawarn -arch=sm_90 new.cubin old.cubin -o out.cubin' \
  "inputs were compiled from PTX of compute_80 and of compute_90"
asks 0 'culink -arch=sm_90 main.o thin.a -o out.cubin'
asks 0 'culink -arch=sm_90 main.o f.o libdl.a -o out.cubin'
asks 0 'culink --dialect=13.0 -arch=sm_90 main.o f.o -o out.cubin'
asks 0 "culink --explain 'undefined symbol: __nvJitLinkCreate_12_8'" "--make-jit-folder"
asks 0 'culink -g -arch=sm_90 main.o f.o --repro=bug.tar -o out.cubin'
[ -s bug.tar ] || fail "no bug.tar"
asks 0 'culink -arch=sm_90 kernel.ptx f.o -o out.cubin --stats' "of it ptxas"
asks 0 'culink -arch=sm_90 main.o f.o -o out.cubin --stats' "peak memory"
asks 0 'cubin prune --keep=sm_90 libs.a -o smaller.a'
says 0 sm_90 -- "$CUBIN" list smaller.a
expect_lacks told sm_80
asks 0 'cubin list libs.a' sm_80 sm_90
asks 0 'culink -arch=sm_90 names.cubin -o out.cubin --cref' "stat(float const*)"

# shellcheck disable=SC2016  # backquotes of the document
sed -n '/^## Questions/,$s/^| .*| `\(.*\)` |$/\1/p' "$SOURCE/docs/culink.md" | sort > in_document
sort -o asked asked
expect_same in_document asked
