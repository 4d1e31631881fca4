// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "arch/arch.h"
#include "base/mapped_file.h"
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
  [[nodiscard]] const arch::ArchInfo *choose_target();
  [[nodiscard]] std::optional<Dialect> choose_dialect();
  [[nodiscard]] std::vector<InputObject> load_objects(const arch::ArchInfo &target,
                                                      const Dialect &dialect);
  [[nodiscard]] std::optional<ByteSpan> read(const LinkInput &input);
  [[nodiscard]] LinkResult link_and_verify();
  void verify(LinkResult &result, bool unsound);

  const LinkRequest &request_;
  std::deque<MappedFile> files_;
  Diagnostics diag_;
};

} // namespace culink
