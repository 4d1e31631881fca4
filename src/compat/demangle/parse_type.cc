// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, template arguments and references back to what a mangled name has spelled out already.
//
// What may surprise: a reference back to a part of a nested name (S0_ for W<int> in
// W<int>::f(W<int>&)) is marked, because nvlink prints it with another spacing than the same type
// elsewhere.
#include <array>

#include <fmt/format.h>

#include "compat/demangle/parser.h"

namespace culink::demangling {

namespace {

struct Builtin {
  char code;
  std::string_view text;
};
constexpr std::array<Builtin, 22> kBuiltins = {{
    {'v', "void"},        {'w', "wchar_t"},
    {'b', "bool"},        {'c', "char"},
    {'a', "signed char"}, {'h', "unsigned char"},
    {'s', "short"},       {'t', "unsigned short"},
    {'i', "int"},         {'j', "unsigned int"},
    {'l', "long"},        {'m', "unsigned long"},
    {'x', "long long"},   {'y', "unsigned long long"},
    {'n', "__int128"},    {'o', "unsigned __int128"},
    {'f', "float"},       {'d', "double"},
    {'e', "long double"}, {'g', "__float128"},
    {'z', "..."},         {'?', ""},
}};
constexpr std::array<Builtin, 7> kTwoLetterBuiltins = {{
    {'n', "std::nullptr_t"},
    {'i', "char32_t"},
    {'s', "char16_t"},
    {'u', "char8_t"},
    {'a', "auto"},
    {'c', "decltype(auto)"},
    {'h', "__fp16"},
}};
constexpr std::array<Builtin, 6> kAbbreviations = {{
    {'a', "std::allocator"},
    {'b', "std::basic_string"},
    {'s', "std::basic_string<char, std::char_traits<char>, std::allocator<char>>"},
    {'i', "std::basic_istream<char, std::char_traits<char>>"},
    {'o', "std::basic_ostream<char, std::char_traits<char>>"},
    {'d', "std::basic_iostream<char, std::char_traits<char>>"},
}};

template <size_t N> std::string_view find(const std::array<Builtin, N> &table, char code) {
  for (const Builtin &row : table)
    if (row.code == code)
      return row.text;
  return {};
}

} // namespace

void Parser::remember(NodeId id, bool prefix) {
  substitutions_.push_back({id, prefix});
}

NodeId Parser::substitution() {
  take("S");
  if (const std::string_view text = find(kAbbreviations, peek()); !text.empty()) {
    ++at_;
    return add({.kind = Kind::Std, .text = std::string(text)});
  }
  u32 number = 0;
  if (peek() != '_') {
    while (!failed_ && peek() != '_') {
      const char c = take();
      if (!is_digit(c) && (c < 'A' || c > 'Z'))
        return fail();
      number = number * 36 + static_cast<u32>(is_digit(c) ? c - '0' : c - 'A' + 10);
      if (number > substitutions_.size())
        return fail();
    }
    ++number;
  }
  if (!take("_") || number >= substitutions_.size())
    return fail();
  const Substitution found = substitutions_[number];
  return found.prefix ? add({.kind = Kind::PrefixUse, .a = found.node}) : found.node;
}

NodeId Parser::template_parameter() {
  if (!take("T"))
    return fail();
  const u32 number = peek() == '_' ? 1 : digits() + 2;
  if (!take("_"))
    return fail();
  return add({.kind = Kind::Parameter, .number = number});
}

std::vector<NodeId> Parser::template_arguments() {
  std::vector<NodeId> out;
  if (!take("I"))
    fail();
  while (!failed_ && !take("E"))
    out.push_back(template_argument());
  return out;
}

NodeId Parser::template_argument() {
  const Depth depth(*this);
  if (failed_)
    return fail();
  if (peek() == 'L')
    return literal();
  if (take("X")) {
    const NodeId out = expression();
    return take("E") ? out : fail();
  }
  if (!take("J"))
    return type();
  Node pack{.kind = Kind::Pack};
  while (!failed_ && !take("E"))
    pack.list.push_back(template_argument());
  return add(std::move(pack));
}

// One type, which later ones may refer to unless it is as short as a reference.
NodeId Parser::type() {
  const Depth depth(*this);
  if (failed_)
    return fail();
  const char c = peek();
  if (const std::string_view text = find(kBuiltins, c); !text.empty() && c != '?') {
    ++at_;
    return add({.kind = Kind::Builtin, .text = std::string(text)});
  }
  if (c == 'D')
    if (const std::string_view text = find(kTwoLetterBuiltins, peek(1)); !text.empty()) {
      at_ += 2;
      return add({.kind = Kind::Builtin, .text = std::string(text)});
    }
  if (take("DF16_"))
    return add({.kind = Kind::Builtin, .text = "_Float16"});
  if (c == 'S' && peek(1) != 't') {
    const NodeId out = substitution();
    if (peek() != 'I')
      return out;
    const NodeId instance = template_of(add({.kind = Kind::PrefixUse, .a = out}));
    remember(instance);
    return instance;
  }
  const NodeId out = compound_type();
  remember(out);
  return out;
}

NodeId Parser::compound_type() {
  if (const u8 qualifiers = cv_qualifiers(); qualifiers != 0) {
    const NodeId inner = peek() == 'F' ? function_type() : type(); // of a member: one type
    return add({.kind = Kind::Cv, .qualifiers = qualifiers, .a = inner});
  }
  const auto pointer = [this](const char *text) {
    const NodeId inner = type();
    return add({.kind = Kind::Pointer, .a = inner, .text = text});
  };
  switch (peek()) {
  case 'P':
    ++at_;
    return pointer("*");
  case 'R':
    ++at_;
    return pointer("&");
  case 'O':
    ++at_;
    return pointer("&&");
  case 'F':
    return function_type();
  case 'A':
    return array_type();
  case 'M': {
    ++at_;
    const NodeId of = type();
    const NodeId member = type();
    return add({.kind = Kind::Member, .a = of, .b = member});
  }
  case 'T': {
    const NodeId parameter = template_parameter();
    if (peek() != 'I')
      return parameter;
    remember(parameter);
    return template_of(parameter);
  }
  case 'D':
    return letter_d_type();
  case 'C': {
    ++at_;
    const NodeId inner = type();
    return add({.kind = Kind::Spaced, .a = inner, .text = "_Complex $ "});
  }
  case 'U': {
    ++at_;
    const NodeId qualifier = source_name();
    const NodeId inner = type();
    return add({.kind = Kind::Vendor, .a = inner, .text = tree_.nodes[qualifier].text});
  }
  case 'u':
    ++at_;
    return source_name();
  default:
    return name(nullptr);
  }
}

NodeId Parser::decltype_type() {
  at_ += 2;
  const NodeId inner = expression();
  return take("E") ? add({.kind = Kind::Decltype, .a = inner}) : fail();
}

NodeId Parser::letter_d_type() {
  if (take("Dp")) {
    const NodeId inner = type();
    return add({.kind = Kind::Expansion, .a = inner});
  }
  if (take("Dv")) {
    const u32 count = digits();
    if (!take("_"))
      return fail();
    const NodeId inner = type();
    return add({.kind = Kind::Spaced,
                .a = inner,
                .text = fmt::format("$ __attribute((vector_size({}*sizeof($)))) ", count)});
  }
  return peek(1) == 't' || peek(1) == 'T' ? decltype_type() : fail();
}

NodeId Parser::function_type() {
  take("F");
  take("Y");
  Node node{.kind = Kind::Function};
  node.a = type();
  while (!failed_ && !take("E")) {
    if (peek(1) == 'E' && (peek() == 'R' || peek() == 'O')) {
      node.qualifiers |= take() == 'R' ? kLvalue : kRvalue;
      continue;
    }
    node.list.push_back(type());
  }
  return add(std::move(node));
}

NodeId Parser::array_type() {
  take("A");
  Node node{.kind = Kind::Array};
  if (is_digit(peek()))
    node.text = std::to_string(digits());
  else if (peek() != '_')
    node.b = expression();
  if (!take("_"))
    return fail();
  node.a = type();
  return add(std::move(node));
}

} // namespace culink::demangling
