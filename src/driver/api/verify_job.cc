// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said about an image before it is given out: the rules of the format, by the verifier of
// `cubin verify`; the comparison with the inputs, by the checker; and which input is to blame. An
// input may break a rule that no pass depends on, and then its flaw is copied and told.
#include <algorithm>

#include "driver/api/check_job.h"
#include "driver/api/link_job.h"
#include "elf/elf_view.h"
#include "verify/file/verify.h"

namespace culink {

// A rule that the linker does not need: what an input says is copied, and whoever reads the output
// should know.
void LinkJob::report_copied(const Finding &finding) {
  std::string source = "output";
  for (const LinkInput &input : loader_->code()) {
    const Result<elf::ElfView> view = elf::ElfView::open_tolerant(*input.bytes);
    if (!view)
      continue;
    const std::vector<Finding> own = verify_device_elf(*view);
    if (std::any_of(own.begin(), own.end(),
                    [&](const Finding &one) { return one.rule == finding.rule; })) {
      source = input.name;
      break;
    }
  }
  diag_.report(DiagId::CopiedFlaw,
               {source, std::string(rule_id(finding.rule)) + ": " + finding.what.text()});
}

void LinkJob::verify(LinkResult &result, const KnownFlaws &flaws, WorkerPool &pool) {
  const Result<elf::ElfView> view = elf::ElfView::open(image_);
  if (!view) {
    diag_.report(DiagId::Contradiction, {"output", view.error().text()});
    return;
  }
  for (const Finding &finding : verify_device_elf(*view, pool)) {
    if (is_about_carried_content(finding.rule)) {
      report_copied(finding);
      continue;
    }
    if ((flaws.wrong_symbols && finding.rule == Rule::SymbolValue) ||
        (flaws.null_symbol_value && finding.rule == Rule::SymbolNull) ||
        (flaws.overruns && finding.rule == Rule::RelocationOffset) ||
        (flaws.misplaced_locals && finding.rule == Rule::SymbolOrder) ||
        (flaws.lost_section && view->sections().size() > elf::kSectionCommon &&
         (finding.rule == Rule::TextSymbol || finding.rule == Rule::MirrorSymbol)))
      continue;
    diag_.report(DiagId::Contradiction,
                 {"output", std::string(rule_id(finding.rule)) + ": " + finding.what.text()});
  }
  if (!request_.options.facts)
    return;
  result.facts.sections.clear();
  for (const elf::Section &section : view->sections())
    result.facts.sections.push_back({std::string(section.name), static_cast<u32>(section.type),
                                     section.flags, section.offset, section.size});
}

// The comparison of the output with the objects, by code that the linker does not share.
void LinkJob::check(const std::vector<LinkedCode> &linked, bool finalized, WorkerPool &pool) {
  timer_.begin("check");
  LinkOptions options = request_.options;
  if (!options.ignore_host_info && !options.host_references)
    options.host_references = loader_->host_references();
  std::vector<check::Finding> findings;
  if (finalized && !options.check)
    findings = check_unscheduled(linked, request_, options, pool, diag_);
  // What becomes of code for another target is not known in all cases.
  if (findings.empty() && (!finalized || options.check || are_made_for(linked, request_.target)))
    findings = check_output(linked, image_, options, finalized, pool);
  report_findings(findings, options.check, diag_);
}

// An output that breaks a rule of the format can come from an input that does: inputs are not
// checked for all rules, because harmless violations should link. Returns the findings of the same
// rules in the inputs, or all findings of the output if no input breaks them.
std::vector<Diagnostic> LinkJob::blame_inputs() const {
  std::string contradiction;
  for (const Diagnostic &diagnostic : diag_.all())
    if (diagnostic.id == DiagId::Contradiction && contradiction.empty())
      contradiction = diagnostic.arguments.back();
  if (contradiction.empty())
    return {};
  constexpr size_t kMost = 10;
  std::vector<Diagnostic> same_rule, all;
  for (const LinkInput &input : loader_->code()) {
    const Result<elf::ElfView> view = elf::ElfView::open_tolerant(*input.bytes);
    if (!view)
      continue;
    for (const Finding &finding : verify_device_elf(*view)) {
      Diagnostic &found = all.emplace_back();
      found.arguments = {input.name, finding.what.text()};
      found.notes = {"the output would break a rule: " + contradiction};
      found.hint = "if the file is in order, this is a bug in culink";
      if (contradiction.starts_with(rule_id(finding.rule)))
        same_rule.push_back(found);
    }
  }
  std::vector<Diagnostic> &out = same_rule.empty() ? all : same_rule;
  if (out.size() > kMost)
    out.resize(kMost);
  return out;
}

} // namespace culink
