// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the form of code in the output. Objects for sm_100 and later have machine code and the
// Mercury code that it was made from. nvlink writes both, except if an input has machine code only:
// then the output has machine code only, and a warning explains the consequences. Targets before
// sm_100 have machine code only.
//
// Mercury code of a later release may have sections or records of unknown types. They can neither
// be dropped nor copied blindly, and engines crash on unknown records or leave functions out.
// Machine code works without them.
//
// What may surprise: machine code of one member of a family does not run on another. nvlink links
// objects of sm_100 for sm_103 because its finalizer translates the code again.
#include "driver/api/output_code.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "elf/records/nv_capmerc.h"
#include "input/load_object.h"

namespace culink {

namespace {

constexpr std::string_view kBranchTables = ".nv.merc.rela.nv.constant.optimizer.";

constexpr u32 kAnyToolkit = 0; // code with a capsule links alike since the first release

// Machine code that is copied unchanged must run on the target.
void check_copied_code(const std::vector<InputObject> &objects, const arch::ArchInfo &target,
                       Diagnostics &diag) {
  for (const InputObject &object : objects) {
    const arch::ArchInfo *made = arch::find_arch(object.sm);
    if (made && made->number != target.number && object.capsule &&
        !arch::can_link(*made, arch::CodeKind::Sass, target, kAnyToolkit))
      diag.report(DiagId::WrongArchitecture,
                  {object.name, std::string(made->name), std::string(target.name)}, {},
                  "its code has to be finalized again, which only --code=exact does");
  }
}

// A capsule with a record of an unknown kind; empty if there is none.
std::string find_unknown_record(const InputObject &object) {
  if (!object.capsule || elf::has_older_capsules(object.view))
    return {};
  for (const elf::Section &section : object.view.sections())
    if (section.type == elf::SectionType::CudaCapmerc)
      if (const elf::Capsule capsule = elf::decode_capsule(section.data);
          capsule.has_unknown_record)
        return fmt::format("'{}', of which {}", section.name, capsule.violations.back().message);
  return {};
}

// Mercury code that is copied must have a known form, because values are stored into it.
void check_copied_capsules(const std::vector<InputObject> &objects, Diagnostics &diag) {
  for (const InputObject &object : objects)
    if (object.capsule && elf::has_older_capsules(object.view))
      diag.report(DiagId::BadInput,
                  {object.name,
                   "has Mercury code in the form of CUDA 12.8, which has to be finalized again"},
                  {}, "--code=exact does that; --code=sass leaves it out");
    else if (const std::string unknown = find_unknown_record(object); !unknown.empty())
      diag.report(DiagId::BadInput, {object.name, "has Mercury code with " + unknown}, {},
                  "--code=sass leaves it out");
}

bool has_samplers(const InputObject &object) {
  return std::ranges::any_of(object.symbols, [](const elf::Symbol &symbol) {
    return symbol.type() == elf::SymbolType::CudaSampler;
  });
}

// Functions for surface loads and stores, which do not depend on samplers.
bool is_for_surfaces(std::string_view driver_function) {
  return driver_function.ends_with("_suld") || driver_function.ends_with("_sust");
}

// True if machine code calls the driver for textures. The symbols of the driver's functions for
// images come after the symbols of the Mercury code, which has only others, such as vprintf.
bool calls_for_textures(const InputObject &object) {
  const elf::Section *mercury = object.view.find(".nv.merc.symtab");
  const u64 known = mercury && mercury->entsize != 0 ? mercury->size / mercury->entsize : 0;
  for (u64 i = known; i < object.symbols.size(); ++i)
    if (is_image_function(object, object.symbols[i]) && !is_for_surfaces(object.symbols[i].name))
      return true;
  return false;
}

// Returns an object without samplers whose machine code calls the driver for textures, or may do so
// after finalization, if another object has samplers. nvlink then finalizes all these calls as if
// the objects had samplers; the effect is unknown.
const InputObject *find_foreign_textures(const std::vector<InputObject> &objects,
                                         const arch::ArchInfo &target) {
  if (!target.calls_driver_for_images || std::ranges::none_of(objects, has_samplers))
    return nullptr;
  const auto found = std::ranges::find_if(objects, [&](const InputObject &object) {
    return !has_samplers(object) && (object.sm != target.number || calls_for_textures(object));
  });
  return found == objects.end() ? nullptr : &*found;
}

// Reports the first object with unknown Mercury code. nvlink reads the parts that it knows.
bool has_unknown_mercury(const std::vector<InputObject> &objects, const Dialect &dialect,
                         const arch::ArchInfo &target, Diagnostics &diag) {
  for (const InputObject &object : objects) {
    std::string unknown;
    if (!object.unfamiliar.mercury.empty())
      unknown = object.unfamiliar.mercury.front();
    else if (!dialect.defects.drops_unknown_sections)
      unknown = find_unknown_record(object);
    if (!unknown.empty()) {
      diag.report(DiagId::UnknownMercury, {object.name, unknown, std::string(target.name)});
      return true;
    }
  }
  return false;
}

// nvlink -r may mix up the branch tables of two definitions (Q040). The tables of the machine code
// are then lost; only finalizing the Mercury code again restores them.
void check_branch_tables(const std::vector<InputObject> &objects, Diagnostics &diag) {
  for (const InputObject &object : objects)
    for (const elf::Section &table : object.view.sections()) {
      if (table.type != elf::SectionType::MercuryRela || !table.name.starts_with(kBranchTables))
        continue;
      const elf::RelocationTable entries = object.view.relocations(table);
      std::unordered_map<u64, i64> labels; // by offset
      for (u32 i = 0; i < entries.size(); ++i)
        if (const auto [known, added] = labels.emplace(entries[i].offset, entries[i].addend);
            !added && known->second != entries[i].addend) {
          diag.report(DiagId::BadInput,
                      {object.name, elf::describe_section(table) +
                                        ": branch tables of two definitions are mixed up, as "
                                        "nvlink -r leaves them"},
                      {}, "link the objects of which it was made");
          break;
        }
    }
}

} // namespace

OutputCode choose_output_code(const LinkOptions &options, const Dialect &dialect,
                              const std::vector<InputObject> &objects, const arch::ArchInfo &target,
                              bool has_finalizer, Diagnostics &diag) {
  if (!target.has_mercury_plane)
    return OutputCode::Sass;
  const auto plain = std::find_if(objects.begin(), objects.end(),
                                  [](const InputObject &object) { return !object.capsule; });
  const bool some_plain = plain != objects.end();
  if (some_plain) {
    if (options.code == OutputCode::Mercury || options.code == OutputCode::Exact)
      diag.report(DiagId::NoMercuryCode, {plain->name});
    else
      diag.report(DiagId::LimitedToOneTarget, {std::to_string(target.number), plain->name});
  }
  OutputCode code = options.code;
  const bool as_nvlink = code == OutputCode::Exact && dialect.defects.recounts_image_calls;
  const InputObject *foreign = as_nvlink ? nullptr : find_foreign_textures(objects, target);
  constexpr std::string_view kForeign =
      "calls of the driver for textures without samplers, beside objects with samplers";
  if (foreign && (code == OutputCode::Mercury || code == OutputCode::Exact))
    diag.report(DiagId::BadInput, {foreign->name, "has " + std::string(kForeign)}, {},
                "--code=sass can link it");
  if (foreign && code == OutputCode::Default && !some_plain) {
    diag.report(DiagId::UnknownMercury,
                {foreign->name, std::string(kForeign), std::string(target.name)});
    code = OutputCode::Sass;
  }
  if (code == OutputCode::Default && some_plain)
    code = OutputCode::Sass;
  if (code == OutputCode::Default && has_unknown_mercury(objects, dialect, target, diag))
    code = OutputCode::Sass;
  if (code == OutputCode::Default) {
    code = has_finalizer ? OutputCode::Exact : OutputCode::Sass;
    if (!has_finalizer)
      diag.report(DiagId::NoFinalizer, {std::string(target.name)});
  }
  if (code == OutputCode::Exact && !has_finalizer && !options.relocatable)
    diag.report(DiagId::FinalizerMissing, {});
  if (code == OutputCode::Mercury || (code == OutputCode::Exact && !has_finalizer))
    check_copied_capsules(objects, diag);
  if (code == OutputCode::Sass || code == OutputCode::Mercury)
    check_branch_tables(objects, diag);
  if (code == OutputCode::Sass || (code == OutputCode::Mercury && !options.relocatable))
    check_copied_code(objects, target, diag);
  return code;
}

} // namespace culink
