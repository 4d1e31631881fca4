// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A main for fuzz targets without libFuzzer: runs the target that the program's name chooses over
// files and folders of files. Every input lies in a buffer of its exact size, so that a sanitizer
// sees a read past its end. Each input is also cut short in a few places, which costs nothing and
// finds most missing length checks.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "targets.h"

namespace {

using culink::fuzz::Target;

namespace fs = std::filesystem;

std::vector<fs::path> inputs(int argc, char **argv) {
  std::vector<fs::path> out;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      out.emplace_back(argv[i]);
      continue;
    }
    for (const auto &entry : fs::directory_iterator(argv[i]))
      out.push_back(entry.path());
  }
  std::ranges::sort(out); // the order of a folder differs from machine to machine
  return out;
}

void run(Target *target, const std::vector<char> &input, size_t size) {
  const std::vector<uint8_t> exact(input.begin(), input.begin() + static_cast<long>(size));
  target(exact.data(), exact.size());
}

} // namespace

int main(int argc, char **argv) {
  const culink::fuzz::TargetRow *row = culink::fuzz::target_of_program(argv[0]);
  if (!row) {
    std::fprintf(stderr, "%s: no fuzz target has this name\n", argv[0]);
    return 2;
  }
  size_t files = 0;
  for (const fs::path &path : inputs(argc, argv)) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
      std::fprintf(stderr, "cannot read %s\n", path.c_str());
      return 1;
    }
    const std::vector<char> input((std::istreambuf_iterator<char>(stream)), {});
    constexpr size_t kCuts = 16;
    for (size_t cut = 0; cut <= kCuts; ++cut)
      run(row->run, input, input.size() * cut / kCuts);
    ++files;
  }
  std::printf("%zu inputs\n", files);
  if (files == 0)
    std::fprintf(stderr, "no inputs to replay\n");
  return files == 0 ? 1 : 0;
}
