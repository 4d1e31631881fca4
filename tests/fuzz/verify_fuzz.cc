// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The verifier, over anything a tolerant view lets through. Findings have a known rule and a text.
#include "verify/file/verify.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::verify_fuzz(const u8 *data, size_t size) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant({data, size});
  if (!view)
    return 0;
  for (const Finding &finding : verify_device_elf(*view)) {
    fuzz::require(!rule_id(finding.rule).empty());
    fuzz::require(!finding.what.message.empty());
  }
  return 0;
}
