// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker is this list of passes, from validated objects to a FileDraft. A pass reads the
// results of earlier passes as const and returns a new result; only a Layout is passed on by value.
// A comment before a pass gives the reason for its position.
#include "link/link.h"

#include <functional>

#include "link/mercury/lay_out.h"
#include "link/mercury/plan_sass.h"
#include "link/merge/merge.h"
#include "link/nvlink/emulated_errors.h"
#include "link/place/check_limits.h"
#include "link/place/place_constants.h"
#include "link/place/place_images.h"
#include "link/place/place_shared.h"
#include "link/records/collect_facts.h"
#include "link/records/info_records.h"
#include "link/records/synthesize.h"
#include "link/relocs/classify_relocs.h"
#include "link/resolve/call_graph.h"
#include "link/resolve/check_undefined.h"
#include "link/resolve/fold_identical.h"
#include "link/resolve/reach.h"
#include "link/resolve/resolve.h"

namespace culink {

namespace {

// Inputs of the passes after liveness, beside the program.
struct LinkServices {
  const SassInputs *sass;
  WorkerPool &pool;
  StepTimer &timer;
  const std::function<void()> &release_inputs;
};

KnownFlaws known_flaws(const Program &program, const Layout &layout) {
  return {layout.placement.wrong_symbols, layout.placement.null_symbol_value != 0,
          program.policy.accepts_overruns, program.policy.misplaces_locals,
          program.policy.loses_section_fff2};
}

// The call graph of a program, and its live functions.
struct Called {
  Resolution symbols;
  CallGraph calls;
  LiveSet live;
};

Called find_called(const std::vector<InputObject> &objects, const SassInputs *sass,
                   Resolution symbols, const LinkOptions &options, const LinkPolicy &policy,
                   WorkerPool &pool, Diagnostics &diag) {
  CallGraph calls = build_call_graph(objects, symbols, policy, pool, diag);
  LiveSet live = mark_live(symbols, calls, options, policy);
  if (!policy.folds_identical || diag.failed())
    return {std::move(symbols), std::move(calls), std::move(live)};
  symbols = fold_identical(objects, sass ? &sass->objects : nullptr, std::move(symbols), calls,
                           live, pool);
  Diagnostics known; // which have been reported
  calls = build_call_graph(objects, symbols, policy, pool, known);
  live = mark_live(symbols, calls, options, policy);
  return {std::move(symbols), std::move(calls), std::move(live)};
}

// Drafts a file with one form of the code, or with both.
std::optional<FileDraft> draft_output(const Program &program, OutputPlan plan,
                                      const LinkServices &services, Diagnostics &diag) {
  std::optional<FileDraft> draft;
  if (services.sass) {
    SassPlan sass = plan_sass(program, plan, *services.sass, services.pool, diag);
    draft = lay_out_planes(program, std::move(plan), *services.sass, std::move(sass), services.pool,
                           diag);
  } else {
    draft = draft_file(program, std::move(plan), services.pool, diag);
  }
  return draft;
}

std::optional<PlannedLink> plan_output(const Program &program, const LinkServices &services,
                                       Diagnostics &diag) {
  // The kernels that reach a function decide where its variables and constants are placed, so
  // reachability comes before all passes that place memory.
  services.timer.begin("reach");
  const Reach reach(program.calls, program.live);

  // Dead functions are discarded before this pass, so that the sections of the output are created
  // in their final order.
  services.timer.begin("merge");
  Layout layout = merge_inputs(program);

  // Images, shared memory and constants come in this order because each of them creates sections,
  // and the file shows the order. Limits are checked when every section has its size.
  PlacedImages images = place_images(program, reach, std::move(layout));
  services.timer.begin("place shared");
  PlacedShared shared = place_shared(program, reach, std::move(images.layout), services.pool);
  services.timer.begin("place constants");
  layout = place_constants(program, reach, std::move(shared.layout));
  layout = place_user_constants(program, std::move(layout));
  check_limits(program, reach, layout, images.images, diag);

  // All output sections exist and all variables have addresses. Records name sections, so they come
  // after the last section is created; facts are taken from records, so they come next.
  services.timer.begin("info records");
  InfoResult info = plan_info_records(program, reach, layout, services.pool, diag);
  const KnownFlaws flaws = known_flaws(program, layout);
  LinkFacts facts;
  if (program.options.facts) {
    services.timer.begin("facts");
    facts = collect_facts(program, layout, images.images, info);
  }
  if (diag.failed() || services.timer.cancelled())
    return PlannedLink{{}, std::move(facts), flaws};

  // Kept relocations take room in the file, so relocations are classified before it is laid out.
  services.timer.begin("relocations");
  RelocationPlan relocations =
      classify_relocations(program, layout, shared.shared, images.images, services.pool, diag);
  services.timer.begin("synthesize");
  const Synthetic synthetic = synthesize_sections(program);
  if (diag.failed() || services.timer.cancelled())
    return {};

  // The size of every section is known. The draft needs as much memory as the tables of the
  // objects, which are released first.
  services.timer.begin("draft");
  services.release_inputs();
  OutputPlan plan{std::move(layout), std::move(relocations), std::move(info.plan),
                  shared.shared,     images.images,          synthetic};
  std::optional<FileDraft> draft =
      draft_output(program, decide_presence(std::move(plan)), services, diag);
  if (diag.failed() || !draft)
    return {};
  services.timer.begin("free");
  return PlannedLink{std::move(draft), std::move(facts), flaws};
}

} // namespace

void find_conflicts(const LinkOptions &options, const Dialect &dialect, const arch::ArchInfo &arch,
                    const std::vector<InputObject> &objects, WorkerPool &pool, Diagnostics &diag) {
  const LinkPolicy policy = make_link_policy(options, arch, dialect);
  const Resolution symbols = resolve_symbols(objects, policy, pool, diag);
  (void)build_call_graph(objects, symbols, policy, pool, diag);
}

std::optional<PlannedLink> plan_link(const LinkOptions &options, const Dialect &dialect,
                                     const arch::ArchInfo &arch, std::vector<InputObject> objects,
                                     const SassInputs *sass, WorkerPool &pool,
                                     const std::function<void()> &inputs_released, StepTimer &timer,
                                     Diagnostics &diag) {
  timer.begin("resolve");
  const LinkPolicy policy = make_link_policy(options, arch, dialect);
  Resolution resolved = resolve_symbols(objects, policy, pool, diag);
  if (diag.failed() || timer.cancelled())
    return {};

  // The call graph has the calls of prevailing definitions, which are fixed now. Folding needs to
  // know which functions are called and live, and changes both.
  timer.begin("call graph");
  const Called called =
      find_called(objects, sass, std::move(resolved), options, policy, pool, diag);
  const auto &[symbols, calls, live] = called;

  // Only live code needs definitions for all its symbols, so undefined symbols are reported after
  // liveness; and before sections are merged, because an incomplete program has no layout.
  const Program program{objects, symbols, calls, live, options, arch, dialect, policy};
  if (diag.failed() || timer.cancelled())
    return {};
  check_asked_names(program, diag);
  check_tools_patch(program, diag);
  check_executable(program, pool, diag);
  nvlink::check_emulated_errors(program, pool, diag);
  if (diag.failed())
    return {};
  check_undefined(program, diag);

  const std::function<void()> release_inputs = [&] {
    if (sass) // the passes over SASS read the objects again
      return;
    constexpr u32 kTogether = 32;
    pool.for_ranges(static_cast<u32>(objects.size()), kTogether, [&](u32 begin, u32 end) {
      for (u32 i = begin; i < end; ++i)
        objects[i].release_tables();
    });
    inputs_released();
  };
  return plan_output(program, {sass, pool, timer, release_inputs}, diag);
}

} // namespace culink
