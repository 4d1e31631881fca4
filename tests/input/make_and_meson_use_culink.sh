#!/usr/bin/env bash
# Plain make and Meson link with culink if they are told to use nvcc of the toolchain folder, as
# docs/culink.md says: its example for make, its example for Meson.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc make
"$CULINK" --make-toolchain "$WORK/cuda" > told

cat > part.cu << 'EOF'
__device__ __noinline__ int scale(int x) { return x * 3; }
EOF
cat > main.cu << 'EOF'
extern __device__ int scale(int);
__global__ void kernel(int *p) { *p = scale(*p); }
int main() { kernel<<<1, 1>>>(nullptr); }
EOF
# shown LANGUAGE: the first block of that language in the page.
shown() {
  sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$SOURCE/docs/culink.md" | sed '1d;$d'
}

shown make > Makefile
# Only culink writes a map.
make NVCC="$WORK/cuda/bin/nvcc -Xnvlink -Map=make.map" > make.log 2>&1 || fail "make: $(cat make.log)"
expect_contains make.map "scale(int)"
[ -x app ] || fail "make has made no program"

command -v meson > told || { echo "without Meson, which is not installed"; exit 0; }
shown meson > meson.build
shown ini | sed "s#DIR#$WORK/cuda#" > culink.ini
sed -i "s#link_args: \[#link_args: ['-Xnvlink', '-Map=$WORK/meson.map', #" meson.build
meson setup out --native-file culink.ini > meson.log 2>&1 || fail "meson: $(tail -20 meson.log)"
ninja -C out > ninja.log 2>&1 || fail "ninja: $(tail -20 ninja.log)"
expect_contains meson.map "scale(int)"
