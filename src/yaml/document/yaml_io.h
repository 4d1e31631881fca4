// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"
#include "yaml/document/document.h"

namespace culink::text {

// Bounds on what is read. Every document that describe makes stays far below them.
inline constexpr u64 kMaxYamlBytes = u64{1} << 30;
inline constexpr u64 kMaxYamlNodes = u64{1} << 24;
inline constexpr u32 kMaxYamlDepth = 24;

// One YAML document as a tree. Refused, with the line: what YAML's grammar refuses, anchors and
// aliases, tags, keys that are not scalars, a second document, anything beyond the bounds above.
[[nodiscard]] Result<Node> read_yaml(std::string_view yaml);

// The document as YAML; read_yaml gives it back. `comment` (lines without '#') comes first.
[[nodiscard]] std::string write_yaml(const Node &document, std::string_view comment = {});

// Whether a string survives YAML as a scalar: valid UTF-8. Others are written as {hex: ...}.
[[nodiscard]] bool is_yaml_text(std::string_view text);

} // namespace culink::text
