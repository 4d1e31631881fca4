// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "compilers/cache/cache.h"
#include "compilers/finalize/finalize.h"
#include "culink/linker.h"
#include "driver/api/check_job.h"
#include "driver/api/input_loader.h"
#include "elf/target/arch.h"
#include "link/link.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "support/mapped_file.h"
#include "support/step_timer.h"
#include "verify/file/verify.h"

namespace culink {

// One link from request to result.
class LinkJob {
public:
  LinkJob(const LinkRequest &request, const FileSource &files)
      : request_(request), files_(files), cache_(request.cache),
        timer_(request.options.times, request.progress) {}
  LinkJob(const LinkJob &) = delete;
  LinkJob &operator=(const LinkJob &) = delete;

  [[nodiscard]] LinkResult run();
  [[nodiscard]] LinkResult list_modules();

private:
  [[nodiscard]] const arch::ArchInfo *choose_target();
  [[nodiscard]] u32 choose_threads(u64 code_size) const;
  [[nodiscard]] LinkResult link_and_verify();
  [[nodiscard]] bool optimise_all(InputLoader &loader);
  [[nodiscard]] LinkResult give_out_optimised(InputLoader &loader);
  [[nodiscard]] std::optional<PlannedLink> plan(OutputCode code, const arch::ArchInfo &target,
                                                std::vector<InputObject> objects, WorkerPool &pool);
  [[nodiscard]] bool make_image(PlannedLink planned, LinkResult &result, WorkerPool &pool);
  void write(FileDraft draft, WorkerPool &pool);
  void report_copied(const Finding &finding);
  [[nodiscard]] bool is_within_limit(u64 image_size);
  void verify(LinkResult &result, const KnownFlaws &flaws, WorkerPool &pool);
  void check(const std::vector<LinkedCode> &linked, bool finalized, WorkerPool &pool);
  [[nodiscard]] std::vector<Diagnostic> blame_inputs() const;

  const LinkRequest &request_;
  const FileSource &files_;
  Cache cache_;
  const Dialect *dialect_ = nullptr;
  std::optional<InputLoader> loader_; // owns the bytes that objects and messages refer to
  std::optional<WorkerPool> workers_; // while there is a loader
  std::optional<Finalizer> finalizer_;
  CompilerClock finalizing_;
  StepTimer timer_;
  Diagnostics diag_;
  ByteBuffer image_;
};

} // namespace culink
