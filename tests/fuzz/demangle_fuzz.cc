// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as the name of a symbol: both demanglers end, and none makes a book of a short name.
#include "support/demangle.h"

#include "driver/options/nvlink_name.h"
#include "round_trip.h"
#include "support/bytes.h"
#include "targets.h"

using namespace culink;

int fuzz::demangle_fuzz(const u8 *data, size_t size) {
  constexpr size_t kLongest = 1 << 20;
  const std::string_view name = as_text({data, size});
  fuzz::require(name.ends_with(without_file(name)));
  fuzz::require(demangle(name).size() <= kLongest + size);
  fuzz::require(nvlink_name(name).size() <= kLongest + size);
  static_cast<void>(plain_name(name));
  fuzz::require(is_called(name, name));
  return 0;
}
