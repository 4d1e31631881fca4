#!/usr/bin/env bash
# Where there is no ptxas, NVIDIA's library compiles PTX: that of the toolkit nearest to the client, in a
# process of its own, or in the client's where none can be started. Here a library in its place gives out
# an object of ours, and writes down what it is given, and in which program.
. "${BASH_SOURCE%/*}/../common.inc.sh"
build=${CULINK_BUILD:-$SOURCE/build/release}
client=$build/bin/nvjitlink_client
jit=$build/lib/culink/jit-13/libnvJitLink.so.13
example=$SOURCE/examples/vector_math/sm_90
need cc
cat > engine.c << 'C'
#include <stdio.h>
#include <string.h>
static char object[1 << 20];
static size_t size;
#define NOTHING(name)                                                                              \
  int name##Size(void *h, size_t *out) { return *out = 0; }                                        \
  int name(void *h, char *out) { return 0; }
NOTHING(nvJitLinkGetLinkedPtx)
NOTHING(nvJitLinkGetErrorLog)
NOTHING(nvJitLinkGetInfoLog)
static FILE *open_log(void) { return fopen(LOG, "a"); }
int nvJitLinkCreate(void **h, unsigned count, const char **options) {
  char program[100] = "?";
  FILE *self = fopen("/proc/self/comm", "r");
  fgets(program, sizeof program, self);
  fclose(self);
  FILE *log = open_log();
  fprintf(log, "%s", program);
  for (unsigned i = 0; i < count; ++i)
    fprintf(log, "%s ", options[i]);
  fclose(log);
  *h = object;
  return 0;
}
int nvJitLinkDestroy(void **h) { return *h = 0, 0; }
int nvJitLinkAddData(void *h, int kind, const void *data, size_t length, const char *name) {
  FILE *log = open_log();
  fprintf(log, "kind %d: %.8s %d\n", kind, (const char *)data, ((const char *)data)[length - 1]);
  fclose(log);
  FILE *file = fopen(OBJECT, "r");
  size = fread(object, 1, sizeof object, file);
  fclose(file);
  return 0;
}
int nvJitLinkComplete(void *h) { return 0; }
int nvJitLinkGetLinkedCubinSize(void *h, size_t *out) { return *out = size, 0; }
int nvJitLinkGetLinkedCubin(void *h, void *out) { return memcpy(out, object, size), 0; }
C
engine() { # FOLDER: the library in it, which writes the log of that name
  mkdir -p "$1"
  cc -shared -fPIC -w "-DLOG=\"$WORK/${1//\//_}\"" "-DOBJECT=\"$example/filter.cubin\"" engine.c \
    -o "$1/libnvJitLink.so.13"
}
engine old/lib64
engine site-packages/nvidia/cu13/lib
mkdir old/bin
printf '.version 9.0\n.target sm_90\n' > one.ptx
printf 'int one;' > module.c
cc -shared -fPIC module.c -o site-packages/module.so
steps=("file:cubin:$example/main.cubin" data:ptx:one.ptx complete)
run() { env -i CULINK_NO_CACHE=1 "$@" > said || fail "$(cat said)"; }
"$CULINK" -arch=sm_90 --keep-system-libraries --ignore-host-info "$example"/{main,filter}.cubin -o expected
is_expected() {
  "$CUBIN" diff --details expected "$1" > differences || true
  expect_lacks differences ".text" "symbol"
  rm "$1"
}

run CUDA_HOME="$WORK/old" "$client" "$jit" -arch=sm_90 -maxrregcount=40 -- "${steps[@]}" cubin:out
expect_contains said "complete -> 0"
[ "$(cat old_lib64)" = "culink
-arch=sm_90 -r -Xptxas=-maxrregcount=40 kind 2: .version 0" ] || fail "$(cat old_lib64)"
is_expected out
rm old_lib64

# A ptxas that is too old for the text, as packages of two releases may have it.
cat > old/bin/ptxas << 'SH'
#!/bin/sh
echo "ptxas x, line 1; fatal   : Unsupported .version 9.0; current version is '8.8'"
exit 255
SH
chmod +x old/bin/ptxas
run CUDA_HOME="$WORK/old" "$client" "$jit" -arch=sm_90 -- "${steps[@]}" cubin:out
expect_contains said "complete -> 0"
is_expected out
rm old_lib64 old/bin/ptxas

# The library of CUDA 12 cannot give out an object: the search for ptxas goes on.
mkdir -p twelve/lib64 twelve/bin next/bin
cp old/lib64/libnvJitLink.so.13 twelve/lib64/libnvJitLink.so.12
# The command line of the stand-in has its words.
# shellcheck disable=SC2016
printf '#!/bin/sh\ncat "%s" > "$8"\n' "$example/filter.cubin" > next/bin/ptxas
chmod +x next/bin/ptxas
run CUDA_HOME="$WORK/twelve" CUDA_PATH="$WORK/next" "$client" "$jit" -arch=sm_90 -- "${steps[@]}" cubin:out
expect_contains said "complete -> 0"
[ ! -e old_lib64 ] || fail "$(cat old_lib64)"
is_expected out

# The packages beside the client's own come before what a variable names.
run LD_PRELOAD="$WORK/site-packages/module.so" CUDA_HOME="$WORK/old" "$client" "$jit" -arch=sm_90 -- \
  "${steps[@]}" cubin:out
if [ -e old_lib64 ] || [ ! -e site-packages_nvidia_cu13_lib ]; then fail "the library of CUDA_HOME was asked"; fi
is_expected out

# The program culink beside no toolkit finds those of an environment of Python, after all others.
if [ ! -e /usr/local/cuda ]; then
  mkdir -p env/lib/python3.99
  mv site-packages env/lib/python3.99
  run VIRTUAL_ENV="$WORK/env" "$CULINK" -arch=sm_90 --keep-system-libraries --ignore-host-info \
    "$example/main.cubin" one.ptx -o out
  is_expected out
fi
run CUDA_HOME="$WORK/old" "$CULINK" -arch=sm_90 --keep-system-libraries --ignore-host-info \
  "$example/main.cubin" one.ptx -o out
is_expected out

# Processes that take no notice of their children, and that have closed their standard descriptors.
rm old_lib64
run CUDA_HOME="$WORK/old" python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$client" "$jit" -arch=sm_90 -- "${steps[@]}" cubin:out
is_expected out
env -i CULINK_NO_CACHE=1 CUDA_HOME="$WORK/old" timeout 60 "$client" "$jit" -arch=sm_90 -- "${steps[@]}" \
  cubin:out <&- >&- 2>&- || fail "the client has failed"
is_expected out
[ "$(grep -c '^culink$' old_lib64)" -eq 2 ] || fail "$(cat old_lib64)"

# Processes that have one descriptor left, too few to start another one.
rm old_lib64
run CUDA_HOME="$WORK/old" python3 -c 'import os, resource, sys
os.closerange(3, 100)
resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))
os.execv(sys.argv[1], sys.argv[1:])' "$client" "$jit" -arch=sm_90 -- "${steps[@]}" cubin:out
expect_contains said "complete -> 0"
expect_contains old_lib64 nvjitlink_clien
is_expected out

# Without the program culink the client's own process loads it, though culink's has its name there.
mkdir alone
cp "$(readlink -f "$jit")" alone/libnvJitLink.so.13
rm old_lib64
run LD_PRELOAD="$WORK/alone/libnvJitLink.so.13" CUDA_HOME="$WORK/old" "$client" \
  libnvJitLink.so.13 -arch=sm_90 -- "${steps[@]}" cubin:out
expect_contains old_lib64 nvjitlink_clien
is_expected out
run CULINK_SANDBOX=1 CUDA_HOME="$WORK/old" "$client" "$WORK/alone/libnvJitLink.so.13" -arch=sm_90 -- \
  "${steps[@]}"
expect_contains said "cannot start a worker"
