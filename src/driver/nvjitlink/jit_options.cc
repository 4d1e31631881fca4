// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of nvJitLink. A word is an option and its value, with an equals sign between them;
// the first word that is wrong ends the list.
//
// What may surprise: nvJitLink accepts a word that only begins like an option (-lineinfox,
// -ptxas-options=...) and ignores the rest. This library rejects such words.
#include "driver/nvjitlink/jit_options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "driver/options/command_line.h"
#include "elf/target/arch.h"

namespace culink::jit {

namespace {

// An effect of an option besides the effect of its row.
enum class Effect : u8 { None, Arch, FastCompile, SplitCompile, SplitCompileExtended, Verbose };

// The compilers that get the word unchanged.
enum Pass : u8 { kNotPassed = 0, kToPtxas = 1, kToOptimiser = 2, kToBoth = 3 };

struct OptionRow {
  std::string_view name; // ends with '=' if a value follows
  Pass pass = kNotPassed;
  Effect effect = Effect::None;
  OptionField field = {}; // what it sets, or
  bool JitOptions::*session_flag = nullptr;

  [[nodiscard]] bool may_be_empty() const {
    return pass == kToOptimiser || effect == Effect::SplitCompile;
  }
};

// Options that only the optimiser understands have no effect without LTO-IR.
constexpr std::array<OptionRow, 27> kOptions = {{
    {.name = "-O0", .pass = kToBoth},
    {.name = "-O3", .pass = kToBoth},
    {.name = "-Ofc=",
     .pass = kToPtxas,
     .effect = Effect::FastCompile,
     .field = &LtoOptions::fast_compile},
    {.name = "-Xnvvm=", .field = &LtoOptions::nvvm_options},
    {.name = "-Xptxas=", .field = &LinkRequest::ptxas_options},
    {.name = "-arch=", .effect = Effect::Arch},
    {.name = "-culink-emulate=", .field = &LinkRequest::emulate},
    {.name = "-dlto", .field = &LtoOptions::enabled},
    {.name = "-fma=", .pass = kToOptimiser},
    {.name = "-ftz=", .pass = kToOptimiser},
    {.name = "-g", .pass = kToPtxas, .field = &LinkOptions::debug},
    {.name = "-jump-table-density=", .pass = kToOptimiser},
    {.name = "-kernels-used=", .field = &LinkOptions::kernels_used},
    {.name = "-lineinfo", .pass = kToBoth},
    {.name = "-lto", .field = &LtoOptions::enabled},
    {.name = "-maxrregcount=", .pass = kToPtxas, .field = &LtoOptions::max_registers},
    {.name = "-no-cache", .session_flag = &JitOptions::no_cache},
    {.name = "-optimize-unused-variables", .pass = kToOptimiser},
    {.name = "-prec-div=", .pass = kToOptimiser},
    {.name = "-prec-sqrt=", .pass = kToOptimiser},
    {.name = "-ptx", .field = &LtoOptions::emit_ptx},
    {.name = "-r", .field = &LinkOptions::relocatable},
    {.name = "-split-compile-extended=",
     .effect = Effect::SplitCompileExtended,
     .field = &LtoOptions::split_compile_extended},
    {.name = "-split-compile=",
     .effect = Effect::SplitCompile,
     .field = &LtoOptions::split_compile},
    {.name = "-time", .session_flag = &JitOptions::time},
    {.name = "-variables-used=", .field = &LtoOptions::variables_used},
    {.name = "-verbose", .effect = Effect::Verbose, .field = &LinkOptions::facts},
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

// True for a word like "sm_90a": at least two digits, optionally a letter.
bool looks_like_target(std::string_view text) {
  for (const std::string_view kind : std::to_array<std::string_view>({"sm_", "compute_", "lto_"}))
    if (text.starts_with(kind)) {
      text.remove_prefix(kind.size());
      return text.size() >= 2 && is_digit(text[0]) && is_digit(text[1]);
    }
  return false;
}

// True for targets of earlier releases: targets before sm_75, the former names of sm_110, and
// families before sm_100, which libraries before 13.3 accept.
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
  void take_value(Effect effect, const std::string &word, const std::string &value);
  void check();
  void fail(Code code, std::string error) {
    out_.code = code;
    out_.error = std::move(error);
  }

  ParsedOptions out_;
  std::string split_compile_, split_compile_extended_; // as they were given
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
  out_.options.request.target = out_.options.ltoir ? "sm_" + number : value;
}

void Parser::take_value(Effect effect, const std::string &word, const std::string &value) {
  switch (effect) {
  case Effect::None:
    break;
  case Effect::Arch:
    return take_arch(word, value);
  case Effect::FastCompile:
    if (value != "0" && value != "min" && value != "mid" && value != "max")
      return fail(Code::UnrecognizedOption,
                  fmt::format("unsupported value of --Ofast-compile (-Ofc): {}. Only 0, min, mid, "
                              "and max are supported.",
                              value));
    break;
  case Effect::SplitCompile:
  case Effect::SplitCompileExtended:
    if (value.starts_with('-'))
      return fail(Code::UnrecognizedOption,
                  fmt::format("argument for {} must be non-negative.",
                              std::string_view(word).substr(0, word.find('='))));
    (effect == Effect::SplitCompile ? split_compile_ : split_compile_extended_) = value;
    break;
  case Effect::Verbose:
    out_.options.request.ptxas_options.emplace_back("-v");
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
  LinkRequest &request = out_.options.request;
  set_field(row->field, {value}, request);
  if (row->session_flag)
    out_.options.*row->session_flag = true;
  if ((row->pass & kToPtxas) != 0)
    request.ptxas_options.push_back(word);
  if ((row->pass & kToOptimiser) != 0)
    request.lto.library_options.push_back(word);
  take_value(row->effect, word, value);
}

// Checks all options together.
void Parser::check() {
  const LinkRequest &request = out_.options.request;
  const auto has_threads = [](const std::string &count) { return !count.empty() && count != "1"; };
  if (has_threads(split_compile_) && !split_compile_extended_.empty())
    out_.infos += "'-split-compile' is not compatible with '-split-compile-extended', using "
                  "'-split-compile-extended'\n";
  if (request.lto.emit_ptx && has_threads(split_compile_extended_))
    out_.infos += "'-ptx' is not compatible with '-split-compile-extended', using "
                  "'-split-compile' instead\n";
  if (request.target.empty())
    fail(Code::MissingArch, "");
  else if (request.target.starts_with("compute_") && !request.lto.emit_ptx)
    fail(Code::IncompatibleOptions, "ERROR: virtual arch requires -ptx");
  else if (out_.options.ltoir && request.lto.emit_ptx)
    fail(Code::IncompatibleOptions,
         fmt::format("ERROR: -arch=lto_{} conflicts with -ptx", request.target.substr(3)));
  else if (request.lto.emit_ptx && !request.lto.enabled)
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
