// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of the Itanium C++ ABI, as far as CUDA code and nvlink use it: encodings and names. A
// failure anywhere makes the whole name unreadable, as in nvlink. Types are in parse_type.cc,
// expressions in parse_expression.cc.
#include "compat/demangle/parser.h"

#include <fmt/format.h>

namespace culink::demangling {

NodeId Parser::add(Node node) {
  tree_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(tree_.nodes.size() - 1);
}

NodeId Parser::fail() {
  failed_ = true;
  return add({});
}

u32 Parser::digits() {
  u32 value = 0;
  if (!is_digit(peek()))
    fail();
  while (is_digit(peek()) && !failed_) {
    if (value > 100000)
      fail();
    value = value * 10 + static_cast<u32>(take() - '0');
  }
  return value;
}

// The whole name: an encoding, and perhaps the mark of a clone.
std::optional<Tree> Parser::run() {
  if (!take("_Z"))
    return std::nullopt;
  tree_.root = encoding();
  if (!failed_ && peek() == '$' && tree_.nodes[tree_.root].kind == Kind::Encoding) {
    tree_.clone = text_.substr(at_ + 1);
    at_ = text_.size();
  }
  if (failed_ || at_ != text_.size())
    return std::nullopt;
  return std::move(tree_);
}

NodeId Parser::encoding() {
  const Depth depth(*this);
  if (failed_)
    return fail();
  if (peek() == 'T' || peek() == 'G')
    return special();
  u8 qualifiers = 0;
  const NodeId function = name(&qualifiers);
  if (failed_ || at_end() || peek() == 'E')
    return function;
  Node node{.kind = Kind::Encoding, .qualifiers = qualifiers, .a = function};
  if (has_return_type(function))
    node.b = type();
  while (!failed_ && !at_end() && peek() != 'E' && peek() != '$')
    node.list.push_back(type());
  if (node.list.empty())
    return fail();
  return add(std::move(node));
}

// Templates have one, but for constructors, destructors and conversions.
bool Parser::has_return_type(NodeId function) const {
  const Node &node = tree_.nodes[function];
  switch (node.kind) {
  case Kind::Template: {
    NodeId last = node.a;
    while (tree_.nodes[last].kind == Kind::Qualified)
      last = tree_.nodes[last].b;
    return tree_.nodes[last].kind != Kind::Structor && tree_.nodes[last].kind != Kind::Conversion;
  }
  case Kind::Local:
    return has_return_type(node.b);
  default:
    return false;
  }
}

std::string Parser::call_offset() {
  const auto number = [this] {
    const bool negative = take("n");
    const u32 value = digits();
    return fmt::format("{}{}", negative ? "-" : "", value);
  };
  std::string out = "(offset ";
  const bool is_virtual = take("v");
  if (!is_virtual && !take("h"))
    fail();
  out += number();
  if (!take("_"))
    fail();
  if (is_virtual) {
    out += ", virtual offset ";
    out += number();
    if (!take("_"))
      fail();
  }
  out += ") ";
  return out;
}

NodeId Parser::special() {
  Node node{.kind = Kind::Special};
  const auto of_type = [&](const char *text) {
    node.text = text;
    node.a = type();
    return add(std::move(node));
  };
  if (take("TV"))
    return of_type("Virtual function table for ");
  if (take("TT"))
    return of_type("Virtual table table for ");
  if (take("TI"))
    return of_type("Typeinfo for ");
  if (take("TS"))
    return of_type("Typeinfo name for ");
  if (take("GV")) {
    node.text = "Initialization guard variable for ";
    node.a = name(nullptr);
  } else if (take("Tc")) {
    node.text = "Covariant thunk for ";
    node.text += call_offset();
    node.text += call_offset();
    node.a = encoding();
  } else if (peek() == 'T' && (peek(1) == 'h' || peek(1) == 'v')) {
    ++at_;
    node.text = "Thunk for ";
    node.text += call_offset();
    node.a = encoding();
  } else {
    return fail();
  }
  return add(std::move(node));
}

NodeId Parser::name(u8 *qualifiers) {
  const Depth depth(*this);
  if (failed_)
    return fail();
  if (peek() == 'N')
    return nested_name(qualifiers);
  if (peek() == 'Z')
    return local_name(qualifiers);
  NodeId out = kNone;
  const bool reference = peek() == 'S' && peek(1) != 't';
  if (reference)
    out = substitution();
  else if (take("St"))
    out = add({.kind = Kind::Qualified, .a = add({.text = "std"}), .b = unqualified_name(kNone)});
  else
    out = unqualified_name(kNone);
  if (peek() != 'I')
    return reference ? fail() : out;
  if (!reference)
    remember(out);
  return template_of(out);
}

NodeId Parser::template_of(NodeId name) {
  Node node{.kind = Kind::Template, .a = name};
  node.list = template_arguments();
  return add(std::move(node));
}

NodeId Parser::nested_name(u8 *qualifiers) {
  take("N");
  u8 found = cv_qualifiers();
  if (take("R"))
    found |= kLvalue;
  else if (take("O"))
    found |= kRvalue;
  if (qualifiers)
    *qualifiers = found;
  NodeId current = kNone;
  while (!failed_ && !take("E")) {
    bool candidate = true;
    if (peek() == 'I') {
      if (current == kNone)
        return fail();
      current = template_of(current);
    } else if (peek() == 'T' && current == kNone) {
      current = template_parameter();
    } else if (peek() == 'D' && (peek(1) == 't' || peek(1) == 'T') && current == kNone) {
      current = decltype_type();
    } else if (peek() == 'S' && peek(1) != 't' && current == kNone) {
      current = substitution();
      if (tree_.nodes[current].kind == Kind::PrefixUse)
        current = tree_.nodes[current].a;
      candidate = false;
    } else {
      if (current == kNone && take("St"))
        current = add({.text = "std"});
      const NodeId part = unqualified_name(current);
      current = current == kNone ? part : add({.kind = Kind::Qualified, .a = current, .b = part});
    }
    if (candidate && peek() != 'E')
      remember(current, true);
  }
  return current == kNone ? fail() : current;
}

NodeId Parser::local_name(u8 *qualifiers) {
  take("Z");
  const NodeId scope = encoding();
  if (!take("E"))
    return fail();
  NodeId entity = kNone;
  if (peek() == 's' && (peek(1) == '\0' || peek(1) == '_')) {
    take("s");
    entity = add({.text = "string"});
  } else {
    entity = name(qualifiers);
  }
  return add({.kind = Kind::Local, .number = discriminator(), .a = scope, .b = entity});
}

// The second thing of a name in a function has number 0.
u32 Parser::discriminator() {
  if (peek() != '_')
    return 0;
  take("_");
  if (!take("_"))
    return is_digit(peek()) ? static_cast<u32>(take() - '0') + 2 : (fail(), 0);
  const u32 number = digits();
  if (!take("_"))
    fail();
  return number + 2;
}

NodeId Parser::source_name() {
  const u32 size = digits();
  if (failed_ || size == 0 || size > text_.size() - at_)
    return fail();
  const std::string_view text = text_.substr(at_, size);
  at_ += size;
  if (text.starts_with("_INTERNAL_"))
    return add({.kind = Kind::Hidden});
  if (text.starts_with("_GLOBAL__N_"))
    return add({.text = "<unnamed>"});
  return add({.text = std::string(text)});
}

NodeId Parser::unqualified_name(NodeId scope) {
  const Depth depth(*this);
  if (failed_)
    return fail();
  NodeId out = kNone;
  if (is_digit(peek()))
    out = source_name();
  else if (peek() == 'U')
    out = unnamed_type();
  else if (peek() == 'C' || peek() == 'D')
    out = structor(scope);
  else
    out = operator_name();
  while (!failed_ && take("B")) {
    const u32 size = digits();
    if (failed_ || size > text_.size() - at_)
      return fail();
    out = add({.kind = Kind::Tagged, .a = out, .text = std::string(text_.substr(at_, size))});
    at_ += size;
  }
  return out;
}

// Closure types and types without a name.
NodeId Parser::unnamed_type() {
  Node node;
  if (take("Ul")) {
    node.kind = Kind::Lambda;
    while (!failed_ && !take("E"))
      node.list.push_back(type());
  } else if (take("Ut")) {
    node.kind = Kind::Unnamed;
  } else {
    return fail();
  }
  node.number = peek() == '_' ? 1 : digits() + 2;
  if (!take("_"))
    return fail();
  return add(std::move(node));
}

// The last part of a name without template arguments.
std::string Parser::short_name(NodeId id) const {
  const Node &node = tree_.nodes[id];
  switch (node.kind) {
  case Kind::Qualified:
    return short_name(node.b);
  case Kind::Template:
  case Kind::PrefixUse:
    return short_name(node.a);
  case Kind::Tagged:
    return fmt::format("{}[abi:{}]", short_name(node.a), node.text);
  case Kind::Std: {
    const std::string text = node.text.substr(0, node.text.find('<'));
    return text.substr(text.rfind(':') + 1);
  }
  default:
    return node.text;
  }
}

NodeId Parser::structor(NodeId scope) {
  const char letter = take();
  const char digit = take();
  if (scope == kNone || digit < (letter == 'C' ? '1' : '0') || digit > '3' ||
      (letter == 'D' && digit == '3'))
    return fail();
  return add({.kind = Kind::Structor,
              .number = static_cast<u32>(digit - '0') + (letter == 'D' ? 10 : 0),
              .text = fmt::format("{}{}", letter == 'D' ? "~" : "", short_name(scope))});
}

u8 Parser::cv_qualifiers() {
  u8 out = 0;
  for (;;) {
    if (take("r"))
      out |= kRestrict;
    else if (take("V"))
      out |= kVolatile;
    else if (take("K"))
      out |= kConst;
    else
      return out;
  }
}

std::optional<Tree> parse(std::string_view name) {
  return Parser(name).run();
}

} // namespace culink::demangling
