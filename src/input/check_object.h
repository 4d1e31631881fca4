// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "base/result.h"
#include "model/input_object.h"

namespace culink {

// What the passes rely on beyond valid indices: that symbols lie where their kind belongs, that
// sections are what their names say where it matters, that sizes and alignments can be added up,
// and that no code would be left out without a word. The first violation, by section and field.
[[nodiscard]] std::optional<Error> check_object(const InputObject &object);

} // namespace culink
