// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of nvlink: -v, -dump-callgraph and --register-link-binaries. Programs parse them, so each
// has nvlink's form; where nvlink's numbers are incomplete, Wording::Own prints the full ones.
#include "inspect/report/nvlink_reports.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "support/text_out.h"

namespace culink {

// -v: memory of the program, then two lines per kernel. Kernels come in the reverse of the
// order in which the inputs define them; textures and surfaces only if there are some.
// The stack of a recursive kernel is its own frame.
//
// nvlink does not include constants and images of Mercury code, and shows a stack of 2 GiB and more
// as a negative number.

namespace {

std::string bank_list(const std::vector<BankFacts> &banks) {
  std::string out;
  for (const BankFacts &bank : banks)
    out += fmt::format(", {} bytes cmem[{}]", bank.bytes, bank.bank);
  return out;
}

std::string kernel_line(const KernelFacts &kernel, Wording wording) {
  const i64 stack = wording == Wording::Nvlink ? i64{static_cast<i32>(kernel.stack)}
                                               : static_cast<i64>(kernel.stack);
  std::string out =
      fmt::format("used {} registers, used {} barriers, {} stack, {} bytes smem{}, {} bytes lmem",
                  kernel.registers, kernel.barriers, stack, kernel.shared,
                  bank_list(kernel.constants), kernel.local);
  if (kernel.textures != 0)
    out += fmt::format(", {} textures", kernel.textures);
  if (kernel.surfaces != 0)
    out += fmt::format(", {} surfaces", kernel.surfaces);
  if (kernel.samplers != 0)
    out += fmt::format(", {} samplers", kernel.samplers);
  return out;
}

// Returns the kernel whose memory nvlink shows for this one. nvlink looks it up by name, so all
// kernels of one name, which share one bank, show the memory of the first.
const KernelFacts &owner_of_memory(const LinkFacts &facts, const KernelFacts &kernel) {
  const bool has_none = kernel.constants.empty() && kernel.shared == 0;
  for (const KernelFacts &other : facts.kernels)
    if (has_none && facts.functions[other.function].name == facts.functions[kernel.function].name)
      return other;
  return kernel;
}

} // namespace

std::vector<ResourceUse> resource_uses(const LinkFacts &facts, Wording wording) {
  const bool counts_banks = !facts.mercury || wording == Wording::Own;
  std::vector<ResourceUse> uses = {
      {.text = fmt::format("{} bytes gmem{}", facts.global_bytes,
                           counts_banks ? bank_list(facts.constants) : std::string())}};
  for (size_t i = facts.kernels.size(); i-- > 0;) {
    KernelFacts kernel = facts.kernels[i];
    if (wording == Wording::Nvlink) {
      const KernelFacts &owner = owner_of_memory(facts, kernel);
      kernel.constants = owner.constants;
      kernel.shared = owner.shared;
      kernel.textures = owner.textures;
      kernel.samplers = owner.samplers;
      kernel.surfaces = owner.surfaces;
    }
    if (!counts_banks) {
      kernel.constants.clear();
      kernel.textures = kernel.samplers = kernel.surfaces = 0;
    }
    uses.push_back({facts.functions[kernel.function].name, kernel_line(kernel, wording)});
  }
  return uses;
}

std::vector<std::string> resource_lines(const LinkFacts &facts, Wording wording, NameStyle names) {
  std::vector<std::string> lines;
  for (const ResourceUse &use : resource_uses(facts, wording)) {
    if (!lines.empty()) // the first line is about the program
      lines.push_back(
          fmt::format("Function properties for '{}':", visible(shown_name(use.kernel, names))));
    lines.push_back(use.text);
  }
  return lines;
}

// -dump-callgraph, as nvlink prints it: every function has a number, in order of first reference;
// functions that are not part of the output have only the number. Callees come newest first,
// callees through pointers before the others. The last lines list the kernels that get the register
// counts of functions they may call. The caller selects the style of names: nvlink's own (Q091),
// the standard one, or none.

namespace {

std::string function_line(const LinkFacts &facts, size_t number, NameStyle names) {
  const FunctionFacts &function = facts.functions[number];
  std::string out = fmt::format("{}: ", number + 1);
  if (!function.live)
    return out;
  out += function.kernel ? "^" : "";
  out += function.address_taken ? "&" : "";
  out += visible(shown_name(function.name, names));
  if (function.registers != 0)
    out += fmt::format(" [{}]", function.registers);
  out += " ->";
  for (const u32 callee : function.pointer_calls)
    out += fmt::format(" {}", callee + 1);
  for (const u32 callee : function.calls)
    out += fmt::format(" {}", callee + 1);
  return out;
}

// Finds the kernels whose register counts a function raises. A function is visited again only with
// a larger count; there are few counts, so this is rare and does not happen once per kernel.
class RaiseFinder {
public:
  explicit RaiseFinder(const LinkFacts &facts)
      : facts_(facts), callers_(facts.functions.size()), age_(facts.functions.size(), kNone),
        level_(facts.functions.size(), 0) {
    for (u32 f = 0; f < facts.functions.size(); ++f)
      for (const std::vector<u32> *list :
           {&facts.functions[f].calls, &facts.functions[f].pointer_calls})
        for (const u32 callee : *list)
          callers_[callee].push_back(f);
    for (u32 i = 0; i < facts.kernels.size(); ++i)
      if (const u32 f = facts.kernels[i].function; facts.functions[f].kernel) {
        age_[f] = i;
        count_.emplace(f, facts.functions[f].registers);
      }
  }

  // Returns the kernels that reach a function and have fewer registers, newest first.
  [[nodiscard]] std::vector<u32> raise_for(u32 function) {
    const u32 registers = facts_.functions[function].registers;
    std::vector<u32> raised, open_nodes = {function};
    while (!open_nodes.empty()) {
      const u32 callee = open_nodes.back();
      open_nodes.pop_back();
      for (const u32 caller : callers_[callee]) {
        if (level_[caller] >= registers)
          continue;
        level_[caller] = registers;
        open_nodes.push_back(caller);
        if (age_[caller] == kNone || count_[caller] >= registers)
          continue;
        count_[caller] = registers;
        raised.push_back(caller);
      }
    }
    std::sort(raised.begin(), raised.end(), [this](u32 x, u32 y) { return age_[x] > age_[y]; });
    return raised;
  }

private:
  static constexpr u32 kNone = ~u32{0};

  const LinkFacts &facts_;
  std::vector<std::vector<u32>> callers_; // by function
  std::vector<u32> age_;                  // by function: index of the kernel
  std::vector<u32> level_;                // by function: the minimum in all kernels that reach it
  std::map<u32, u32> count_;              // by kernel: its registers
};

// Functions, in the order of their code in the output, raise the counts of the kernels that reach
// them, newest kernel first: a kernel needs the registers of every function that it may call.
void add_raises(const LinkFacts &facts, NameStyle names, std::vector<std::string> &lines) {
  constexpr std::string_view kText = ".text.";
  std::map<std::string_view, u32> by_name;
  for (u32 f = 0; f < facts.functions.size(); ++f)
    if (facts.functions[f].live)
      by_name.emplace(facts.functions[f].name, f);
  RaiseFinder finder(facts);
  for (const SectionFacts &section : facts.sections) {
    const std::string_view name = section.name;
    const auto found =
        name.starts_with(kText) ? by_name.find(name.substr(kText.size())) : by_name.end();
    if (found == by_name.end())
      continue;
    const FunctionFacts &function = facts.functions[found->second];
    for (const u32 kernel : finder.raise_for(found->second))
      lines.push_back(fmt::format("regcount {} for {} propagated to entry {}", function.registers,
                                  visible(shown_name(function.name, names)),
                                  visible(shown_name(facts.functions[kernel].name, names))));
  }
}

} // namespace

std::vector<std::string> call_graph_lines(const LinkFacts &facts, NameStyle names,
                                          Wording wording) {
  // nvlink omits the letter of sm_90a.
  const size_t letter = facts.target.find_first_of("af");
  std::vector<std::string> lines = {
      fmt::format("callgraph for {}:",
                  wording == Wording::Nvlink ? facts.target.substr(0, letter) : facts.target),
      "# A: s -> B // s (number A) potentially calls B",
      "# s [N]     // s uses N registers",
      "# ^s        // s is entry point",
      "# &s        // s has address taken",
  };
  for (size_t i = 0; i < facts.functions.size(); ++i)
    lines.push_back(function_line(facts, i, names));
  add_raises(facts, names, lines);
  return lines;
}

// nvcc includes this text in its link.stub, where each line becomes a function that registers one
// module with the runtime library.
//
// What may surprise: links of one program for several targets share the file, and only some of them
// may need the device runtime library. So a link without the library does not change the file of a
// link with it. In this case nvlink does not change any existing file (Q085).

namespace {

// Returns a text as part of a C name: every invalid character becomes an underscore.
std::string c_name(std::string text) {
  for (char &c : text)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
      c = '_';
  return text;
}

std::string absolute(const std::string &path, const std::string &folder) {
  return path.starts_with('/') ? path : folder + "/" + path;
}

} // namespace

std::string registration_text(const std::vector<LinkedModule> &modules, const std::string &folder) {
  std::string lines;
  size_t count = 0;
  for (const LinkedModule &module : modules) {
    if (!module.linked)
      continue;
    ++count;
    lines += fmt::format("DEFINE_REGISTER_FUNC({})\n",
                         c_name(module.id.empty() ? absolute(module.input, folder) : module.id));
  }
  return fmt::format("#define NUM_PRELINKED_OBJECTS {}\n", count) + lines;
}

bool keeps_registration(std::vector<LinkedModule> modules, const std::string &folder,
                        std::string_view existing, bool whatever_it_says) {
  bool any_unused = false;
  for (LinkedModule &module : modules)
    any_unused |= !std::exchange(module.linked, true);
  return any_unused && (whatever_it_says || existing == registration_text(modules, folder));
}

} // namespace culink
