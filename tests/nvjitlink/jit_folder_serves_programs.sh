#!/usr/bin/env bash
# culink --make-jit-folder makes a folder through which programs get culink as libnvJitLink: by
# LD_LIBRARY_PATH, by LD_PRELOAD, under the names of every release. It replaces nothing that is not its own.
. "${BASH_SOURCE%/*}/../common.inc.sh"
client=${CULINK_BUILD:-$SOURCE/build/release}/bin/nvjitlink_client
example=$SOURCE/examples/vector_math/sm_90
steps=("file:cubin:$example/main.cubin" "file:cubin:$example/filter.cubin" complete)

"$CULINK" --make-jit-folder jit > told
expect_contains told "LD_LIBRARY_PATH=$WORK/jit" "LD_PRELOAD=$WORK/jit/libnvJitLink.so.13"
"$CULINK" --make-jit-folder jit > told # and again
[ "$(readlink jit/libnvJitLink.so)" = libnvJitLink.so.13 ] || fail "no link for -lnvJitLink"

# By name: the loader finds it in the folder, or has it already.
export CULINK_JIT_LOG=$WORK/log
LD_LIBRARY_PATH=$WORK/jit "$client" libnvJitLink.so.13 -arch=sm_90 -- version "${steps[@]}" cubin:one > got
expect_contains got "version -> 0 13.5" "complete -> 0" "cubin -> 0"
LD_PRELOAD=$WORK/jit/libnvJitLink.so.12 "$client" libnvJitLink.so.12 -arch=sm_90 -- version "${steps[@]}" \
  cubin:two > got
expect_contains got "version -> 0 12.9" "complete -> 0"
expect_same one two
"$CULINK" -arch=sm_90 --keep-system-libraries --ignore-host-info "$example"/{main,filter}.cubin -o three
"$CUBIN" diff --details one three > differences || true
expect_lacks differences ".text" "symbol"
[ "$(wc -l < log)" -eq 2 ] || fail "not one line per link: $(cat log)"
expect_contains log "arch=sm_90 inputs=2" "nvJitLink 13.5" "code=0"

# Every release's names.
for release in 13_{0..5} 12_{0..9}; do
  "$client" "jit/libnvJitLink.so.${release%_*}" "-suffix=_$release" -arch=sm_90 -- "${steps[@]}" > got
  expect_contains got "complete -> 0"
done

# CUDA 12 has no codes from 10 on.
code() { "$client" "$@" -- > got || true; grep -o 'create -> [0-9]*' got; }
for case in "-arch=compute_90 11 3" "-arch=sm_999 16 6" "-arch=sm_12 17 6"; do
  read -r option new old <<< "$case"
  [ "$(code jit/libnvJitLink.so.13 "$option")" = "create -> $new" ] || fail "$option: $(cat got)"
  [ "$(code jit/libnvJitLink.so.12 "$option")" = "create -> $old" ] || fail "$option: $(cat got)"
done

# What is not culink's stays: files, and links to other libraries.
mkdir occupied toolkit
echo library > occupied/libnvJitLink.so.13
expect_status 1 "$CULINK" --make-jit-folder occupied 2> error
expect_contains error "libnvJitLink.so.13: is in the way"
[ "$(cat occupied/libnvJitLink.so.13)" = library ] || fail "a file was replaced"
echo library > toolkit/libnvJitLink.so.13.0.88
ln -s libnvJitLink.so.13.0.88 toolkit/libnvJitLink.so.13
expect_status 1 "$CULINK" --make-jit-folder toolkit 2> error
[ "$(cat toolkit/libnvJitLink.so.13)" = library ] || fail "a link was replaced"
expect_status 1 "$CULINK" --make-jit-folder /proc/none 2> error
expect_contains error "cannot make /proc/none"
