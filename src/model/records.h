// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the output that the linker makes or changes. They name entities and sections; numbers
// exist only when the file is written.
#pragma once

#include <memory>
#include <vector>

#include "elf/nv_info.h"
#include "model/merged.h"

namespace culink {

// A list that is nearly always empty, and then as small as a pointer.
class EntityList {
public:
  EntityList() = default;
  EntityList(const std::vector<EntityId> &list)
      : list_(list.empty() ? nullptr : std::make_unique<std::vector<EntityId>>(list)) {}
  EntityList(std::vector<EntityId> &&list)
      : list_(list.empty() ? nullptr : std::make_unique<std::vector<EntityId>>(std::move(list))) {}
  EntityList(const EntityList &other) : EntityList(other.list()) {}
  EntityList &operator=(const EntityList &other) { return *this = EntityList(other); }
  EntityList(EntityList &&) noexcept = default;
  EntityList &operator=(EntityList &&) noexcept = default;

  [[nodiscard]] bool empty() const { return !list_; }
  [[nodiscard]] const std::vector<EntityId> &list() const {
    static const std::vector<EntityId> kNone;
    return list_ ? *list_ : kNone;
  }

private:
  std::unique_ptr<std::vector<EntityId>> list_;
};

// One record of an output .nv.info section. A large program has half a million of them.
struct OutInfo {
  enum class Kind : u8 {
    Verbatim, // value or payload as read
    Word,     // one u32 in `word`
    Symbol,   // the symbol of `entity`, then `word`
    Bank,     // the section symbol of `section`, then `word`
    Symbols,  // the symbols of `entities`
  };
  Kind kind = Kind::Verbatim;
  elf::RecordFormat format = elf::RecordFormat::Sized;
  elf::InfoAttribute attribute{};
  u16 value = 0;
  u16 payload_size = 0;
  u32 word = 0;
  const u8 *payload_begin = nullptr;
  EntityId entity;
  OutId section;
  EntityList entities;

  [[nodiscard]] ByteSpan payload() const { return {payload_begin, payload_size}; }
};
static_assert(sizeof(OutInfo) == 40);

struct InfoPlan {
  std::vector<OutInfo> module;
  std::vector<std::vector<OutInfo>> of_text; // by OutId of the text section
};

// What kernels need, call trees included.
struct KernelUse {
  FunctionId kernel;
  u32 registers = 0;
  u32 barriers = 0;
  u64 stack = 0;
  bool recursive = false;
};

} // namespace culink
