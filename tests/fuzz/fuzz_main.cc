// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that libFuzzer calls, for the target that the program's name chooses.
#include <cstdio>
#include <cstdlib>

#include "custom_mutator.h"
#include "targets.h"

using namespace culink;

namespace {

const fuzz::TargetRow *chosen = nullptr; // libFuzzer's functions carry nothing

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***argv) {
  chosen = fuzz::target_of_program((*argv)[0]);
  if (!chosen) {
    std::fprintf(stderr, "%s: no fuzz target has this name\n", (*argv)[0]);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return chosen->run(data, size);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                                          unsigned int seed) {
  fuzz::Random random(seed);
  switch (chosen->mutation) {
  case fuzz::Mutation::Bytes:
    break;
  case fuzz::Mutation::File:
    return fuzz::mutate_input(data, size, max_size, random);
  case fuzz::Mutation::Files:
    return fuzz::mutate_link(data, size, max_size, random);
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t max_size, unsigned int seed) {
  fuzz::Random random(seed);
  switch (chosen->mutation) {
  case fuzz::Mutation::Bytes:
    break;
  case fuzz::Mutation::File:
    return fuzz::cross_inputs({data1, size1}, {data2, size2}, out, max_size, random);
  case fuzz::Mutation::Files:
    return fuzz::cross_links({data1, size1}, {data2, size2}, out, max_size, random);
  }
  return 0; // libFuzzer's own mutations cross inputs, too
}
