// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "culink/link_facts.h"
#include "culink/link_options.h"
#include "elf/target/arch.h"
#include "link/mercury/sass_context.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"
#include "link/model/record_list.h"
#include "link/output/draft.h"
#include "support/step_timer.h"
#include "support/worker_pool.h"

namespace culink {

// The rules of a well-formed file that an output breaks because the emulated linker breaks them.
struct KnownFlaws {
  bool wrong_symbols = false;     // variables may lie outside their section
  bool null_symbol_value = false; // symbol 0 has a value
  bool overruns = false;          // relocations may reach beyond the end of their section
  bool misplaced_locals = false;  // local symbols are among the global ones
  bool lost_section = false;      // symbols of one section may be common ones
};

struct PlannedLink {
  std::optional<FileDraft> draft; // nothing: the program as a whole has errors
  LinkFacts facts;                // if the options ask for them
  KnownFlaws flaws;
};

// Reports conflicts among objects that will not be linked because other inputs are broken, so that
// one run reports all errors.
void find_conflicts(const LinkOptions &options, const Dialect &dialect, const arch::ArchInfo &arch,
                    const std::vector<InputObject> &objects, WorkerPool &pool, Diagnostics &diag);

// Runs all passes of a link except the last, write_image. Returns nothing if the link failed;
// `diag` has the errors. A result without a draft is a failed link, too, but has facts about the
// program. Planning needs much more memory than the plan, so the caller may act before it writes
// the file. `sass`: only for links of Mercury code; `objects` are then the Mercury planes.
// `inputs_released` is called when the tables of objects are freed and few bytes of the inputs are
// read until the file is written; it is not called for links of Mercury code.
[[nodiscard]] std::optional<PlannedLink>
plan_link(const LinkOptions &options, const Dialect &dialect, const arch::ArchInfo &arch,
          std::vector<InputObject> objects, const SassInputs *sass, WorkerPool &pool,
          const std::function<void()> &inputs_released, StepTimer &timer, Diagnostics &diag);

} // namespace culink
