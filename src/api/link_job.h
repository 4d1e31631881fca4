// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "arch/arch.h"
#include "base/mapped_file.h"
#include "base/worker_pool.h"
#include "culink/linker.h"
#include "model/diagnostics.h"
#include "model/dialect.h"
#include "model/input_object.h"

namespace culink {

// One link from request to result. Owns what the passes borrow: the mapped files.
class LinkJob {
public:
  explicit LinkJob(const LinkRequest &request) : request_(request) {}

  [[nodiscard]] LinkResult run();

private:
  struct Loaded {
    std::optional<ByteSpan> bytes;
    std::optional<InputObject> object;
    Diagnostics diag;
  };

  [[nodiscard]] const arch::ArchInfo *choose_target();
  [[nodiscard]] std::optional<Dialect> choose_dialect();
  [[nodiscard]] std::vector<Loaded> map_inputs();
  [[nodiscard]] u32 choose_threads(const std::vector<Loaded> &inputs) const;
  [[nodiscard]] std::vector<InputObject> load_objects(const arch::ArchInfo &target,
                                                      const Dialect &dialect,
                                                      std::vector<Loaded> inputs, WorkerPool &pool);
  [[nodiscard]] LinkResult link_and_verify();
  void verify(LinkResult &result, bool unsound);
  [[nodiscard]] std::vector<Diagnostic> blame_inputs() const;

  const LinkRequest &request_;
  std::deque<MappedFile> files_;
  std::vector<LinkInput> read_; // the inputs that could be read, with their bytes
  Diagnostics diag_;
};

} // namespace culink
