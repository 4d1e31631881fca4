// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readable names of symbols. C++ names are demangled by the library of every compiler
// (__cxa_demangle); this file handles the changes that nvcc, ptxas and clang make to names before
// and after mangling:
//
//   __nv_static_29__264b0677_13_names_test_cu_gp_<name>   static, of a file compiled with -rdc=true
//   _ZN38_INTERNAL_264b0677_13_names_test_cu_gp4statEPKf  the same as a namespace
//   $___ZZ1kPfE4tile__321                                 a shared variable of a function
//   $_Z1kPf$_Z4statPKf                                    a function for one kernel alone
//   $__internal_0_$__cuda_sm20_div_rn_f64_full            a function of the compiler's own
//   _Z1kPf.const_opt.0.16                                 constants of a function
//   $str, $str$1                                          string literals
//   _ZL5quietPi__intern__9eed1b57994f4e6d                 static, of a file compiled by clang
//
// tests/unit/demangled_names.txt has more examples, with the tools that make them.
//
// Names come from untrusted files, and the library uses unbounded time and memory: a name of 400
// characters can expand to gigabytes. So a bound for the length is computed first
// (is_demangled_within).
#include "support/demangle.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "support/types.h"

namespace culink {

// A bound for the length of a demangled name, computed without demangling. A mangled name refers
// back to its own parts (S0_) and to its template arguments (T_). A part that refers twice to the
// part before it doubles the text, so that a few hundred characters can expand to more than any
// memory. The library has no bound for that, so support/demangle.cc computes one first.
//
// One pass adds up letters. Parts are numbered in the order in which they end. So part N ends
// before the first reference to it or to a later part, and is not longer than the text before that
// reference; this is the bound of each reference to it. The bound of a template argument is the
// text before the first T_. If functions are nested, an argument may come later; then its bound is
// the length of the whole name in the previous pass.
//
// What may surprise: the name is not parsed. A number is the length of a name that follows, except
// where the mangling has other numbers. If both are possible, the rest must not depend on the
// choice; if it does, the bound assumes that each reference doubles the text. Of the 82,000 names
// in LLVM's libraries, 3 in 1,000 exceed a bound of a million, although none of them is that long.
// Names for which the library does not terminate have no bound at all.

namespace {

constexpr u32 kMostFunctions = 4;
constexpr u32 kPackDoublings = 7; // a pack is assumed to have less than 128 members

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_base36(char c) {
  return is_decimal(c) || (c >= 'A' && c <= 'Z');
}

class LengthPass {
public:
  // `argument`: bound for a template argument; 0: the text before the first use of an argument.
  LengthPass(std::string_view text, u64 limit, u64 argument)
      : text_(text), limit_(limit), argument_(argument) {}

  void run() {
    while (at_ < text_.size() && length_ <= limit_)
      read_token();
  }

  [[nodiscard]] u64 length() const { return length_; }
  [[nodiscard]] bool sure() const { return sure_; }
  [[nodiscard]] u32 references() const { return references_; }
  [[nodiscard]] u32 functions() const { return functions_; } // in the outermost name

private:
  // The last token. Other values are letters of the mangling.
  enum Token : char { kNothing, kName, kNumber, kReference };

  void read_token();
  void read_number();
  void read_part_reference(size_t end);
  void read_argument_reference(size_t end);

  [[nodiscard]] char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  // Returns the end of the reference or literal that begins at `at`; 0 if there is none.
  [[nodiscard]] size_t end_of_reference(size_t at, char letter) const;
  [[nodiscard]] size_t end_of_literal() const;
  [[nodiscard]] bool may_be_no_name(char next) const;
  [[nodiscard]] bool is_independent(size_t begin, u64 size) const;

  void put(u64 length, char token, size_t end) {
    length_ += length;
    before_ = last_;
    last_ = token;
    at_ = end;
  }

  std::string_view text_;
  u64 limit_;
  u64 argument_;
  size_t at_ = 0;
  u64 length_ = 0;
  char last_ = kNothing;
  char before_ = kNothing;
  bool sure_ = true;
  u32 references_ = 0;
  u32 functions_ = 0;
  std::vector<u64> parts_; // bounds of their lengths, by number of the part
};

// S_, S0_, SA_ ... or T_, T0_ ...
size_t LengthPass::end_of_reference(size_t at, char letter) const {
  if (at >= text_.size() || text_[at] != letter)
    return 0;
  for (++at; at < text_.size() && (letter == 'S' ? is_base36(text_[at]) : is_decimal(text_[at]));)
    ++at;
  return at < text_.size() && text_[at] == '_' ? at + 1 : 0;
}

// Returns the end of a literal with a type of one letter: Li5E, Lin5E, Lf3f800000E.
size_t LengthPass::end_of_literal() const {
  if (peek() != 'L' || !is_small(peek(1)))
    return 0;
  const size_t begin = at_ + (peek(2) == 'n' ? 3 : 2);
  const size_t end = std::min(text_.find_first_not_of("0123456789abcdef", begin), text_.size());
  return end > begin && end < text_.size() && text_[end] == 'E' ? end + 1 : 0;
}

// True if a number may be something other than the length of a name: the number of a constructor or
// destructor (C1, D0), of equal names in a function (_0, E1_, t1_, d1_), of a parameter (p1_, L1p),
// of elements (v4_), of a thunk (h16_, n16_), or the value of an enumeration.
bool LengthPass::may_be_no_name(char next) const {
  constexpr std::string_view kBeforeNumbers = "EtdpvhnF";
  if (last_ == 'C' || last_ == 'D' || last_ == '_' || (last_ == 'I' && before_ == 'C'))
    return true;
  if (next == '_')
    return kBeforeNumbers.find(last_) != std::string_view::npos;
  if (next == 'E')
    return last_ == 'E' || last_ == kName || last_ == kReference;
  return last_ == 'L' && next == 'p';
}

// True if the rest is read in the same way whether these characters are one name or not.
bool LengthPass::is_independent(size_t begin, u64 size) const {
  for (size_t i = begin; i < begin + size; ++i)
    if (is_decimal(text_[i]) || end_of_reference(i, 'S') != 0 || end_of_reference(i, 'T') != 0)
      return false;
  return true;
}

void LengthPass::read_number() {
  u64 size = 0;
  size_t end = at_;
  for (; end < text_.size() && is_decimal(text_[end]); ++end)
    size = std::min<u64>(size * 10 + static_cast<u64>(text_[end] - '0'), text_.size());
  const char next = end < text_.size() ? text_[end] : '\0';
  if ((last_ == 'A' && next == '_') || (last_ == 'F' && before_ == 'D')) // A4_, DF16_
    return put(1, kNumber, end);
  const bool may_be_name = size != 0 && size <= text_.size() - end;
  if (may_be_no_name(next))
    sure_ = sure_ && (may_be_name ? is_independent(end, size) : end == at_ + 1 || next == '_');
  if (may_be_name)
    put(size, kName, end + size);
  else
    put(1, kNumber, end);
}

void LengthPass::read_part_reference(size_t end) {
  u64 number = 0;
  for (size_t i = at_ + 1; i + 1 < end; ++i)
    number = std::min<u64>(
        number * 36 + static_cast<u64>(is_decimal(text_[i]) ? text_[i] - '0' : text_[i] - 'A' + 10),
        text_.size());
  number += end - at_ > 2 ? 1 : 0;
  ++references_;
  // aS, lS and rS may be the beginnings of operators.
  const bool surely = last_ != 'a' && last_ != 'l' && last_ != 'r';
  if (surely && number < text_.size() && parts_.size() <= number)
    parts_.resize(number + 1, length_);
  put(number < parts_.size() ? parts_[number] : length_, kReference, end);
}

void LengthPass::read_argument_reference(size_t end) {
  ++references_;
  if (argument_ == 0)
    argument_ = length_;
  put(argument_, kReference, end);
}

void LengthPass::read_token() {
  if (is_decimal(peek()))
    return read_number();
  if (const size_t end = end_of_literal(); end != 0)
    return put(1, 'E', end);
  if (const size_t end = end_of_reference(at_, 'S'); end != 0)
    return read_part_reference(end);
  if (const size_t end = end_of_reference(at_, 'T'); end != 0)
    return read_argument_reference(end);
  if (peek() == 'S' && is_small(peek(1))) // a name in std
    return put(1, kReference, at_ + 2);
  if (peek() == 'D' && peek(1) == 'p') { // a pack: type and preceding text for each member
    size_t end = at_ + 2;
    while (end < text_.size() &&
           std::string_view("OPRKV").find(text_[end]) != std::string_view::npos)
      ++end;
    if (end_of_reference(end, 'T') == 0) {
      sure_ = false;
      references_ += kPackDoublings;
    }
  }
  // Arguments of conversions come after their use.
  functions_ += peek() == 'Z' || (peek() == 'c' && peek(1) == 'v') ? 1 : 0;
  put(1, peek(), at_ + 1);
}

// Returns the end of the name that begins at `at` with its length; 0 if there is none.
size_t end_of_source_name(std::string_view text, size_t at) {
  u64 size = 0;
  for (; at < text.size() && is_decimal(text[at]); ++at)
    size = std::min<u64>(size * 10 + static_cast<u64>(text[at] - '0'), text.size());
  return size != 0 && size <= text.size() - at ? at + size : 0;
}

// Returns the end of the names of the function and its scopes: 4norm of _Z4normPKfi.
size_t end_of_first_names(std::string_view text) {
  size_t at = std::min(text.find_first_not_of("_ZNKVrRO"), text.size());
  while (at < text.size()) {
    if (text.substr(at).starts_with("St"))
      at += 2;
    else if (text[at] == 'L')
      ++at;
    else if (const size_t end = end_of_source_name(text, at); end != 0)
      at = end;
    else
      break;
  }
  return at;
}

// Reads names with arguments (3std11is_integralIT_EE) of the usual kinds only.
class QualifierReader {
public:
  QualifierReader(std::string_view text, size_t at) : text_(text), at_(at) {}

  // Names up to an E.
  [[nodiscard]] bool read_names() {
    do {
      if (!read_name())
        return false;
    } while (peek() != 'E');
    ++at_;
    return true;
  }

private:
  static constexpr u32 kDeepest = 32;

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool read_name() {
    at_ = end_of_source_name(text_, at_);
    return at_ != 0 && (peek() != 'I' || read_arguments());
  }
  bool read_arguments() {
    if (++depth_ > kDeepest)
      return false;
    for (++at_; peek() != 'E';)
      if (!read_argument())
        return false;
    ++at_;
    --depth_;
    return true;
  }
  bool read_argument() {
    at_ = std::min(text_.find_first_not_of("PRKOV", at_), text_.size());
    const char first = peek();
    if (is_decimal(first))
      return read_name();
    ++at_;
    switch (first) {
    case 'N':
      return read_names();
    case 'T':
      return read_number('_');
    case 'L':
      ++at_; // the type
      return read_number('E');
    case 'S':
      if (peek() == 't')
        return ++at_, read_name();
      // The number may be of a missing part; the library stops at an E.
      at_ = std::min(text_.find('_', at_), text_.size() - 1) + 1;
      return peek() == 'E';
    default:
      return std::string_view("vwbcahstijlmxynofdeg").find(first) != std::string_view::npos;
    }
  }
  // Reads a number, which may be missing, and the character after it.
  bool read_number(char end) {
    while (is_decimal(peek()))
      ++at_;
    return peek() == end && ++at_ != 0;
  }

  std::string_view text_;
  size_t at_;
  u32 depth_ = 0;
};

// True if the library may not terminate. The library of GCC 12 has this problem after an `sr` that
// begins with names (sr3std5valueE): it does not notice that the next part is not a name, and
// retries. An `sr` is part of an expression, which occurs in decltypes, template arguments and
// array bounds.
bool may_never_end(std::string_view name) {
  name.remove_prefix(end_of_first_names(name));
  for (size_t at = name.find("sr"); at != std::string_view::npos; at = name.find("sr", at + 1)) {
    const char next = at + 2 < name.size() ? name[at + 2] : 'E';
    const bool begins_a_name = is_decimal(next) || (next >= 'a' && next <= 'z') || next == 'C' ||
                               next == 'L' || next == 'U';
    if (begins_a_name && name.substr(0, at).find_first_of("ADQX") != std::string_view::npos &&
        !QualifierReader(name, at + 2).read_names())
      return true;
  }
  return false;
}

} // namespace

bool is_demangled_within(std::string_view name, u64 limit) {
  if (may_never_end(name))
    return false;
  for (const std::string_view prefix : {"_Z", "Z"}) // prefix of a name, and of a name in a function
    if (name.starts_with(prefix))
      name.remove_prefix(prefix.size());
  LengthPass pass(name, limit, 0);
  pass.run();
  if (!pass.sure() || pass.functions() > kMostFunctions)
    return pass.references() < 32 && name.size() << pass.references() <= limit;
  if (pass.functions() == 0)
    return pass.length() <= limit;
  u64 argument = 1;
  for (u32 i = 0; i < pass.functions() + 2 && argument <= limit; ++i) {
    LengthPass next(name, limit, argument);
    next.run();
    argument = next.length();
  }
  return argument <= limit;
}

namespace {

constexpr size_t kLongestName = 4096;
constexpr size_t kLongestMangled = 1024; // limit of libstdc++
constexpr u64 kMostLetters = u64{1} << 20;
constexpr size_t kLongestText = size_t{1} << 16;
constexpr std::string_view kNamespace = "(anonymous namespace)";
constexpr std::string_view kIn = " in ";

bool is_identifier(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_decimal);
}

// Removes the namespaces _INTERNAL_<hash>_<file>, which contain the static symbols of a file.
std::string without_internal_namespaces(std::string text) {
  constexpr std::string_view kInternal = "_INTERNAL_";
  constexpr size_t kHash = 8;
  for (size_t at = text.find(kInternal); at != std::string::npos; at = text.find(kInternal, at)) {
    size_t end = at + kInternal.size();
    while (end < text.size() && is_identifier(text[end]))
      ++end;
    const std::string_view file = std::string_view(text).substr(at + kInternal.size());
    const bool made_by_nvcc = (at == 0 || !is_identifier(text[at - 1])) &&
                              text.compare(end, 2, "::") == 0 && file.size() > kHash &&
                              file[kHash] == '_' &&
                              file.find_first_not_of("0123456789abcdef") == kHash;
    if (made_by_nvcc)
      text.erase(at, end + 2 - at);
    else
      at = end;
  }
  return text;
}

// Returns the number of a variable among several of one name in a function, from the suffix of the
// mangled variable name: empty, _0, _1 ... or __10_.
u64 instance_of(std::string_view behind) {
  u64 number = 0;
  if (behind.empty())
    return 1;
  behind.remove_prefix(std::min(behind.find_first_not_of('_'), behind.size()));
  std::from_chars(behind.data(), behind.data() + behind.size(), number);
  return number + 2;
}

// Returns `k(float*)::tile`, the name of a variable in a function, as `tile in k(float*)`. The
// library does not distinguish variables of one name in one function.
std::string variable_in_function(std::string_view name, const std::string &text) {
  size_t begin = text.size();
  while (begin > 0 && is_identifier(text[begin - 1]))
    --begin;
  const std::string_view variable = std::string_view(text).substr(begin);
  if (variable.empty() || begin < 3 || text.compare(begin - 2, 2, "::") != 0)
    return text;
  const std::string spelled = fmt::format("{}{}", variable.size(), variable);
  const size_t at = name.rfind(spelled);
  const u64 instance =
      at == std::string_view::npos ? 1 : instance_of(name.substr(at + spelled.size()));
  return fmt::format("{}{}{}{}", variable, instance == 1 ? "" : fmt::format("#{}", instance), kIn,
                     text.substr(0, begin - 2));
}

// Demangles a name of the C++ ABI by the library.
std::string standard_name(std::string_view name) {
  const std::string mangled(name);
  // The library reads up to a NUL, and may not terminate for the part before it.
  if (!name.starts_with("_Z") || name.size() > kLongestMangled ||
      name.find('\0') != std::string_view::npos || !is_demangled_within(name, kMostLetters))
    return mangled;
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !plain)
    return mangled;
  const std::string text = without_internal_namespaces(plain.get());
  if (text.size() > kLongestText)
    return mangled;
  return name.starts_with("_ZZ") ? variable_in_function(name, text) : text;
}

// Removes the suffix that clang adds to the names of static variables and kernels that must be
// visible outside of their file: a word and the hash of the file.
std::string_view without_hash(std::string_view name) {
  constexpr size_t kHash = 16;
  for (const std::string_view mark : {"__static__", "__intern__"})
    if (const size_t at = name.rfind(mark);
        at != std::string_view::npos && at != 0 && name.size() == at + mark.size() + kHash &&
        name.find_first_not_of("0123456789abcdef", at + mark.size()) == std::string_view::npos)
      return name.substr(0, at);
  return name;
}

// Returns the readable name of a symbol that does not consist of several names.
std::string own_name(std::string_view name) {
  name = without_hash(without_file(name));
  const size_t constants = name.find(".const_opt.");
  if (constants == std::string_view::npos || constants == 0)
    return standard_name(name);
  return fmt::format("{}{}{}", name.substr(constants + 1), kIn,
                     standard_name(name.substr(0, constants)));
}

// Readable form of a name with a dollar sign, which the compiler made up; "" if the form is
// unknown.
std::string made_up_name(std::string_view name) {
  constexpr std::string_view kLiteral = "$str", kFunction = "$__internal_", kVariable = "$__";
  if (name == kLiteral)
    return "string literal";
  u64 number = 0;
  if (name.starts_with("$str$") && is_number(name.substr(kLiteral.size() + 1)) &&
      std::from_chars(name.data() + kLiteral.size() + 1, name.data() + name.size(), number).ec ==
          std::errc())
    return fmt::format("string literal #{}", number + 1);
  const size_t dollar = name.find('$', 1);
  if (dollar == std::string_view::npos) {
    const size_t suffix = name.rfind("__"); // a number follows
    if (name.starts_with(kVariable) && suffix > kVariable.size() &&
        is_number(name.substr(suffix + 2)))
      return own_name(name.substr(kVariable.size(), suffix - kVariable.size()));
    return {};
  }
  const std::string_view function = name.substr(dollar + 1);
  if (dollar == 1 || function.empty())
    return {};
  if (name.starts_with(kFunction))
    return own_name(function);
  return fmt::format("{}{}{}", own_name(function), kIn, own_name(name.substr(1, dollar - 1)));
}

// Returns the length of a demangled name without its parameters and without " in ...".
size_t length_without_parameters(std::string_view text) {
  text = text.substr(0, std::min(text.find(kIn), text.size()));
  size_t at = text.find('(');
  while (at != std::string_view::npos && text.substr(at).starts_with(kNamespace))
    at = text.find('(', at + 1);
  return std::min(at, text.size());
}

// Returns a part of `wanted` that each matching mangled name contains; "" if not known.
std::string_view necessary_part(std::string_view wanted) {
  if (wanted.find("operator") != std::string_view::npos ||
      wanted.find("std::") != std::string_view::npos)
    return {};
  std::string_view part = wanted.substr(0, length_without_parameters(wanted));
  part = part.substr(0, std::min(part.find_first_of("<#"), part.size()));
  size_t begin = part.size();
  while (begin > 0 && is_identifier(part[begin - 1]))
    --begin;
  return part.substr(begin);
}

} // namespace

std::string_view without_file(std::string_view name) {
  constexpr std::string_view kStatic = "__nv_static_";
  if (!name.starts_with(kStatic))
    return name;
  std::string_view rest = name.substr(kStatic.size());
  size_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  if (error != std::errc() || size == 0 || rest.size() < 2 || size > rest.size() - 2 ||
      rest[0] != '_' || rest[size + 1] != '_' || rest.size() == size + 2)
    return name;
  return rest.substr(size + 2);
}

std::string demangle(std::string_view name) {
  if (name.empty() || name.size() > kLongestName)
    return std::string(name);
  if (name[0] != '$')
    return own_name(name);
  const std::string made_up = made_up_name(name);
  return made_up.empty() ? std::string(name) : made_up;
}

std::string shown_name(std::string_view name, NameStyle style) {
  return style ? style(name) : std::string(name);
}

std::string plain_name(std::string_view name) {
  std::string text = demangle(name);
  text.resize(length_without_parameters(text));
  for (size_t at = text.find(kNamespace); at != std::string::npos; at = text.find(kNamespace))
    text.erase(at, std::min(kNamespace.size() + 2, text.size() - at));
  text.resize(std::min(text.find('<'), text.size()));
  return text.substr(text.rfind(' ') + 1);
}

bool is_called(std::string_view name, std::string_view wanted) {
  if (name == wanted)
    return true;
  if (wanted.empty() || name.find(necessary_part(wanted)) == std::string_view::npos)
    return false;
  const std::string text = demangle(name);
  if (text == wanted)
    return true;
  const std::string_view head = std::string_view(text).substr(0, length_without_parameters(text));
  return head == wanted || head.ends_with(fmt::format(" {}", wanted)); // after a result type
}

} // namespace culink
