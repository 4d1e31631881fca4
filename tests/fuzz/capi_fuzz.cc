// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any sequence of calls of the C interface. The last bytes of an input are a program, read from the
// end, one call per byte: the low bits say which call, the high bits with which of two handles of
// each kind, and whether it is missing or of another kind. What is before them are the bytes that
// calls get, whole or in halves. A plain cubin is a valid input.
#include <algorithm>
#include <array>

#include "../robustness/c_interface.h"
#include "../robustness/link_laws.h"
#include "round_trip.h"
#include "targets.h"

using namespace culink;

namespace {

constexpr size_t kMostCalls = 24;
constexpr std::array<const char *, 12> kWords = {"-r",
                                                 "-g",
                                                 "--preserve-relocs",
                                                 "--emulate=nvlink-13.0.88",
                                                 "--kernels-used=k",
                                                 "--check",
                                                 "--code=sass",
                                                 "-Werror",
                                                 "-lnone",
                                                 "--dialect=13.2",
                                                 "-arch",
                                                 "a.cubin"};

struct Handles {
  std::array<culink_link *, 2> links{};
  std::array<culink_result *, 2> results{};
  std::array<culink_cubin *, 2> cubins{};
};

class Caller {
public:
  explicit Caller(ByteSpan data) : data_(data), arch_("-arch=" + robustness::target_of(data)) {}
  Caller(const Caller &) = delete;
  Caller &operator=(const Caller &) = delete;
  ~Caller() {
    for (size_t i = 0; i < 2; ++i) {
      culink_link_destroy(handles_.links[i]);
      culink_result_destroy(handles_.results[i]);
      culink_cubin_destroy(handles_.cubins[i]);
    }
  }

  void call(u8 code) {
    const u8 which = code >> 7;
    culink_link *&link = handles_.links[which];
    switch (code & 15) {
    case 0:
      culink_link_destroy(link);
      fuzz::require(culink_link_create(&link) == CULINK_OK);
      culink_link_add_option(link, arch_.c_str());
      break;
    case 1:
    case 2: {
      const char *word = kWords[(code >> 4) % kWords.size()];
      const culink_status status = culink_link_add_option(link, word);
      fuzz::require(link || status == CULINK_INVALID_ARGUMENT);
      break;
    }
    case 3:
    case 4:
    case 5:
      culink_link_add_bytes(link, "bytes", part(code).data(), part(code).size());
      break;
    case 6:
      culink_link_add_copy(link, "copy", part(code).data(), part(code).size());
      break;
    case 7:
      culink_link_cancel(link);
      break;
    case 8:
      open(code, handles_.cubins[which]);
      break;
    case 9: // a handle of another kind
      fuzz::require(culink_link_cancel(reinterpret_cast<culink_link *>(handles_.results[which])) ==
                    CULINK_INVALID_ARGUMENT);
      fuzz::require(culink_cubin_section_count(
                        reinterpret_cast<const culink_cubin *>(handles_.links[which])) == 0);
      break;
    case 10:
      culink_link_destroy(link);
      link = nullptr;
      break;
    case 11:
      culink_link_set_tool(link, "ptxas", "/none");
      break;
    default:
      run(link, handles_.results[which]);
      break;
    }
  }

private:
  [[nodiscard]] ByteSpan part(u8 code) const {
    const size_t half = data_.size() / 2;
    return (code & 0x40) == 0   ? data_
           : (code & 0x20) == 0 ? data_.first(half)
                                : data_.subspan(half);
  }

  void open(u8 code, culink_cubin *&cubin) {
    culink_cubin_destroy(cubin);
    if (culink_cubin_open_bytes(&cubin, nullptr, part(code).data(), part(code).size()) == CULINK_OK)
      fuzz::require(robustness::read_all(cubin).empty());
  }

  void run(culink_link *link, culink_result *&result) {
    if (runs_++ == 4) // a link takes longer than all other calls
      return;
    culink_result_destroy(result);
    const culink_status status = culink_link_run(link, &result);
    fuzz::require(link ? robustness::read_all(result, status).empty()
                       : status == CULINK_INVALID_ARGUMENT);
  }

  ByteSpan data_;
  std::string arch_;
  Handles handles_;
  u32 runs_ = 0;
};

} // namespace

int fuzz::capi_fuzz(const u8 *data, size_t size) {
  const ByteSpan input(data, size);
  const size_t calls = std::min(kMostCalls, size / 2);
  Caller caller(input);
  caller.call(0);
  caller.call(3);
  caller.call(8);
  caller.call(15);
  for (size_t i = 0; i < calls; ++i)
    caller.call(data[size - 1 - i]);
  return 0;
}
