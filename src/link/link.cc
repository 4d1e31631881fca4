// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker is this list of passes. Each reads what earlier ones returned and returns something
// new; the lines marked -- say what holds from there on.
#include "link/link.h"

#include "link/call_graph.h"
#include "link/check_undefined.h"
#include "link/classify_relocs.h"
#include "link/collect_facts.h"
#include "link/info_records.h"
#include "link/merge.h"
#include "link/place_constants.h"
#include "link/place_shared.h"
#include "link/place_user_constants.h"
#include "link/reach.h"
#include "link/resolve.h"
#include "link/synthesize.h"
#include "link/write.h"

namespace culink {

std::optional<LinkedImage> link(const LinkOptions &options, const Dialect &dialect,
                                const arch::ArchInfo &arch, std::vector<InputObject> objects,
                                WorkerPool &pool, Diagnostics &diag) {
  const Resolution symbols = resolve_symbols(objects, diag);
  if (diag.failed())
    return {};
  // -- The winner of every name is fixed.

  const CallGraph calls = build_call_graph(objects, symbols, diag);
  const LiveSet live = mark_live(symbols, calls, options);
  const Program program{objects, symbols, calls, live, options, arch, dialect};
  check_undefined(program, diag);
  if (diag.failed())
    return {};
  // -- What the output is made of is fixed.

  const Reach reach(calls, live);
  Merged merged = merge_inputs(program);
  const SharedPlan shared = place_shared(program, reach, merged, diag);
  const ConstantPlan constants = place_constants(program, reach, merged);
  place_user_constants(program, merged, diag);
  // -- Every output section exists, and every variable has its place.

  const InfoResult info = plan_info_records(program, reach, merged, diag);
  // Before the layout, because relocations that are kept have a size.
  const RelocationPlan relocations =
      classify_relocations(program, merged, shared, constants, pool, diag);
  const Synthetic synthetic = synthesize_sections(program);
  if (diag.failed())
    return {};
  // -- The size of every section is known.

  ByteBuffer bytes = write_image(
      program, {merged, shared, constants, relocations, info.plan, synthetic}, pool, diag);
  if (diag.failed())
    return {};
  LinkedImage image{std::move(bytes), {}, merged.unsound};
  if (options.facts)
    image.facts = collect_facts(program, merged, constants, info);
  return image;
}

} // namespace culink
