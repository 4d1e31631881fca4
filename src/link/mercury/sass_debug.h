// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "link/mercury/sass_code.h"

namespace culink {

// A debug section of the SASS plane.
struct DebugSection {
  // Where the part of an object begins.
  struct Part {
    u32 object = 0;
    u32 section = 0; // of the object
    u64 offset = 0;
  };
  // A unit of a line table, which moves for itself.
  struct Unit {
    u32 object = 0;
    MovedRange range;
  };
  OutId id;
  std::vector<u8> bytes;   // empty where the section has the bytes of the Mercury plane
  std::optional<u64> size; // of a section that is joined object by object
  std::vector<Part> parts;
  std::vector<Unit> units;
  std::vector<KeptRelocation> addresses; // of the code
};

struct SassDebug {
  std::vector<DebugSection> sections;
  LocationOf location_of; // of all sections, on the SASS plane
};

[[nodiscard]] SassDebug make_sass_debug(const SassContext &context, const SassCodeList &code,
                                        const nvlink::MergedDebug &merged, Diagnostics &diag);

// True if a debug section is put together function by function: call frames and line tables.
[[nodiscard]] bool is_rebuilt(std::string_view name);

// Parts of one debug section that a finalizer has made, handed out one after the other.
class FinalizedParts {
public:
  FinalizedParts(const SassContext &context, const SassCodeList &code,
                 const nvlink::MergedDebug &merged)
      : context_(context), code_(code), merged_(merged) {}

  // Debug information of a function of an object; null if there is none.
  [[nodiscard]] const FinalizedDebug *debug_of(u32 object, EntityId function) const;

  // Returns the next part of a function, if a finalizer has made it; the last one is repeated.
  template <typename Part>
  [[nodiscard]] const Part *next(u32 object, EntityId function,
                                 std::vector<Part> FinalizedDebug::*parts) {
    const FinalizedDebug *debug = debug_of(object, function);
    if (!debug || (debug->*parts).empty())
      return nullptr;
    const size_t number = used_[function.value]++;
    return &(debug->*parts)[std::min(number, (debug->*parts).size() - 1)];
  }

private:
  const SassContext &context_;
  const SassCodeList &code_;
  const nvlink::MergedDebug &merged_;
  std::unordered_map<u32, size_t> used_; // by EntityId
};

// Sections with rules of their own, each in the file of its name.
[[nodiscard]] DebugSection make_sass_frames(const SassContext &context, const SassCodeList &code,
                                            const nvlink::MergedDebug &merged, OutId id,
                                            Diagnostics &diag);
[[nodiscard]] DebugSection make_sass_lines(const SassContext &context, const SassCodeList &code,
                                           const nvlink::MergedDebug &merged,
                                           const LocationOf &location_of, OutId id,
                                           Diagnostics &diag);
[[nodiscard]] DebugSection make_sass_registers(const SassContext &context, const SassCodeList &code,
                                               const nvlink::MergedDebug &merged, OutId id);

// A section of which each object has a part, one after the other.
[[nodiscard]] DebugSection join_parts(const SassContext &context, OutId id);

void report_broken(const SassContext &context, u32 object, const elf::Section &section,
                   std::string what, Diagnostics &diag);

} // namespace culink
