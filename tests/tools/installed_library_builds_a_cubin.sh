#!/usr/bin/env bash
# The installed headers and libraries are enough to build a program that writes a cubin.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need cmake ninja c++
example=$SOURCE/examples/write_cubin/write_cubin.cc
build=${CULINK_BUILD:-$SOURCE/build/release}

cmake --install "$build" --prefix "$WORK/prefix" > install.log
[ -x prefix/bin/cubin ] || fail "no cubin among the installed programs"

cat > CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(consumer CXX)
find_package(culink REQUIRED)
add_executable(write_cubin $example)
target_link_libraries(write_cubin PRIVATE culink::elf)
CMAKE
cmake -G Ninja -S . -B out -DCMAKE_PREFIX_PATH="$WORK/prefix" > configure.log
cmake --build out
out/write_cubin written.cubin
"$CUBIN" dump --sections written.cubin > sections.txt
expect_contains sections.txt .text.
