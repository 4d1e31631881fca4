// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators, literals and the expressions that stand in template arguments, array bounds and
// decltype.
#include <array>

#include <fmt/format.h>

#include "compat/demangle/parser.h"

namespace culink::demangling {

namespace {

struct OperatorRow {
  std::string_view code;
  std::string_view text;
  u32 operands; // as an expression; 0: not one
};
constexpr std::array<OperatorRow, 50> kOperators = {{
    {"nw", "new ", 0}, {"na", "new[] ", 0}, {"dl", "delete ", 0}, {"da", "delete[] ", 0},
    {"ps", "+", 1},    {"ng", "-", 1},      {"ad", "&", 1},       {"de", "*", 1},
    {"co", "~", 1},    {"pl", "+", 2},      {"mi", "-", 2},       {"ml", "*", 2},
    {"dv", "/", 2},    {"rm", "%", 2},      {"an", "&", 2},       {"or", "|", 2},
    {"eo", "^", 2},    {"aS", "=", 2},      {"pL", "+=", 2},      {"mI", "-=", 2},
    {"mL", "*=", 2},   {"dV", "/=", 2},     {"rM", "%=", 2},      {"aN", "&=", 2},
    {"oR", "|=", 2},   {"eO", "^=", 2},     {"ls", "<<", 2},      {"rs", ">>", 2},
    {"lS", "<<=", 2},  {"rS", ">>=", 2},    {"eq", "==", 2},      {"ne", "!=", 2},
    {"lt", "<", 2},    {"gt", ">", 2},      {"le", "<=", 2},      {"ge", ">=", 2},
    {"nt", "!", 1},    {"aa", "&&", 2},     {"oo", "||", 2},      {"pp", "++", 1},
    {"mm", "--", 1},   {"cm", ",", 2},      {"pm", "->*", 0},     {"pt", "->", 0},
    {"cl", "()", 0},   {"ix", "[]", 0},     {"qu", "?", 0},       {"aw", "co_await ", 0},
    {"ss", "<=>", 2},  {"\x01", "", 0},
}};

} // namespace

NodeId Parser::operator_name() {
  if (take("cv")) {
    const NodeId target = type();
    return add({.kind = Kind::Conversion, .a = target});
  }
  if (take("li")) {
    const NodeId name = source_name();
    return add({.text = fmt::format("operator \"\"{}", tree_.nodes[name].text)});
  }
  for (const OperatorRow &row : kOperators)
    if (take(row.code))
      return add({.text = fmt::format("operator {}", row.text)});
  return fail();
}

// L <type> <value> E, or L_Z <encoding> E.
NodeId Parser::literal() {
  take("L");
  if (take("_Z")) {
    const NodeId named = encoding();
    if (!take("E"))
      return fail();
    const Node &node = tree_.nodes[named];
    return node.kind == Kind::Encoding ? node.a : named;
  }
  if (peek(2) == 'E' && take("Dn")) {
    take("E");
    return add({.kind = Kind::Builtin, .text = "nullptr"});
  }
  const NodeId of = type();
  const size_t end = text_.find('E', at_);
  if (failed_ || end == std::string_view::npos)
    return fail();
  std::string value(text_.substr(at_, end - at_));
  at_ = end + 1;
  if (value.starts_with('n'))
    value[0] = '-';
  return add({.kind = Kind::Literal, .a = of, .text = std::move(value)});
}

// A text with as many operands as it has places for them.
NodeId Parser::form(std::string text, u32 operands) {
  Node node{.kind = Kind::Expression, .text = std::move(text)};
  for (u32 i = 0; i < operands && !failed_; ++i)
    node.list.push_back(expression());
  return add(std::move(node));
}

NodeId Parser::expression() {
  if (++depth_ > 100 || failed_) {
    --depth_;
    return fail();
  }
  const NodeId out = primary_expression();
  --depth_;
  return out;
}

NodeId Parser::primary_expression() {
  if (peek() == 'L')
    return literal();
  if (peek() == 'T')
    return template_parameter();
  if (is_digit(peek()))
    return simple_name();
  if (take("fp")) {
    const u32 number = peek() == '_' ? 1 : digits() + 2;
    if (!take("_"))
      return fail();
    return add({.kind = Kind::Builtin, .text = fmt::format("param#{}", number)});
  }
  if (take("st") || take("sZ")) {
    const NodeId of = type();
    return add({.kind = Kind::Expression, .text = "sizeof($)", .list = {of}});
  }
  if (take("sz"))
    return form("sizeof($)", 1);
  if (take("sr"))
    return scope_expression();
  if (take("cl"))
    return call_expression();
  if (take("cv")) {
    const NodeId to = type();
    const NodeId what = expression();
    return add({.kind = Kind::Expression, .text = "($)$", .list = {to, what}});
  }
  if (take("dt"))
    return form("$.$", 2);
  if (take("pt"))
    return form("($->$)", 2);
  if (take("ix"))
    return form("$[$]", 2);
  if (take("qu"))
    return form("$?$:$", 3);
  for (const OperatorRow &row : kOperators)
    if (row.operands != 0 && take(row.code))
      return form(row.operands == 1 ? fmt::format("{}$", row.text) : fmt::format("${}$", row.text),
                  row.operands);
  return fail();
}

NodeId Parser::simple_name() {
  const NodeId name = take("on") ? operator_name() : source_name();
  return peek() == 'I' ? template_of(name) : name;
}

NodeId Parser::qualified(NodeId scope, NodeId member) {
  return add({.kind = Kind::Qualified, .a = scope, .b = member});
}

// A qualified name that depends on a template parameter: of a type, or written out to an E.
NodeId Parser::scope_expression() {
  NodeId scope = kNone;
  if (is_digit(peek()))
    scope = simple_name();
  else if (take("N"))
    scope = type();
  else {
    scope = type();
    return qualified(scope, simple_name());
  }
  while (!failed_ && !take("E"))
    scope = qualified(scope, simple_name());
  return qualified(scope, simple_name());
}

NodeId Parser::call_expression() {
  Node node{.kind = Kind::Expression, .text = "$("};
  node.list.push_back(expression());
  while (!failed_ && !take("E")) {
    node.text += node.list.size() > 1 ? ", $" : "$";
    node.list.push_back(expression());
  }
  node.text += ")";
  return add(std::move(node));
}

} // namespace culink::demangling
