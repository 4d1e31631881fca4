// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "arch/arch.h"
#include "model/finalized.h"
#include "model/input_object.h"

namespace culink {

// The SASS plane of a link whose objects have Mercury code, too.
struct SassInputs {
  std::vector<InputObject> objects; // as they were read; the Mercury planes have their numbers
  const arch::ArchInfo &arch;       // the target, as its table row has it
  FinalizeObjects finalizer;        // none: the code stays as it was compiled
};

} // namespace culink
