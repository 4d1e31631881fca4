// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links in memory, of one or two files (link_input.h), by the laws that every link keeps to. The
// checker compares every output with its inputs, unless a release of nvlink is imitated, whose
// defects it would find. With CULINK_FUZZ_STRICT in the environment it has to agree, too.
#include "culink/linker.h"

#include <cstdio>

#include "../robustness/link_laws.h"
#include "link_input.h"
#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::link_fuzz(const u8 *data, size_t size) {
  const fuzz::SplitInput input = fuzz::split_input({data, size});
  LinkRequest request;
  request.target = robustness::target_of(input.first);
  if (request.target.empty())
    return 0;
  robustness::choose_options(input.options, request);
  if (input.options / robustness::kOptionSetCount % 2 != 0)
    request.options.code = OutputCode::Mercury;
  request.options.check = request.emulate.empty();
  request.options.threads = 1;
  request.inputs = {LinkInput::memory("first", input.first)};
  if (!input.second.empty())
    request.inputs.push_back(LinkInput::memory("second", input.second));
  const LinkResult result = link(request);
  static const bool strict = std::getenv("CULINK_FUZZ_STRICT") != nullptr;
  if (!strict && robustness::is_disputed(result))
    return 0;
  if (const std::string law = robustness::broken_law(request, result); !law.empty()) {
    std::fprintf(stderr, "%s\n", law.c_str());
    fuzz::require(false);
  }
  return 0;
}
