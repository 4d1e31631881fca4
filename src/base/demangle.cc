// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of symbols as people know them. The C++ part is the library's that every compiler brings
// (__cxa_demangle); this file adds what nvcc, ptxas and clang do to names before and after
// mangling:
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
// tests/unit/demangled_names.txt has more of them, and what makes them.
//
// Names come from files that anybody may have written, and the library takes whatever time and
// memory a name asks for: one of 400 characters can stand for a text of gigabytes. So the length of
// a text is computed first (demangled_length.cc).
#include "base/demangle.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

#include <fmt/format.h>

#include "base/demangled_length.h"

namespace culink {

namespace {

constexpr size_t kLongestName = 4096;
constexpr size_t kLongestMangled = 1024; // libstdc++ reads no more
constexpr u64 kMostLetters = u64{1} << 20;
constexpr size_t kLongestText = size_t{1} << 16;
constexpr std::string_view kNamespace = "(anonymous namespace)";
constexpr std::string_view kIn = " in ";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_identifier(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// Leaves out the namespaces _INTERNAL_<hash>_<file>, which hold what is static in a file.
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

// Which one of several variables of one name in a function this is, by what a mangled name has
// behind the name of the variable: nothing, _0, _1 ... or __10_.
u64 instance_of(std::string_view behind) {
  u64 number = 0;
  if (behind.empty())
    return 1;
  behind.remove_prefix(std::min(behind.find_first_not_of('_'), behind.size()));
  std::from_chars(behind.data(), behind.data() + behind.size(), number);
  return number + 2;
}

// `k(float*)::tile`, the name of a variable in a function, as `tile in k(float*)`. The library does
// not tell one variable from another of the same name in the same function.
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

// A name of the C++ ABI, by the library.
std::string standard_name(std::string_view name) {
  const std::string mangled(name);
  // The library reads up to a zero, and another name than this one may never end.
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

// Without what clang puts behind the names of variables and kernels that are static in a file but
// have to be known outside of it: a word and the hash of the file.
std::string_view without_hash(std::string_view name) {
  constexpr size_t kHash = 16;
  for (const std::string_view mark : {"__static__", "__intern__"})
    if (const size_t at = name.rfind(mark);
        at != std::string_view::npos && at != 0 && name.size() == at + mark.size() + kHash &&
        name.find_first_not_of("0123456789abcdef", at + mark.size()) == std::string_view::npos)
      return name.substr(0, at);
  return name;
}

// A name that needs no other beside it.
std::string own_name(std::string_view name) {
  name = without_hash(without_file(name));
  const size_t constants = name.find(".const_opt.");
  if (constants == std::string_view::npos || constants == 0)
    return standard_name(name);
  return fmt::format("{}{}{}", name.substr(constants + 1), kIn,
                     standard_name(name.substr(0, constants)));
}

// Names that begin with a dollar sign are made up by the compiler. Nothing: for a purpose unknown.
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
    const size_t suffix = name.rfind("__"); // and a number
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

// How much of a demangled name is before its parameters or before " in ".
size_t length_without_parameters(std::string_view text) {
  text = text.substr(0, std::min(text.find(kIn), text.size()));
  size_t at = text.find('(');
  while (at != std::string_view::npos && text.substr(at).starts_with(kNamespace))
    at = text.find('(', at + 1);
  return std::min(at, text.size());
}

// Part of `wanted` that a mangled name has if it has this meaning; empty: not known.
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
  return head == wanted || head.ends_with(fmt::format(" {}", wanted)); // behind a result
}

} // namespace culink
