// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tree as nvlink prints it. A type is printed around its declarator, so it has a part
// before and a part behind: `void (*` and `)(int)`.
//
// Blanks: a name asks for one before a declarator, `S *`; qualifiers have one behind them, `*const
// *`; pointers and references have none, `**`. References back to a part of a longer name, and the
// abbreviations for std, do not ask for one either: `W<int>&`.
#include <fmt/format.h>

#include "compat/demangle/tree.h"

namespace culink::demangling {

namespace {

constexpr size_t kMaxLength = size_t{1} << 16;

class Printer {
public:
  explicit Printer(const Tree &tree) : tree_(tree) {}

  [[nodiscard]] std::optional<std::string> run() {
    print(tree_.root);
    if (out_.size() > kMaxLength)
      return std::nullopt;
    return std::move(out_);
  }

private:
  void print(NodeId id);
  void print_name(const Node &node);
  void print_type(NodeId id);
  void print_encoding(const Node &node);
  void print_expression(const Node &node);
  void print_list(const std::vector<NodeId> &list);
  void print_parameters(const std::vector<NodeId> &list);
  void print_before(NodeId id);
  void print_behind(NodeId id);
  void print_qualifiers_before(u8 qualifiers);
  void print_qualifiers_behind(u8 qualifiers);
  void declarator(std::string_view text, NodeId inner);
  [[nodiscard]] const Node &at(NodeId id) const { return tree_.nodes[id]; }
  [[nodiscard]] bool has_declarator(NodeId id) const;
  [[nodiscard]] bool needs_parentheses(NodeId id) const;
  [[nodiscard]] const Node *structor(NodeId name) const;
  void put(std::string_view text) {
    if (out_.size() <= kMaxLength) // more is never shown
      out_ += text;
  }

  const Tree &tree_;
  std::string out_;
  bool wants_blank_ = false; // before a declarator
};

// Functions and arrays: what points to them stands in parentheses.
bool Printer::needs_parentheses(NodeId id) const {
  const Node &node = at(id);
  if (node.kind == Kind::Cv)
    return needs_parentheses(node.a);
  return node.kind == Kind::Function || node.kind == Kind::Array;
}

// Qualifiers stand behind these, and before all others.
bool Printer::has_declarator(NodeId id) const {
  const Node &node = at(id);
  return node.kind == Kind::Pointer || node.kind == Kind::Member || node.kind == Kind::Vendor ||
         (node.kind == Kind::Cv && has_declarator(node.a));
}

void Printer::print_list(const std::vector<NodeId> &list) {
  for (size_t i = 0; i < list.size(); ++i) {
    put(i == 0 ? "" : ", ");
    print(list[i]);
  }
}

void Printer::print_parameters(const std::vector<NodeId> &list) {
  put("(");
  const bool none =
      list.size() == 1 && at(list[0]).kind == Kind::Builtin && at(list[0]).text == "void";
  if (!none)
    print_list(list);
  put(")");
}

void Printer::print_qualifiers_before(u8 qualifiers) {
  put((qualifiers & kConst) != 0 ? "const " : "");
  put((qualifiers & kVolatile) != 0 ? "volatile " : "");
  put((qualifiers & kRestrict) != 0 ? "restrict " : "");
}

void Printer::print_qualifiers_behind(u8 qualifiers) {
  put((qualifiers & kConst) != 0 ? " const" : "");
  put((qualifiers & kVolatile) != 0 ? " volatile" : "");
  put((qualifiers & kLvalue) != 0 ? " &" : "");
  put((qualifiers & kRvalue) != 0 ? " &&" : "");
}

void Printer::declarator(std::string_view text, NodeId inner) {
  if (wants_blank_)
    put(" ");
  if (needs_parentheses(inner))
    put("(");
  put(text);
  wants_blank_ = false;
}

void Printer::print_before(NodeId id) {
  const Node &node = at(id);
  switch (node.kind) {
  case Kind::Pointer:
    print_before(node.a);
    declarator(node.text, node.a);
    break;
  case Kind::Member: {
    print_before(node.b);
    declarator(" :: ", node.b);
    print(node.a);
    put("::*");
    wants_blank_ = false;
    break;
  }
  case Kind::Vendor:
    print_before(node.a);
    put(node.text);
    wants_blank_ = true;
    break;
  case Kind::Cv:
    if (at(node.a).kind == Kind::Function) {
      print_before(node.a);
    } else if (has_declarator(node.a)) {
      print_before(node.a);
      print_qualifiers_before(node.qualifiers); // of what follows
      wants_blank_ = false;
    } else {
      print_qualifiers_before(node.qualifiers);
      print_before(node.a);
    }
    break;
  case Kind::Function:
  case Kind::Array:
    print_before(node.a);
    break;
  case Kind::Expansion:
    print_before(node.a);
    break;
  case Kind::Spaced: {
    for (size_t begin = 0; begin < node.text.size();) {
      const size_t place = std::min(node.text.find('$', begin), node.text.size());
      put(std::string_view(node.text).substr(begin, place - begin));
      if (place < node.text.size())
        print(node.a);
      begin = place + 1;
    }
    wants_blank_ = false;
    break;
  }
  default: {
    print(id);
    const Node *base = &node;
    while (base->kind == Kind::Template)
      base = &at(base->a);
    wants_blank_ = base->kind != Kind::PrefixUse && base->kind != Kind::Std;
    break;
  }
  }
}

void Printer::print_behind(NodeId id) {
  const Node &node = at(id);
  switch (node.kind) {
  case Kind::Pointer:
  case Kind::Member: {
    const NodeId inner = node.kind == Kind::Pointer ? node.a : node.b;
    if (needs_parentheses(inner))
      put(")");
    print_behind(inner);
    break;
  }
  case Kind::Cv:
    print_behind(node.a);
    if (at(node.a).kind == Kind::Function)
      print_qualifiers_behind(node.qualifiers);
    break;
  case Kind::Vendor:
    print_behind(node.a);
    break;
  case Kind::Expansion:
    print_behind(node.a);
    put("...");
    break;
  case Kind::Function:
    print_parameters(node.list);
    print_qualifiers_behind(node.qualifiers);
    print_behind(node.a);
    break;
  case Kind::Array:
    put("[");
    if (node.b != kNone)
      print(node.b);
    put(node.text);
    put("]");
    print_behind(node.a);
    break;
  default:
    break;
  }
}

// The constructor or destructor that a name ends with, if any.
const Node *Printer::structor(NodeId name) const {
  const Node *node = &at(name);
  for (;;) {
    switch (node->kind) {
    case Kind::Qualified:
    case Kind::Local:
      node = &at(node->b);
      break;
    case Kind::Template:
    case Kind::Tagged:
      node = &at(node->a);
      break;
    case Kind::Structor:
      return node;
    default:
      return nullptr;
    }
  }
}

void Printer::print_encoding(const Node &node) {
  if (node.b != kNone) {
    print(node.b);
    put(" ");
  }
  print(node.a);
  print_parameters(node.list);
  print_qualifiers_behind(node.qualifiers);
  if (const Node *special = structor(node.a)) {
    constexpr u32 kDestructor = 10;
    const u32 number = special->number;
    put(number == 2 || number == kDestructor + 2 ? " [subobject]"
        : number == 3                            ? " [allocating]"
        : number == kDestructor                  ? " [deleting]"
                                                 : "");
  }
}

void Printer::print_expression(const Node &node) {
  size_t next = 0;
  for (size_t i = 0; i < node.text.size(); ++i)
    if (node.text[i] == '$' && next < node.list.size())
      print(node.list[next++]);
    else
      put(std::string_view(node.text).substr(i, 1));
}

// Names in names.
void Printer::print_name(const Node &node) {
  switch (node.kind) {
  case Kind::Qualified: {
    const size_t begin = out_.size();
    print(node.a);
    if (out_.size() != begin && at(node.b).kind != Kind::Hidden)
      put("::");
    print(node.b);
    break;
  }
  case Kind::Template:
    print(node.a);
    put("<");
    print_list(node.list);
    put(">");
    break;
  case Kind::Tagged:
    print(node.a);
    put(fmt::format("[abi:{}]", node.text));
    break;
  case Kind::Conversion:
    put("operator ");
    print(node.a);
    break;
  case Kind::Lambda:
    put("[lambda");
    print_parameters(node.list);
    put(fmt::format(" (instance {})]", node.number));
    break;
  case Kind::Unnamed:
    put(fmt::format("[unnamed type (instance {})]", node.number));
    break;
  case Kind::Local:
    print(node.a);
    put("::");
    print(node.b);
    if (node.number != 0)
      put(fmt::format(" (instance {})", node.number));
    break;
  default:
    put(node.text);
    break;
  }
}

void Printer::print(NodeId id) {
  if (out_.size() > kMaxLength)
    return;
  const Node &node = at(id);
  switch (node.kind) {
  case Kind::Hidden:
    break;
  case Kind::Encoding:
    print_encoding(node);
    break;
  case Kind::Special:
    put(node.text);
    print(node.a);
    break;
  case Kind::Parameter:
    put(fmt::format("T{}", node.number));
    break;
  case Kind::Pack:
    print_list(node.list);
    break;
  case Kind::PrefixUse:
    print(node.a);
    break;
  case Kind::Decltype:
    put("decltype((");
    print(node.a);
    put("))");
    break;
  case Kind::Literal:
    put("(");
    print(node.a);
    put(")");
    put(node.text);
    break;
  case Kind::Expression:
    print_expression(node);
    break;
  case Kind::Cv:
  case Kind::Pointer:
  case Kind::Vendor:
  case Kind::Member:
  case Kind::Array:
  case Kind::Function:
  case Kind::Expansion:
  case Kind::Spaced:
    print_type(id);
    break;
  default:
    print_name(node);
    break;
  }
}

void Printer::print_type(NodeId id) {
  print_before(id);
  // The declarator of a type without one is empty.
  if (wants_blank_ && needs_parentheses(id))
    put(" ");
  print_behind(id);
}

} // namespace

std::optional<std::string> print(const Tree &tree) {
  return Printer(tree).run();
}

} // namespace culink::demangling
