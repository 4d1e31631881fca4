#!/usr/bin/env bash
# What everybody who links device code runs into once is explained where it happens: code that an
# earlier device link has taken, that was compiled without -rdc, for another target or for link-time
# optimisation; files that are given twice; outputs in which nothing can be launched.
. "${BASH_SOURCE%/*}/../common.inc.sh"
python3 -m tarfile -e "$SOURCE/tests/tools/traps/objects.tar.xz" .
for member in f f80 dlinkf; do ar rc lib$member.a $member.o; done
ar rc libresolved.a f.o dlinkf.o

link() { "$CULINK" -arch=sm_90 -o out.cubin "$@"; }

# A definition that an earlier device link has taken: nvcc, which asks for a list of modules, gets no
# such code, as from nvlink.
says 255 ">>> would be defined in f.o, but a device link has already taken it, whose result is in dlinkf.o" -- \
  link main.o f.o dlinkf.o --register-link-binaries=modules
says 255 "libresolved.a:f.o, but a device link has already taken it, whose result is in libresolved.a:dlinkf.o" -- \
  link main.o libresolved.a --register-link-binaries=modules
# Without that list it is linked once more.
says 0 "warning: f.o: linked again, although dlinkf.o has the result of a device link that took it" -- link main.o f.o dlinkf.o
expect_contains told "hint: leave that result out, or say --register-link-binaries=FILE"
# The result of a device link in the place of its objects.
says 255 ">>> would be defined in dlink.o, but that is the result of a device link, which cannot be linked again" -- \
  link main.o dlink.o

# Compiled without -rdc: there may be no name left to tell which symbol is meant.
says 255 "hint: whole.o was compiled without -rdc=true, so that other files cannot use device code there" -- \
  link main.o whole.o
# An object by itself is in order, which nvcc links for every program without -rdc.
says 0 -- link whole.o -Werror
says 0 "warning: the output has no kernels: main80.o is not linked" -- link whole.o main80.o

# For another target: an object, a library, everything.
says 255 ">>> would be defined in f80.o, but it has no code for sm_90, only sm_80" -- link main.o f80.o
says 255 ">>> would be defined in ./libf80.a:f80.o, but it has no code for sm_90, only sm_80" -- \
  link main.o -L. -lf80
says 0 "warning: the output has no kernels: main80.o is not linked, because it has no code for sm_90, only sm_80" -- \
  link main80.o f80.o
expect_contains told "warning: f80.o: ignored, no code for sm_90; there is sm_80" "hint: 1 more left out"
says 255 "error: the output has no kernels" -- link main80.o f80.o -Werror
says 0 -- link main80.o f80.o -suppress-arch-warning
# Functions alone are no mistake.
says 0 -- link f.o whole.o

says 1 "hint: give -dlto to the link, too" -- link main.o flto.o
says 1 "hint: the same file is given twice" -- link main.o f.o f.o
says 0 "hint: -lineinfo is an option of nvcc and ptxas" -- link main.o f.o -lineinfo

# A kernel stays because host code launches it; what launches none has none (culink_explains_liveness).
says 0 ">>> kernel that host code refers to: k(int*) of main.o" -- link main.o f.o --why-live=k

# With --emulate nothing of it is said.
expect_status 255 link --emulate=nvlink-13.0.88 --error-format=nvlink main.o whole.o 2> told
printf "nvlink error   : Undefined reference to '_Z1fi' in 'main.o'\n" | cmp - told || fail "$(cat told)"
says 0 -- link --emulate=nvlink-13.0.88 --error-format=nvlink whole.o
