// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "culink/linker.h"
#include "driver/options/command_line.h"
#include "elf/target/arch.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"

namespace culink {

// culink's own way: no defects, its own name in the tool note.
[[nodiscard]] const Dialect &own_dialect();

// nvlink 13.0.88 to the last byte, known defects included.
[[nodiscard]] const Dialect &nvlink_13_0_88();

// How files of the newest release look that is not newer than `toolkit`, times ten; of the oldest
// one if all are newer.
[[nodiscard]] const Release &find_release(u32 toolkit);

// The row of that name; null if there is none. The empty name is culink's own.
[[nodiscard]] const Dialect *find_dialect(std::string_view name);

// The row that a request asks for; null after a message if there is none.
[[nodiscard]] const Dialect *choose_dialect(const LinkRequest &request, Diagnostics &diag);

// The row for a link whose newest object is of `toolkit`: culink's own files look like those of
// that release, unless the name of another one was chosen; nvlink's like those of its own.
[[nodiscard]] Dialect dialect_for(const Dialect &row, std::string_view chosen, u32 toolkit,
                                  const arch::ArchInfo &target);

// The row that a command line asks for; culink's own if there is none, which the link reports.
[[nodiscard]] const Dialect &dialect_of(const CommandLine &line);

} // namespace culink
