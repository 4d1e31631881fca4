// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether a relocation is folded, kept, cleared, dropped or refused. In an executable the
// symbol decides first: the loader assigns addresses of functions and global variables; a symbol
// that the linker has placed has a value. Then the row of the relocation decides whether the linker
// may store that value. That is one table, kUsualActions; images, tables of unified functions and
// links with -r differ in few points, which follow it.
//
// classify_relocations and the lists of --preserve-relocs use these rules. What may surprise: the
// section that a relocation is in plays no part.
#include "link/relocs/reloc_action.h"

#include <array>

namespace culink {

using arch::ImageAction;
using arch::RelocInfo;
using arch::Resolver;
using arch::ValueKind;

namespace {

using enum RelocAction;

constexpr u32 kResolvers = static_cast<u32>(Resolver::Clear) + 1;

struct UsualActions {
  TargetKind target;
  std::array<RelocAction, kResolvers> by_resolver;
};

// Columns are in the order of arch::Resolver. Images and unified tables are not here.
// clang-format off
constexpr std::array<UsualActions, static_cast<u32>(TargetKind::Image)> kUsualActions{{
    //                              Linker Loader  LoaderFunction LoaderOrError Nobody Clear
    {TargetKind::Function,          {Keep, Keep,   Keep,          Keep,         Keep,  Drop}},
    {TargetKind::Variable,          {Keep, Keep,   Refuse,        Keep,         Keep,  Keep}},
    {TargetKind::UndefinedObject,   {Keep, Keep,   Refuse,        Keep,         Keep,  KeepAsNone}},
    {TargetKind::UnplacedConstant,  {Keep, Keep,   Refuse,        Keep,         Keep,  Drop}},
    {TargetKind::Placed,            {Fold, Keep,   Refuse,        Refuse,       Drop,  Drop}},
    {TargetKind::PlacedUnnamed,     {Fold, Refuse, Refuse,        Refuse,       Drop,  Drop}},
    {TargetKind::Internal,          {Fold, Keep,   Refuse,        Refuse,       Drop,  Clear}},
    {TargetKind::InternalUnnamed,   {Fold, Refuse, Refuse,        Refuse,       Drop,  Clear}},
    {TargetKind::Null,              {Fold, Keep,   Refuse,        Refuse,       Drop,  Drop}},
    {TargetKind::DiscardedFunction, {Drop, Drop,   Keep,          Drop,         Drop,  Clear}},
    {TargetKind::DiscardedData,     {Drop, Drop,   Keep,          Drop,         Drop,  Clear}},
}};
// clang-format on

constexpr bool in_order_of_enums() {
  for (u32 i = 0; i < kUsualActions.size(); ++i)
    if (kUsualActions[i].target != static_cast<TargetKind>(i))
      return false;
  return static_cast<u32>(Resolver::Linker) == 0 && static_cast<u32>(Resolver::Loader) == 1 &&
         static_cast<u32>(Resolver::LoaderFunction) == 2 &&
         static_cast<u32>(Resolver::LoaderOrError) == 3 &&
         static_cast<u32>(Resolver::Nobody) == 4 && static_cast<u32>(Resolver::Clear) == 5;
}
static_assert(in_order_of_enums());

bool is_discarded(TargetKind target) {
  return target == TargetKind::DiscardedFunction || target == TargetKind::DiscardedData;
}

// Three kinds of links differ in the usual rules.
enum class LinkKind : u8 { Executable, EarlyObject, LosslessObject };

LinkKind kind_of(const LinkPolicy &policy) {
  if (policy.executable)
    return LinkKind::Executable;
  return policy.keeps_all_relocations ? LinkKind::LosslessObject : LinkKind::EarlyObject;
}

// Lossless objects keep all that the next link can use.
constexpr RelocAction lossless_action(TargetKind target) {
  return target == TargetKind::Null || target == TargetKind::DiscardedData ? Drop : Keep;
}

constexpr bool has_value(TargetKind target) {
  return target >= TargetKind::Placed && target <= TargetKind::Null;
}

constexpr RelocAction usual_action(LinkKind link, TargetKind target, Resolver resolver,
                                   ValueKind value) {
  if (link == LinkKind::LosslessObject)
    return lossless_action(target);
  // -r leaves pointers to functions to the next link, whatever they point to.
  if (link == LinkKind::EarlyObject && has_value(target) && value == ValueKind::Unified)
    return Keep;
  const RelocAction action =
      kUsualActions[static_cast<u32>(target)].by_resolver[static_cast<u32>(resolver)];
  return action == Fold && value == ValueKind::AddendOnly ? FoldAddend : action;
}

RelocAction image_action(const RelocRuleInputs &link, const RelocInfo &row) {
  if (row.resolver == Resolver::Nobody)
    return Drop;
  switch (row.image) {
  case ImageAction::Keep:
    return Keep;
  case ImageAction::Slot:
    if (!link.policy.places_memory && (row.image_kept_by_r || link.has_mercury))
      // The SASS shows where slots would begin.
      return link.sass_plane && link.policy.resolves_early ? KeepImage : Keep;
    return FoldImage;
  case ImageAction::ZeroValue:
    return row.value == ValueKind::AddendOnly ? FoldAddend : FoldImage;
  case ImageAction::Refuse:
    return Refuse;
  case ImageAction::NullSymbol:
    return KeepAsNone;
  }
  return Keep;
}

// -r keeps all relocations against the tables; executables have no such table.
RelocAction unified_table_action(LinkKind link, const RelocInfo *row) {
  if (link != LinkKind::Executable)
    return row && row->resolver == Resolver::Clear ? KeepAsNone : Keep;
  if (!row || row->value == ValueKind::Unified)
    return Refuse;
  return Drop;
}

} // namespace

RelocAction action_of(const RelocRuleInputs &link, TargetKind target, u32 number,
                      const RelocInfo *row) {
  if (target == TargetKind::Ignored)
    return Drop;
  if (target == TargetKind::Lost)
    return Refuse;
  const LinkKind kind = kind_of(link.policy);
  if (kind == LinkKind::LosslessObject)
    return lossless_action(target);
  if (row && target < TargetKind::Image)
    return usual_action(kind, target, row->resolver, row->value);
  const bool none = number == arch::kRelocNone;
  if (target == TargetKind::UnifiedTable)
    return none && kind == LinkKind::Executable ? Drop : unified_table_action(kind, row);
  if (!row)
    return none || is_discarded(target) ? Drop : Refuse;
  return image_action(link, *row);
}

} // namespace culink
