// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A document of the text form as a tree: the output of describe, the content of YAML, the input of
// assemble. Values are strings until a caller asks for a number, so that no information is lost.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink::text {

struct Node {
  enum class Kind : u8 { Null, Scalar, Sequence, Map };
  // The layout in YAML. Block: one item per line. Flow: on one line. Lines: a scalar of several
  // lines (not empty, each line ends with a newline and starts with a graphic character).
  enum class Style : u8 { Block, Flow, Lines };

  Kind kind = Kind::Null;
  Style style = Style::Block;
  u32 line = 0;     // line in the input file; 0 if made here
  std::string key;  // key of a map's item
  std::string text; // text of a scalar
  std::vector<Node> items;

  [[nodiscard]] static Node scalar(std::string value) {
    Node out;
    out.kind = Kind::Scalar;
    out.text = std::move(value);
    return out;
  }
  [[nodiscard]] static Node lines(std::string value) {
    Node out = scalar(std::move(value));
    out.style = Style::Lines;
    return out;
  }
  [[nodiscard]] static Node sequence(Style style = Style::Block) {
    Node out;
    out.kind = Kind::Sequence;
    out.style = style;
    return out;
  }
  [[nodiscard]] static Node map(Style style = Style::Block) {
    Node out;
    out.kind = Kind::Map;
    out.style = style;
    return out;
  }

  // Adds an item to a sequence or map.
  void add(Node item) { items.push_back(std::move(item)); }
  void set(std::string_view name, Node item);
  void set(std::string_view name, std::string value);

  [[nodiscard]] bool is_scalar() const { return kind == Kind::Scalar; }
  [[nodiscard]] bool is_sequence() const { return kind == Kind::Sequence; }
  [[nodiscard]] bool is_map() const { return kind == Kind::Map; }
  // Returns the item with that key, or null.
  [[nodiscard]] const Node *find(std::string_view name) const;
};

// Limits of the input. Documents of describe are far below them.
inline constexpr u64 kMaxYamlBytes = u64{1} << 30;
inline constexpr u64 kMaxYamlNodes = u64{1} << 24;
inline constexpr u32 kMaxYamlDepth = 24;

// Reads one YAML document as a tree. Refuses, with the line: invalid YAML, anchors and aliases,
// tags, keys that are not scalars, a second document, and input beyond the limits above.
[[nodiscard]] Result<Node> read_yaml(std::string_view yaml);

// Returns the document as YAML; read_yaml is the inverse. `comment` (lines without '#') comes
// first.
[[nodiscard]] std::string write_yaml(const Node &document, std::string_view comment = {});

// True if YAML preserves a string as a scalar: valid UTF-8. Other strings are written as {hex:
// ...}.
[[nodiscard]] bool is_yaml_text(std::string_view text);

} // namespace culink::text
