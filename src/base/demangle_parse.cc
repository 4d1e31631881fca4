// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of the Itanium C++ ABI, as far as CUDA code and NVIDIA's tools use it. A failure
// anywhere makes the whole name unreadable, as in those tools. Expressions are in
// demangle_expression.cc.
//
// What may surprise: a reference back to a part of a nested name (S0_ for W<int> in
// W<int>::f(W<int>&)) is marked, because it is printed with another spacing than the same type
// elsewhere.
#include "base/demangle_parser.h"

#include <array>

#include <fmt/format.h>

namespace culink::demangling {

namespace {

constexpr u32 kMaxDepth = 250;

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

// Counts how deep the grammar nests, against names made to exhaust the stack.
class Parser::Depth {
public:
  explicit Depth(Parser &parser) : parser_(parser) {
    if (++parser_.depth_ > kMaxDepth)
      parser_.failed_ = true;
  }
  ~Depth() { --parser_.depth_; }
  Depth(const Depth &) = delete;
  Depth &operator=(const Depth &) = delete;

private:
  Parser &parser_;
};

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

std::optional<Tree> parse(std::string_view name) {
  return Parser(name).run();
}

} // namespace culink::demangling
