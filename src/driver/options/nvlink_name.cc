// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ names as nvlink writes them in messages and in its call graph. Its demangler puts const first
// and a blank before `*`, names the variant of a constructor, and has other words for lambdas and
// unnamed namespaces. This file rewrites the text of the library's demangler.
//
// The result equals nvlink's for functions without template arguments
// (tests/unit/nvlink_demangled_names.txt). nvlink shows a type that depends on a template parameter
// as `T1`; the library and this file write the argument instead (Q091).
#include "driver/options/nvlink_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "support/demangle.h"
#include "support/types.h"

namespace culink {

namespace {

constexpr std::string_view kOperator = "operator", kConst = "const ";

bool is_identifier(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Rewriter {
public:
  explicit Rewriter(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string run() {
    while (!text_.empty())
      if (!take_operator() && !take_qualifier() && !take_other_word())
        take_character();
    return std::move(out_);
  }

private:
  bool take_operator();
  bool take_qualifier();
  bool take_other_word();
  void take_character();

  // Replaces `size` characters of the library's text by `words` of nvlink's.
  bool take(size_t size, std::string_view words) {
    out_ += words;
    text_.remove_prefix(size);
    return true;
  }
  [[nodiscard]] bool is_after_type() const {
    return !out_.empty() &&
           (is_identifier(out_.back()) || out_.back() == '>' || out_.back() == ']');
  }
  [[nodiscard]] size_t start_of_type() const;
  [[nodiscard]] bool is_owner(std::string_view type) const;

  std::string_view text_; // the rest of the input
  std::string out_;
};

// The start of the last type in the output, after a comma or an opening bracket.
size_t Rewriter::start_of_type() const {
  const std::string_view out = out_;
  size_t at = out.size();
  for (i64 depth = 0; at > 0; --at) {
    const char c = out[at - 1];
    depth += (c == ')' || c == '>' || c == ']') - (c == '(' || c == '<' || c == '[');
    if (depth < 0 || (depth == 0 && (c == ',' || out.substr(0, at).ends_with("operator "))))
      break;
  }
  return std::min(out.find_first_not_of(' ', at), out.size());
}

// True for the class of the function itself, after which nvlink writes no blank: `S::f(const S&)`.
// A class in a function has only its own name: `f()::S::g(S&)`.
bool Rewriter::is_owner(std::string_view type) const {
  if (type.starts_with(kConst))
    type.remove_prefix(kConst.size());
  const std::string path = std::string(type) + "::";
  return out_.starts_with(path) || out_.find(")::" + path) != std::string::npos;
}

// Writes `operator=(` as `operator =(` and `operator delete(` as `operator delete (`.
bool Rewriter::take_operator() {
  if (!text_.starts_with(kOperator) || (!out_.empty() && is_identifier(out_.back())))
    return false;
  constexpr std::string_view kLiteral = "operator\"\" ";
  if (text_.starts_with(kLiteral))
    return take(kLiteral.size(), "operator \"\"");
  for (const std::string_view word : {" new[]", " new", " delete[]", " delete"})
    if (text_.substr(kOperator.size()).starts_with(word))
      return take(kOperator.size() + word.size(), fmt::format("{}{} ", kOperator, word));
  size_t end = kOperator.size();
  if (text_.substr(end).starts_with(' ')) // a conversion operator
    return take(end + 1, "operator ");
  end =
      std::min(text_.find('(', end + (text_.substr(end).starts_with("()") ? 1 : 0)), text_.size());
  return take(
      end, fmt::format("{} {}", kOperator, text_.substr(kOperator.size(), end - kOperator.size())));
}

bool Rewriter::take_qualifier() {
  for (const std::string_view word : {" const", " volatile"}) {
    if (!text_.starts_with(word) ||
        (text_.size() > word.size() && is_identifier(text_[word.size()])))
      continue;
    if (out_.ends_with('*'))
      return take(word.size(), word.substr(1));
    if (!is_after_type() || out_.ends_with(") const")) // of a member function
      return take(word.size(), word);
    size_t at = start_of_type();
    if (out_.compare(at, kConst.size(), kConst) == 0)
      at += kConst.size();
    out_.insert(at, fmt::format("{} ", word.substr(1)));
    return take(word.size(), {});
  }
  return false;
}

bool Rewriter::take_other_word() {
  constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"(anonymous namespace)", "<unnamed>"},
      {"decltype(nullptr)", "std::nullptr_t"},
      {"{", "["},
      {"#", " (instance "},
      {"}", ")]"},
      {" [", "["},
      {" >", ">"},
  });
  for (const auto &[library, nvlink] : kWords)
    if (text_.starts_with(library))
      return take(library.size(), nvlink);
  return (out_.ends_with('*') || out_.ends_with('&')) && text_.starts_with(" (") && take(1, {});
}

void Rewriter::take_character() {
  const bool points = text_[0] == '*' || text_[0] == '&';
  if (points && out_.ends_with("::")) // to a member
    out_.insert(out_.find_last_of(" (") + 1, " :: ");
  else if (points && is_after_type() && !is_owner(std::string_view(out_).substr(start_of_type())))
    out_ += ' ';
  take(1, text_.substr(0, 1));
}

// Returns what nvlink adds to a constructor or destructor that is not for complete objects. `text`
// is its name with parameters: `S::~S()`.
std::string_view kind_of_constructor(std::string_view mangled, std::string_view text) {
  const std::string_view path = text.substr(0, text.find('('));
  const size_t begin = path.rfind("::") + 2;
  const bool destroys = path.substr(begin).starts_with('~');
  const std::string_view owner = path.substr(begin + (destroys ? 1 : 0));
  const std::string spelled = fmt::format("{}{}{}", owner.size(), owner, destroys ? 'D' : 'C');
  const size_t at = mangled.rfind(spelled);
  if (!mangled.starts_with("_ZN") || begin == 1 || at == std::string_view::npos)
    return {};
  const std::string_view kind = mangled.substr(at + spelled.size(), 2);
  return kind == "2E" ? " [subobject]" : kind == "0E" ? " [deleting]" : "";
}

} // namespace

std::string nvlink_name(std::string_view name) {
  const std::string_view mangled = without_file(name);
  // nvlink does not demangle _ZL, the names of static functions.
  const std::string text = mangled.starts_with("_ZL") ? std::string(mangled) : demangle(mangled);
  if (!mangled.starts_with("_Z") || text == mangled)
    return std::string(name);
  std::string out = Rewriter(text).run();
  out += kind_of_constructor(mangled, out);
  return out;
}

} // namespace culink
