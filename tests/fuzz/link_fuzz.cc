// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeds: cubins.
//
// Links in memory. An input is a device object, alone or with a second one: the last byte chooses
// the options, and the eight bytes before it, if they hold a size that fits, say where the second
// object starts. A plain cubin is a valid input, too.
#include "culink/linker.h"

#include "../robustness/link_laws.h"
#include "base/bytes.h"
#include "round_trip.h"

using namespace culink;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ByteSpan input(data, size);
  LinkRequest request;
  request.target = robustness::target_of(input);
  if (request.target.empty())
    return 0;
  robustness::choose_options(input.back(), request);
  constexpr size_t kTail = 9;
  const u64 split = size > kTail ? load_le<u64>(data + size - kTail) : 0;
  if (split != 0 && split < size - kTail) {
    request.inputs = {LinkInput::memory("first", input.first(split)),
                      LinkInput::memory("second", input.subspan(split, size - kTail - split))};
  } else {
    request.inputs = {LinkInput::memory("first", input)};
  }
  const LinkResult result = link(request);
  fuzz::require(robustness::broken_law(request, result).empty());
  return 0;
}
