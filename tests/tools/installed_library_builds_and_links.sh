#!/usr/bin/env bash
# The installed headers and libraries are enough to build a program that writes a cubin, and one
# that links two objects in memory.
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
CMAKE
cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH="$WORK/prefix" > configure.log
cmake --build out
out/write_cubin written.cubin
"$CUBIN" dump --sections written.cubin > sections.txt
expect_contains sections.txt .text.

# What was linked in memory is what the program links from files.
objects=$examples/vector_math/sm_90
out/link_in_memory sm_90 "$objects/main.cubin" "$objects/filter.cubin" in_memory.cubin > kernels
expect_contains kernels "_Z6smoothPKfPfi: 36 registers, 1568 bytes of shared memory"
"$CULINK" -arch=sm_90 "$objects/main.cubin" "$objects/filter.cubin" -o from_files.cubin
expect_same in_memory.cubin from_files.cubin

# A failure is told in messages, and there is no output.
expect_status 1 out/link_in_memory sm_90 "$objects/main.cubin" "$objects/main.cubin" none 2> errors
expect_contains errors "link_in_memory: error: duplicate symbol: smooth(const float *, float *, int)"
[ ! -e none ] || fail "wrote an output"
