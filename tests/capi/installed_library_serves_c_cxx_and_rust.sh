#!/usr/bin/env bash
# The installed C interface serves programs in C99, C++17 and Rust, built with CMake and with
# pkg-config, against the shared library and against the archives, on a machine that has neither fmt
# nor yaml-cpp for its developers.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need cmake ninja cc c++ pkg-config
build=${CULINK_BUILD:-$SOURCE/build/release}
[ -e "$build/lib/libculink.so" ] || skip "no shared library in this build"
objects=$SOURCE/examples/vector_math/sm_90
cmake --install "$build" --prefix "$WORK/prefix" > install.log
"$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" -o expected.cubin

# The programs of the document in C, by the names in their first lines, and the example.
awk '/^```c$/ { inside = 1; file = ""; next } /^```$/ { inside = 0 }
     inside { if (!file) { file = $2; sub(/:$/, "", file) } print > file }' "$SOURCE/docs/library.md"
awk '/^```cpp$/ { inside = 1; file = ""; next } /^```$/ { inside = 0 }
     inside { if (!file) { file = $2; sub(/:$/, "", file) }
              if (file == "kernels.cc") print > file }' "$SOURCE/docs/library.md"
cp "$SOURCE/examples/link_in_c/link_in_c.c" .
[ "$(grep -c '^```c$' "$SOURCE/docs/library.md")" = 1 ] || fail "another program in C is not built here"

cat > CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
set(CMAKE_C_STANDARD 99)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_C_EXTENSIONS OFF)
find_package(culink REQUIRED)
add_compile_options(-Wall -Wextra -pedantic -Werror)
foreach(library culink culink_static)
  add_executable(link_files_${library} link_files.c)
  add_executable(link_in_c_${library} link_in_c.c)
  target_link_libraries(link_files_${library} PRIVATE culink::${library})
  target_link_libraries(link_in_c_${library} PRIVATE culink::${library})
endforeach()
add_executable(kernels kernels.cc)
target_link_libraries(kernels PRIVATE culink::culink)
CMAKE
cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH="$WORK/prefix" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON > configure.log
cmake --build out

# check_linker PROGRAM: links what the program culink does, and says what is missing.
check_linker() {
  "$1" linked.cubin -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" > said 2>&1
  expect_same linked.cubin expected.cubin
  rm linked.cubin
  expect_status 1 "$1" none -arch=sm_90 "$objects/main.cubin" > said 2>&1
  expect_contains said "undefined"
  [ ! -e none ] || fail "wrote an output"
}
for program in link_files link_in_c; do
  check_linker out/${program}_culink
  check_linker out/${program}_culink_static
done
out/link_in_c_culink linked.cubin -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" \
  > kernels 2> steps
expect_contains kernels "_Z6smoothPKfPfi: 36 registers, 1568 bytes of shared memory"
expect_contains steps "2 of 2 files read"
expect_status 1 out/link_in_c_culink none --no-such 2> errors
expect_contains errors "--no-such"
out/kernels sm_90 "$objects/main.cubin" "$objects/filter.cubin" > kernels
expect_contains kernels "_Z6smoothPKfPfi: 36 registers"
readelf -d out/link_files_culink > needed
expect_contains needed "libculink.so.0"
expect_lacks needed libfmt libyaml libzstd
readelf -d out/link_files_culink_static > needed
expect_lacks needed libculink libfmt libyaml

# The same with pkg-config; the folder of the libraries is where it was installed.
PKG_CONFIG_PATH=$WORK/$(dirname "$(find prefix -name culink.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(pkg-config --variable=libdir culink)
export LD_LIBRARY_PATH
# shellcheck disable=SC2046  # several words
{
  cc -std=c99 link_files.c -o shared_program $(pkg-config --cflags --libs culink)
  cc -std=c99 link_files.c -o static_program $(pkg-config --cflags --libs culink-static)
  c++ -std=c++17 kernels.cc -o kernels_program $(pkg-config --cflags --libs culink)
}
check_linker ./shared_program
check_linker ./static_program
./kernels_program sm_90 "$objects/main.cubin" "$objects/filter.cubin" > kernels
expect_contains kernels "_Z6smoothPKfPfi: 36 registers"

command -v rustc > /dev/null || exit 0
cat > linker.rs <<'RUST'
// Declarations as bindgen would write them.
use std::ffi::{c_char, c_void, CString};
#[link(name = "culink")]
extern "C" {
    fn culink_link_create(link: *mut *mut c_void) -> i32;
    fn culink_link_add_option(link: *mut c_void, word: *const c_char) -> i32;
    fn culink_link_add_file(link: *mut c_void, path: *const c_char) -> i32;
    fn culink_link_run(link: *mut c_void, result: *mut *mut c_void) -> i32;
    fn culink_link_destroy(link: *mut c_void);
    fn culink_result_bytes(result: *const c_void, size: *mut usize) -> *const u8;
    fn culink_result_destroy(result: *mut c_void);
}
fn main() {
    let words: Vec<String> = std::env::args().collect();
    let mut link = std::ptr::null_mut();
    let mut result = std::ptr::null_mut();
    let mut size = 0usize;
    unsafe {
        assert_eq!(culink_link_create(&mut link), 0);
        let arch = CString::new("-arch=sm_90").unwrap();
        assert_eq!(culink_link_add_option(link, arch.as_ptr()), 0);
        for file in &words[2..] {
            let path = CString::new(file.as_str()).unwrap();
            assert_eq!(culink_link_add_file(link, path.as_ptr()), 0);
        }
        assert_eq!(culink_link_run(link, &mut result), 0);
        let bytes = culink_result_bytes(result, &mut size);
        std::fs::write(&words[1], std::slice::from_raw_parts(bytes, size)).unwrap();
        culink_result_destroy(result);
        culink_link_destroy(link);
    }
}
RUST
rustc -L "$LD_LIBRARY_PATH" linker.rs -o rust_program 2> rust.log || skip "rustc cannot build here"
./rust_program linked.cubin "$objects/main.cubin" "$objects/filter.cubin"
expect_same linked.cubin expected.cubin
