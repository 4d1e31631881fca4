// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/link_facts.h"
#include "link/merge/merge.h"
#include "link/place/place_images.h"
#include "link/records/info_records.h"

namespace culink {

// The facts of a link, for reports. Sections are as planned; the file may have more of them.
[[nodiscard]] LinkFacts collect_facts(const Program &program, const Layout &layout,
                                      const ImagePlan &images, const InfoResult &info);

} // namespace culink
