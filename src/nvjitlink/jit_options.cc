// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nvJitLink. A word is an option and its value, with an equals sign between them;
// the first word that is wrong ends the list.
//
// What may surprise: nvJitLink takes a word for an option if it only begins like it (-lineinfox,
// -ptxas-options=...), and ignores the rest. Here such words are not recognised.
#include "nvjitlink/jit_options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/target/arch.h"

namespace culink::jit {

namespace {

enum class OptionId : u8 {
  Arch,
  Debug,
  DebugLines,
  Emulate,
  FastCompile,
  Flag,         // sets OptionRow::flag and no more
  ForOptimiser, // goes to the compiler of LTO-IR as it is
  KernelsUsed,
  MaxRegisters,
  Optimisation,
  SplitCompile,
  SplitCompileExtended,
  VariablesUsed,
  Verbose,
  Xnvvm,
  Xptxas,
};

struct OptionRow {
  std::string_view name; // with '=' at its end: a value follows
  OptionId id;
  bool JitOptions::*flag = nullptr;

  [[nodiscard]] bool may_be_empty() const {
    return id == OptionId::ForOptimiser || id == OptionId::SplitCompile;
  }
};

// What only the optimiser understands has no effect without LTO-IR.
constexpr std::array<OptionRow, 27> kOptions = {{
    {"-O0", OptionId::Optimisation},
    {"-O3", OptionId::Optimisation},
    {"-Ofc=", OptionId::FastCompile},
    {"-Xnvvm=", OptionId::Xnvvm},
    {"-Xptxas=", OptionId::Xptxas},
    {"-arch=", OptionId::Arch},
    {"-culink-emulate=", OptionId::Emulate},
    {"-dlto", OptionId::Flag, &JitOptions::lto},
    {"-fma=", OptionId::ForOptimiser},
    {"-ftz=", OptionId::ForOptimiser},
    {"-g", OptionId::Debug, &JitOptions::debug},
    {"-jump-table-density=", OptionId::ForOptimiser},
    {"-kernels-used=", OptionId::KernelsUsed},
    {"-lineinfo", OptionId::DebugLines},
    {"-lto", OptionId::Flag, &JitOptions::lto},
    {"-maxrregcount=", OptionId::MaxRegisters},
    {"-no-cache", OptionId::Flag, &JitOptions::no_cache},
    {"-optimize-unused-variables", OptionId::ForOptimiser},
    {"-prec-div=", OptionId::ForOptimiser},
    {"-prec-sqrt=", OptionId::ForOptimiser},
    {"-ptx", OptionId::Flag, &JitOptions::ptx},
    {"-r", OptionId::Flag, &JitOptions::relocatable},
    {"-split-compile-extended=", OptionId::SplitCompileExtended},
    {"-split-compile=", OptionId::SplitCompile},
    {"-time", OptionId::Flag, &JitOptions::time},
    {"-variables-used=", OptionId::VariablesUsed},
    {"-verbose", OptionId::Verbose, &JitOptions::verbose},
}};

const OptionRow *find_row(std::string_view word) {
  const auto *const found =
      std::find_if(kOptions.begin(), kOptions.end(), [word](const OptionRow &row) {
        return row.name.ends_with('=') ? word.starts_with(row.name) : word == row.name;
      });
  return found == kOptions.end() ? nullptr : found;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "sm_90a": at least two digits, and a letter perhaps.
bool looks_like_target(std::string_view text) {
  for (const std::string_view kind : std::to_array<std::string_view>({"sm_", "compute_", "lto_"}))
    if (text.starts_with(kind)) {
      text.remove_prefix(kind.size());
      return text.size() >= 2 && is_digit(text[0]) && is_digit(text[1]);
    }
  return false;
}

// Targets of earlier releases: those before sm_75, the former names of sm_110, and families before
// sm_100, which libraries before 13.3 take.
bool was_target(std::string_view number) {
  constexpr std::string_view kFormer[] = {"12", "20", "30", "32", "35", "37", "50",  "52",
                                          "53", "60", "61", "62", "70", "72", "101", "102"};
  const std::string_view digits = number.substr(0, number.find_first_not_of("0123456789"));
  if (digits.size() == 2 && number.substr(2) == "f" && arch::find_arch("sm_" + std::string(digits)))
    return true;
  return std::find(std::begin(kFormer), std::end(kFormer), digits) != std::end(kFormer);
}

class Parser {
public:
  ParsedOptions run(const std::vector<std::string> &words);

private:
  void take(const std::string &word);
  void take_unknown(const std::string &word);
  void take_arch(const std::string &word, const std::string &value);
  void take_value(OptionId id, const std::string &word, const std::string &value);
  void check();
  void fail(Code code, std::string error) {
    out_.code = code;
    out_.error = std::move(error);
  }

  ParsedOptions out_;
};

void Parser::take_unknown(const std::string &word) {
  if (word.size() == 3 && word.starts_with("-O") && is_digit(word[2]))
    fail(Code::UnrecognizedOption,
         fmt::format("unsupported value of -O: {}. Only 0 and 3 are supported.", word[2]));
  else
    fail(Code::UnrecognizedOption, "unrecognized option: " + word);
}

void Parser::take_arch(const std::string &word, const std::string &value) {
  if (!looks_like_target(value))
    return fail(
        Code::UnrecognizedOption,
        fmt::format("ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value ({})", word));
  const std::string number = value.substr(value.find('_') + 1);
  if (!arch::find_arch("sm_" + number)) {
    const bool known = was_target(number);
    return fail(known ? Code::UnsupportedArch : Code::UnrecognizedArch,
                fmt::format("ERROR NVJITLINK_ERROR_{}_ARCH: {} architecture (compute_{})",
                            known ? "UNSUPPORTED" : "UNRECOGNIZED",
                            known ? "unsupported" : "unrecognized", number));
  }
  out_.options.ltoir = value.starts_with("lto_");
  out_.options.arch = out_.options.ltoir ? "sm_" + number : value;
}

void append_to(std::optional<std::vector<std::string>> &list, const std::string &value) {
  if (!list)
    list.emplace();
  list->push_back(value);
}

void Parser::take_value(OptionId id, const std::string &word, const std::string &value) {
  JitOptions &options = out_.options;
  switch (id) {
  case OptionId::Arch:
    return take_arch(word, value);
  case OptionId::Debug:
    options.ptxas.push_back(word);
    break;
  case OptionId::DebugLines:
  case OptionId::Optimisation:
    options.ptxas.push_back(word);
    options.lto_words.push_back(word);
    break;
  case OptionId::Emulate:
    options.emulate = value;
    break;
  case OptionId::FastCompile:
    if (value != "0" && value != "min" && value != "mid" && value != "max")
      return fail(Code::UnrecognizedOption,
                  fmt::format("unsupported value of --Ofast-compile (-Ofc): {}. Only 0, min, mid, "
                              "and max are supported.",
                              value));
    options.fast_compile = value;
    options.ptxas.push_back(word);
    break;
  case OptionId::ForOptimiser:
    options.lto_words.push_back(word);
    break;
  case OptionId::KernelsUsed:
    append_to(options.kernels_used, value);
    break;
  case OptionId::MaxRegisters:
    options.max_registers = value;
    options.ptxas.push_back(word);
    break;
  case OptionId::Flag:
    break;
  case OptionId::SplitCompile:
  case OptionId::SplitCompileExtended:
    if (value.starts_with('-'))
      return fail(Code::UnrecognizedOption,
                  fmt::format("argument for {} must be non-negative.",
                              std::string_view(word).substr(0, word.find('='))));
    (id == OptionId::SplitCompile ? options.split_compile : options.split_compile_extended) = value;
    break;
  case OptionId::VariablesUsed:
    append_to(options.variables_used, value);
    break;
  case OptionId::Verbose:
    options.ptxas.emplace_back("-v");
    break;
  case OptionId::Xnvvm:
    options.nvvm.push_back(value);
    break;
  case OptionId::Xptxas:
    options.ptxas.push_back(value);
    break;
  }
}

void Parser::take(const std::string &word) {
  const OptionRow *row = find_row(word);
  if (!row)
    return take_unknown(word);
  const std::string value = word.substr(row->name.size());
  if (row->name.ends_with('=') && value.empty() && !row->may_be_empty())
    return fail(
        Code::UnrecognizedOption,
        fmt::format("ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value ({})", word));
  if (row->flag)
    out_.options.*row->flag = true;
  take_value(row->id, word, value);
}

// What is wrong with all of them together.
void Parser::check() {
  const JitOptions &options = out_.options;
  const auto has_threads = [](const std::string &count) { return !count.empty() && count != "1"; };
  if (has_threads(options.split_compile) && !options.split_compile_extended.empty())
    out_.infos += "'-split-compile' is not compatible with '-split-compile-extended', using "
                  "'-split-compile-extended'\n";
  if (options.ptx && has_threads(options.split_compile_extended))
    out_.infos += "'-ptx' is not compatible with '-split-compile-extended', using "
                  "'-split-compile' instead\n";
  if (options.arch.empty())
    fail(Code::MissingArch, "");
  else if (options.arch.starts_with("compute_") && !options.ptx)
    fail(Code::IncompatibleOptions, "ERROR: virtual arch requires -ptx");
  else if (options.ltoir && options.ptx)
    fail(Code::IncompatibleOptions,
         fmt::format("ERROR: -arch=lto_{} conflicts with -ptx", options.arch.substr(3)));
  else if (options.ptx && !options.lto)
    fail(Code::IncompatibleOptions, "ERROR: -ptx requires -lto");
}

ParsedOptions Parser::run(const std::vector<std::string> &words) {
  for (const std::string &word : words) {
    take(word);
    if (out_.code != Code::Success)
      return std::move(out_);
  }
  check();
  return std::move(out_);
}

} // namespace

ParsedOptions parse_options(const std::vector<std::string> &words) {
  return Parser().run(words);
}

} // namespace culink::jit
