#!/usr/bin/env bash
# What everybody who links device code runs into once is explained where it happens: code that an
# earlier device link has taken, that was compiled without -rdc, for another target or for link-time
# optimisation; files that are given twice; outputs in which nothing can be launched.
. "${BASH_SOURCE%/*}/../common.inc.sh"
python3 -m tarfile -e "$SOURCE/tests/tools/traps/objects.tar.xz" .
for member in f f80 dlinkf; do ar rc lib$member.a $member.o; done
ar rc libresolved.a f.o dlinkf.o

# tells STATUS TEXT WORD...: a link for sm_90 of these ends so and says this, among other things.
tells() {
  local status=$1 text=$2
  shift 2
  expect_status "$status" "$CULINK" -arch=sm_90 "$@" -o out.cubin > told 2>&1
  expect_contains told "$text"
}

# A definition that an earlier device link has taken: nvcc, which asks for a list of modules, gets no
# such code, as from nvlink.
tells 255 ">>> would be defined in f.o, but a device link has already taken it, whose result is in dlinkf.o" \
  main.o f.o dlinkf.o --register-link-binaries=modules
tells 255 "libresolved.a:f.o, but a device link has already taken it, whose result is in libresolved.a:dlinkf.o" \
  main.o libresolved.a --register-link-binaries=modules
# Without that list it is linked once more.
tells 0 "warning: f.o: linked again, although dlinkf.o has the result of a device link that took it" main.o f.o dlinkf.o
expect_contains told "hint: leave that result out, or say --register-link-binaries=FILE"
# The result of a device link in the place of its objects.
tells 255 ">>> would be defined in dlink.o, but that is the result of a device link, which cannot be linked again" \
  main.o dlink.o

# Compiled without -rdc: there may be no name left to tell which symbol is meant.
tells 255 "hint: whole.o was compiled without -rdc=true, so that other files cannot use device code there" \
  main.o whole.o
# An object by itself is in order, which nvcc links for every program without -rdc.
"$CULINK" -arch=sm_90 whole.o -o out.cubin -Werror > told 2>&1 || fail "refused: $(cat told)"
[ ! -s told ] || fail "warns: $(cat told)"
tells 0 "warning: the output has no kernels: main80.o is not linked" whole.o main80.o

# For another target: an object, a library, everything.
tells 255 ">>> would be defined in f80.o, but it has no code for sm_90, only sm_80" main.o f80.o
tells 255 ">>> would be defined in ./libf80.a:f80.o, but it has no code for sm_90, only sm_80" \
  main.o -L. -lf80
tells 0 "warning: the output has no kernels: main80.o is not linked, because it has no code for sm_90, only sm_80" \
  main80.o f80.o
expect_contains told "warning: f80.o: ignored, no code for sm_90; there is sm_80" "hint: 1 more left out"
tells 255 "error: the output has no kernels" main80.o f80.o -Werror
"$CULINK" -arch=sm_90 main80.o f80.o -o out.cubin -suppress-arch-warning > told 2>&1
[ ! -s told ] || fail "warns: $(cat told)"
# Functions alone are no mistake.
"$CULINK" -arch=sm_90 f.o whole.o -o out.cubin > told 2>&1
[ ! -s told ] || fail "warns: $(cat told)"

tells 1 "hint: give -dlto to the link, too" main.o flto.o
tells 1 "hint: the same file is given twice" main.o f.o f.o
tells 0 "hint: -lineinfo is an option of nvcc and ptxas" main.o f.o -lineinfo

# A kernel stays because host code launches it; what launches none has none (culink_explains_liveness).
"$CULINK" -arch=sm_90 main.o f.o -o out.cubin --why-live=k > told
expect_contains told ">>> kernel that host code refers to: k(int*) of main.o"

# With --emulate nothing of it is said.
expect_status 255 "$CULINK" --emulate=nvlink-13.0.88 --error-format=nvlink -arch=sm_90 main.o whole.o -o out.cubin 2> told
printf "nvlink error   : Undefined reference to '_Z1fi' in 'main.o'\n" | cmp - told || fail "$(cat told)"
"$CULINK" --emulate=nvlink-13.0.88 --error-format=nvlink -arch=sm_90 whole.o -o out.cubin > told 2>&1
[ ! -s told ] || fail "says: $(cat told)"
