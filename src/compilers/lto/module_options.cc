// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc writes the options that concern the optimiser beside the code: "-ftz=0 -prec_div=1
// -prec_sqrt=1 -fmad=1", "-maxreg 40", "-generate-line-info", "-split-compile 2". Optimised as one
// program, all modules
// have the same; a program of which one half rounds in another way than the other cannot be made,
// and nvlink refuses it. Raw modules (.ltoir) have no such record.
#include "compilers/lto/module_options.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "support/option_text.h"

namespace culink {

namespace {

// An option of arithmetic in its three spellings: in the record, in messages (and on nvcc's command
// line), and for the optimiser.
struct Arithmetic {
  std::string_view recorded;
  std::string_view shown;
  std::string_view word;
};
constexpr std::array<Arithmetic, 4> kArithmetic = {{{"-ftz=", "-ftz", "-ftz="},
                                                    {"-prec_div=", "-prec-div", "-prec-div="},
                                                    {"-prec_sqrt=", "-prec-sqrt", "-prec-sqrt="},
                                                    {"-fmad=", "-fmad", "-fma="}}};

std::optional<u32> number_in(std::string_view word) {
  u32 out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  return out;
}

// A module that differs from those before it.
void report_difference(std::string_view option, const ModuleRecord &first,
                       const ModuleRecord &other, Diagnostics &diag) {
  diag.report(DiagId::MixedModuleOptions, {std::string(option), first.name, other.name}, {},
              "compile all of them with the same value");
}

} // namespace

ModuleOptions parse_module_options(std::string_view text) {
  ModuleOptions out;
  const std::vector<std::string> words = option_words(text);
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string &word = words[at];
    for (size_t i = 0; i < kArithmetic.size(); ++i)
      if (word.starts_with(kArithmetic[i].recorded))
        out.arithmetic[i] = word.substr(kArithmetic[i].recorded.size()) != "0";
    if (word == "-generate-line-info")
      out.line_info = true;
    if (at + 1 == words.size())
      break;
    if (word == "-maxreg")
      out.max_registers = number_in(words[++at]);
    else if (word == "-split-compile" && !out.split_compile)
      out.split_compile = number_in(words[++at]);
  }
  return out;
}

ModuleOptions join_module_options(const std::vector<ModuleRecord> &modules,
                                  std::optional<u32> max_registers, Diagnostics &diag) {
  ModuleOptions out;
  const ModuleRecord *limited = nullptr;  // the first module with a number of registers
  const ModuleRecord *threaded = nullptr; // the first with a number of threads
  bool some_unlimited = false, some_without_lines = false;
  for (size_t i = 0; i < modules.size(); ++i) {
    const ModuleOptions one = parse_module_options(modules[i].options);
    for (size_t k = 0; i != 0 && k < kArithmetic.size(); ++k)
      if (one.arithmetic[k] != out.arithmetic[k])
        report_difference(kArithmetic[k].shown, modules.front(), modules[i], diag);
    if (i == 0)
      out.arithmetic = one.arithmetic;
    if (one.max_registers && limited && out.max_registers != one.max_registers && !max_registers)
      report_difference("-maxrregcount", *limited, modules[i], diag);
    if (one.max_registers && !limited) {
      limited = &modules[i];
      out.max_registers = one.max_registers;
    }
    if (one.split_compile && threaded && out.split_compile != one.split_compile)
      report_difference("-split-compile", *threaded, modules[i], diag);
    if (one.split_compile && !threaded) {
      threaded = &modules[i];
      out.split_compile = one.split_compile;
    }
    some_unlimited |= !one.max_registers;
    some_without_lines |= !one.line_info;
    out.line_info |= one.line_info;
  }
  if (diag.failed())
    return out;
  if (out.line_info && some_without_lines)
    diag.report(DiagId::OptionForAll, {"-lineinfo", "-lineinfo"});
  if (limited && some_unlimited && !max_registers)
    diag.report(DiagId::OptionForAll,
                {"-maxrregcount", fmt::format("-maxrregcount={}", *out.max_registers)});
  if (max_registers)
    out.max_registers = max_registers;
  return out;
}

std::vector<std::string> arithmetic_words(const ModuleOptions &options,
                                          const std::vector<std::string> &given) {
  std::vector<std::string> out;
  for (size_t i = 0; i < kArithmetic.size(); ++i) {
    const bool has = std::any_of(given.begin(), given.end(), [i](const std::string &word) {
      return word.starts_with(kArithmetic[i].word);
    });
    if (!has)
      out.push_back(fmt::format("{}{}", kArithmetic[i].word, options.arithmetic[i] ? 1 : 0));
  }
  return out;
}

// Each release has written another number there.
std::string release_of_ltoir(ByteSpan module) {
  constexpr size_t kPlace = 7;
  constexpr std::pair<u8, std::string_view> kReleases[] = {
      {0x62, "13.0"}, {0x6b, "13.1"}, {0x72, "13.2"}, {0x73, "13.3"}, {0x78, "13.4"}};
  for (const auto &[number, release] : kReleases)
    if (module.size() > kPlace && module[kPlace] == number)
      return std::string(release);
  return "";
}

} // namespace culink
