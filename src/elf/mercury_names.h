// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "elf/constants.h"

namespace culink::elf {

// Names of sections have three forms: that of machine code (.nv.constant3), that inside a link of
// Mercury code (.nv.constant.user), and that of the counterpart in a file with both
// (.nv.merc.nv.constant.user). Only constant banks differ between the first two. Tables of
// relocations go with what they are for: .rela.nv.constant3 is .rela.nv.constant.user.
[[nodiscard]] std::string mercury_link_name(std::string_view name);
[[nodiscard]] std::string mercury_counterpart_name(std::string_view name);

// Types of sections differ where readers of machine code must not take a Mercury table for theirs.
// `mercury_type` is the type of the counterpart, `mirrored_type` that of what a section is the
// counterpart of; types without such a pair are the same in both planes.
[[nodiscard]] SectionType mercury_type(SectionType type);
[[nodiscard]] SectionType mirrored_type(SectionType type);

} // namespace culink::elf
