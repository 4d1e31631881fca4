// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/sass_inputs.h"
#include "link/output/draft.h"

namespace culink {

// Gives constant banks the names of the SASS plane, and leaves the traces in the tables of names
// that nvlink's renaming leaves. All sections of the plan must have been added, and no others.
void rename_banks(const Program &mercury, const OutputPlan &plan, const SassInputs &inputs,
                  FileInProgress &file);

} // namespace culink
