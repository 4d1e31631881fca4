// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker is this list of passes. Each reads what earlier ones returned and returns something
// new; the lines marked -- say what holds from there on.
#include "link/link.h"

#include "link/merge/merge.h"
#include "link/place/place_constants.h"
#include "link/place/place_shared.h"
#include "link/place/place_user_constants.h"
#include "link/records/collect_facts.h"
#include "link/records/info_records.h"
#include "link/records/synthesize.h"
#include "link/relocs/classify_relocs.h"
#include "link/resolve/call_graph.h"
#include "link/resolve/check_undefined.h"
#include "link/resolve/reach.h"
#include "link/resolve/resolve.h"

namespace culink {

namespace {

// A draft takes as much memory as the objects do. It gets theirs, in large pages as it is: given
// back to the system, it would come again in small ones.
void forget_tables(std::vector<InputObject> &objects, const DropInputs &drop_inputs) {
  for (InputObject &object : objects)
    object.forget_tables();
  drop_inputs();
}

} // namespace

void find_conflicts(const std::vector<InputObject> &objects, Diagnostics &diag) {
  const Resolution symbols = resolve_symbols(objects, diag);
  (void)build_call_graph(objects, symbols, diag);
}

std::optional<PlannedLink> plan_link(const LinkOptions &options, const Dialect &dialect,
                                     const arch::ArchInfo &arch, std::vector<InputObject> objects,
                                     const MachineHalves *machine, WorkerPool &pool,
                                     const DropInputs &drop, StepTimer &timer, Diagnostics &diag) {
  timer.begin("resolve");
  const Resolution symbols = resolve_symbols(objects, diag);
  if (diag.failed())
    return {};
  // -- The prevailing of every name is fixed.

  timer.begin("call graph");
  const CallGraph calls = build_call_graph(objects, symbols, diag);
  const LiveSet live = mark_live(symbols, calls, options);
  const LinkPolicy policy = make_link_policy(options, dialect);
  const Program program{objects, symbols, calls, live, options, arch, dialect, policy};
  if (diag.failed() || !check_habits(program, diag))
    return {};
  check_undefined(program, diag);
  // -- What the output is made of is fixed.

  timer.begin("reach");
  const Reach reach(calls, live);
  timer.begin("merge");
  Layout layout = merge_inputs(program);
  PlacedImages images = place_images(program, reach, std::move(layout));
  timer.begin("place shared");
  PlacedShared shared = place_shared(program, reach, std::move(images.layout), diag);
  timer.begin("place constants");
  layout = place_constants(program, reach, std::move(shared.layout));
  layout = place_user_constants(program, std::move(layout), diag);
  const bool unsound = layout.placement.unsound;
  // -- Every output section exists, and every variable has its place.

  timer.begin("info records");
  InfoResult info = plan_info_records(program, reach, layout, diag);
  LinkFacts facts;
  if (options.facts)
    facts = collect_facts(program, layout, images.images, info);
  if (diag.failed())
    return PlannedLink{{}, std::move(facts), unsound};
  // -- The program is sound.

  timer.begin("relocations"); // before the layout, because those that are kept have a size
  RelocationPlan relocations =
      classify_relocations(program, layout, shared.shared, images.images, pool, diag);
  timer.begin("synthesize");
  const Synthetic synthetic = synthesize_sections(program);
  if (diag.failed())
    return {};
  // -- The size of every section is known.

  timer.begin("draft");
  if (!machine) // whose passes look at objects again
    forget_tables(objects, drop);
  std::optional<FileDraft> draft =
      draft_file(program,
                 {std::move(layout), std::move(relocations), std::move(info.plan), shared.shared,
                  images.images, synthetic},
                 machine, pool, diag);
  if (diag.failed() || !draft)
    return {};
  // -- Every number and offset is known; the draft needs nothing of the above any more.

  timer.begin("free");
  return PlannedLink{std::move(draft), std::move(facts), unsound};
}

} // namespace culink
