// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "culink/linker.h"
#include "driver/options/command_line.h"
#include "elf/target/arch.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"

namespace culink {

// culink's own row: no defects, its own name in the tool note.
[[nodiscard]] const Dialect &own_dialect();

// The row of nvlink 13.0.88 with byte-identical output, including known defects.
[[nodiscard]] const Dialect &nvlink_13_0_88();

// The look of files of the newest release that is not newer than `toolkit`, times ten; of the
// oldest release if all are newer.
[[nodiscard]] const Release &find_release(u32 toolkit);

// The row of that name; null if there is none. The empty name is culink's own.
[[nodiscard]] const Dialect *find_dialect(std::string_view name);

// The row that a request selects; null after a message if it does not exist.
[[nodiscard]] const Dialect *choose_dialect(const LinkRequest &request, Diagnostics &diag);

// The row for a link with a newest object of `toolkit`. culink's own files look like files of that
// release, except if a release was chosen by name. nvlink's files look like its own release.
[[nodiscard]] Dialect dialect_for(const Dialect &row, std::string_view chosen, u32 toolkit,
                                  const arch::ArchInfo &target);

// The row that a command line selects; culink's own if it does not exist, which the link reports.
[[nodiscard]] const Dialect &dialect_of(const CommandLine &line);

} // namespace culink
