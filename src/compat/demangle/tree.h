// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to this folder: a mangled name as a tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.h"

namespace culink::demangling {

using NodeId = u32;
inline constexpr NodeId kNone = 0xffffffff;

enum class Kind : u8 {
  Name,       // text
  Hidden,     // a name that is not shown: the compiler's mark of a file
  Std,        // text: an abbreviation for something in std
  Qualified,  // a::b
  Template,   // a<list>
  Tagged,     // a[abi:text]
  Conversion, // operator a
  Structor,   // text: the name of a constructor or destructor; `number` as in C1, D0
  Lambda,     // list: parameters; number: instance
  Unnamed,    // number: instance
  Local,      // a::b (instance number)
  Encoding,   // a: name, b: return type or none, list: parameters
  Special,    // text, then a
  Builtin,    // text
  Spaced,     // text that ends with a blank of its own
  Parameter,  // T<number>
  Cv,         // a with qualifiers
  Pointer,    // text: "*", "&" or "&&"; to a
  Vendor,     // a with the qualifier `text` behind it
  Member,     // pointer to b, of the class a
  Array,      // of a; text or b: bound
  Function,   // a: result, list: parameters
  Pack,       // list, one after the other
  Expansion,  // a...
  PrefixUse,  // a, by a reference to a part of a longer name
  Decltype,   // of the expression a
  Literal,    // (a)text
  Expression, // text around list: "$" stands for the next one
};

enum Qualifier : u8 { kConst = 1, kVolatile = 2, kRestrict = 4, kLvalue = 8, kRvalue = 16 };

struct Node {
  Kind kind = Kind::Name;
  u8 qualifiers = 0; // of Cv, Function, and of the name of an Encoding's function
  u32 number = 0;
  NodeId a = kNone;
  NodeId b = kNone;
  std::string text;
  std::vector<NodeId> list;
};

struct Tree {
  std::vector<Node> nodes;
  NodeId root = kNone;
  std::string_view clone; // what stands behind a function's name after '$'
};

// Nothing: not mangled, or not understood.
[[nodiscard]] std::optional<Tree> parse(std::string_view name);

// Nothing: the text would be far longer than any name should be.
[[nodiscard]] std::optional<std::string> print(const Tree &tree);

} // namespace culink::demangling
