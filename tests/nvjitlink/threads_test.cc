// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threads_test CUBIN CUBIN OTHER: sixteen threads link at once, each with a handle of its own:
// links that succeed, that miss a symbol, and that are given a cubin of another target. Each gets
// what one thread alone gets. Meant for a build with -fsanitize=thread; there is no lock to hide
// behind. Nor may small links ask the allocator to give memory back: it stops all threads of the
// process for that.
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "driver/nvjitlink/abi.h"

namespace {

constexpr unsigned kThreads = 16;
constexpr unsigned kRounds = 12;
constexpr int kAny = 10;

std::atomic<unsigned> trims = 0;

std::vector<char> read_file(const char *path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Codes, logs and result of a link, as one text.
std::string outcome(const std::vector<const std::vector<char> *> &inputs) {
  std::string out;
  const auto note = [&out](int code) { out += std::to_string(code) + " "; };
  const char *options[] = {"-arch=sm_90", "-verbose"};
  nvJitLinkHandle handle = nullptr;
  note(nvJitLinkCreate(&handle, 2, options));
  for (const std::vector<char> *input : inputs)
    note(nvJitLinkAddData(handle, kAny, input->data(), input->size(), "input"));
  note(nvJitLinkComplete(handle));
  size_t size = 0;
  note(nvJitLinkGetErrorLogSize(handle, &size));
  std::string errors(size, ' ');
  note(nvJitLinkGetErrorLog(handle, errors.data()));
  note(nvJitLinkGetInfoLogSize(handle, &size));
  std::string infos(size, ' ');
  note(nvJitLinkGetInfoLog(handle, infos.data()));
  size = 0;
  note(nvJitLinkGetLinkedCubinSize(handle, &size));
  std::string cubin(size + 1, ' ');
  note(nvJitLinkGetLinkedCubin(handle, cubin.data()));
  note(nvJitLinkDestroy(&handle));
  return out + errors + infos + cubin;
}

} // namespace

// Instead of the C library's.
extern "C" int malloc_trim(size_t) {
  ++trims;
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  const std::vector<char> first = read_file(argv[1]), second = read_file(argv[2]),
                          other = read_file(argv[3]);
  const std::vector<std::vector<const std::vector<char> *>> links = {
      {&first, &second}, {&second, &first}, {&first}, {&first, &other, &second}, {}};
  std::vector<std::string> alone;
  alone.reserve(links.size());
  for (const auto &inputs : links)
    alone.push_back(outcome(inputs));
  if (alone[0].rfind("0 0 0 0 0 ", 0) != 0 || alone[2].find("Undefined") == std::string::npos)
    return 2;
  std::vector<unsigned> wrong(kThreads);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < kRounds; ++i) {
        const size_t which = (t + i) % links.size();
        wrong[t] += outcome(links[which]) != alone[which];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  unsigned all = 0;
  for (const unsigned count : wrong)
    all += count;
  std::printf("%u links, %u wrong, memory given back %u times\n", kThreads * kRounds, all,
              trims.load());
  return all == 0 && trims == 0 ? 0 : 1;
}
