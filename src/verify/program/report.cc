// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as text. A finding says what it is about, where that is in the output, what was to be
// expected by the inputs and what was found; nothing of how the checker came to it.
#include "verify/program/report.h"

#include <array>

#include <fmt/format.h>

namespace culink::check {

namespace {

struct KindRow {
  FindingKind kind;
  std::string_view name;
};

constexpr std::array<KindRow, 14> kKinds{{
    {FindingKind::Unreadable, "unreadable"},
    {FindingKind::Missing, "missing-definition"},
    {FindingKind::Unexplained, "unexplained"},
    {FindingKind::Symbol, "wrong-symbol"},
    {FindingKind::Bytes, "wrong-bytes"},
    {FindingKind::Field, "wrong-field"},
    {FindingKind::Relocation, "wrong-relocation"},
    {FindingKind::Reference, "lost-reference"},
    {FindingKind::Overlap, "overlap"},
    {FindingKind::Alignment, "misaligned"},
    {FindingKind::Memory, "wrong-memory"},
    {FindingKind::Records, "wrong-record"},
    {FindingKind::CallGraph, "wrong-call-graph"},
    {FindingKind::Mercury, "wrong-mercury"},
}};

constexpr bool kinds_in_order() {
  for (u32 i = 0; i < kKinds.size(); ++i)
    if (kKinds[i].kind != static_cast<FindingKind>(i))
      return false;
  return true;
}
static_assert(kinds_in_order());

} // namespace

std::string_view name_of(FindingKind kind) {
  return kKinds[static_cast<u32>(kind)].name;
}

std::string to_line(const Finding &finding) {
  std::string place = finding.section;
  if (!place.empty() && finding.offset != 0)
    place += fmt::format("+{:#x}", finding.offset);
  const char *in = finding.symbol.empty() || place.empty() ? "" : " in ";
  return fmt::format("{}: {}{}{}: expected {}, found {}", name_of(finding.kind), finding.symbol, in,
                     place, finding.expected, finding.found);
}

std::string hex(u64 value) {
  return fmt::format("{:#x}", value);
}

std::string bytes_text(ByteSpan bytes) {
  std::string out;
  for (const u8 byte : bytes)
    out += fmt::format("{}{:02x}", out.empty() ? "" : " ", byte);
  return out;
}

} // namespace culink::check
