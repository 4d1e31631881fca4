#!/usr/bin/env bash
# The installed headers and libraries are enough to build a program that writes a cubin, one that
# reads it, one that links two objects in memory, and those that docs/library.md shows.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need cmake ninja c++
examples=$SOURCE/examples
build=${CULINK_BUILD:-$SOURCE/build/release}

cmake --install "$build" --prefix "$WORK/prefix" > install.log
[ -x prefix/bin/cubin ] || fail "no cubin among the installed programs"
[ -x prefix/bin/culink ] || fail "no culink among the installed programs"

cat > CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
find_package(culink REQUIRED)
add_executable(write_cubin $examples/write_cubin/write_cubin.cc)
target_link_libraries(write_cubin PRIVATE culink::elf)
add_executable(link_in_memory $examples/link_in_memory/link_in_memory.cc)
target_link_libraries(link_in_memory PRIVATE culink::api)
add_executable(read_cubin $examples/read_cubin/read_cubin.cc)
target_link_libraries(read_cubin PRIVATE culink::inspect)
CMAKE
# Every program in the document, by the name in its first line, with the library its header is in.
awk '/^```cpp$/ { inside = 1; file = ""; next } /^```$/ { inside = 0 }
     inside { if (!file) { file = $2; sub(/:$/, "", file) } print > file }' "$SOURCE/docs/library.md"
for part in link_two:api registers:inspect embed:elf kernels:culink; do
  name=${part%:*}
  cat >> CMakeLists.txt <<CMAKE
add_executable($name $name.cc)
target_link_libraries($name PRIVATE culink::${part#*:})
CMAKE
done
[ "$(grep -c '^```cpp$' "$SOURCE/docs/library.md")" = "$(find . -maxdepth 1 -name '*.cc' | wc -l)" ] ||
  fail "a program of docs/library.md has no name or is not built here"
cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH="$WORK/prefix" > configure.log
cmake --build out
out/write_cubin written.cubin
says 0 .text. -- "$CUBIN" dump --sections written.cubin
says 0 "written.cubin: linked for sm_90, CUDA 13.0, write_cubin" " answer" -- out/read_cubin written.cubin

# What was linked in memory is what the program links from files.
objects=$examples/vector_math/sm_90
says 0 "_Z6smoothPKfPfi: 36 registers, 1568 bytes of shared memory" -- \
  out/link_in_memory sm_90 "$objects/main.cubin" "$objects/filter.cubin" in_memory.cubin
"$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" -o from_files.cubin
expect_same in_memory.cubin from_files.cubin

# The reader says of it what the program does.
out/read_cubin in_memory.cubin > kernels
"$CUBIN" usage in_memory.cubin > usage
expect_contains kernels "in_memory.cubin: linked for sm_90, CUDA 13.0, culink"
for file in kernels usage; do
  grep -q '^ .* 36 .* 1568 .* 1280 .*_Z6smoothPKfPfi' $file || fail "$(cat $file)"
done
says 1 "read_cubin: CMakeLists.txt: ELF header" "read_cubin: none: " -- out/read_cubin CMakeLists.txt none

# The programs of the document: what one embeds, the next links in and the last reads.
out/embed CMakeLists.txt embedded_file table.cubin
"$CUBIN" verify table.cubin
out/link_two linked.cubin "$objects/main.cubin" "$objects/filter.cubin" table.cubin
says 0 embedded_file -- "$CUBIN" dump --symbols linked.cubin
says 0 "_Z6smoothPKfPfi: 36 registers" -- out/registers linked.cubin
says 0 "_Z6smoothPKfPfi: 36 registers" -- out/kernels sm_90 "$objects/main.cubin" "$objects/filter.cubin"

# A failure is told in messages, and there is no output.
says 1 "link_in_memory: error: duplicate symbol: smooth(float const*, float*, int)" -- \
  out/link_in_memory sm_90 "$objects/main.cubin" "$objects/main.cubin" none
[ ! -e none ] || fail "wrote an output"
