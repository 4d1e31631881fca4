// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as PTX that an optimiser has written.
#include "compilers/lto/optimize.h"

#include "round_trip.h"
#include "support/bytes.h"
#include "targets.h"

using namespace culink;

int fuzz::ptx_fuzz(const u8 *data, size_t size) {
  const std::string_view text = as_text({data, size});
  size_t all = 0;
  for (const std::string &part : split_ptx(text))
    all += part.size();
  fuzz::require(all <= size + 1);
  for (const std::string &name : undefined_in(text).functions)
    fuzz::require(!name.empty() && text.find(name) != std::string_view::npos);
  static_cast<void>(with_target(std::string(text), "sm_90"));
  return 0;
}
