// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/output/draft.h"

namespace culink {

// The records with the numbers of symbols stored.
[[nodiscard]] RecordList store_numbers(RecordList records, const OutputSymbols &symbols,
                                       const FileInProgress &file);
[[nodiscard]] InfoPlan store_numbers(InfoPlan info, const FileInProgress &file, WorkerPool &pool);

} // namespace culink
