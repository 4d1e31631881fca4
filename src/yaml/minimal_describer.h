// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of describing one file in the minimal form; describe_minimal.cc says how it goes.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/arch.h"
#include "support/bytes.h"
#include "yaml/describe.h"
#include "yaml/document/document.h"
#include "yaml/document/name_index.h"
#include "yaml/document/string_list.h"
#include "yaml/schema.h"

namespace culink::text {

// What records and the call graph say about a function.
struct FunctionSummary {
  u32 registers = kDefaultRegisters;
  u32 frame = 0;
  std::vector<u32> callees;
  std::vector<std::string_view> indirect_calls;
  std::optional<std::string_view> address_taken, prototype;
};

class MinimalDescriber {
public:
  explicit MinimalDescriber(const elf::ElfView &file) : file_(file), symbols_(file.symbols()) {}

  [[nodiscard]] MinimalDescription run(const arch::ArchInfo &arch);

private:
  void collect_names();
  void collect_relocations();
  void collect_module_info(Node &attributes);
  void collect_call_graph();
  [[nodiscard]] Node describe_function(u32 symbol);
  void describe_info_section(Node &out, const elf::Section &info);
  [[nodiscard]] static Node describe_parameters(std::vector<elf::InfoKernelParameter> parameters);
  [[nodiscard]] std::optional<Node> describe_shared(const elf::Section &section) const;
  [[nodiscard]] Node describe_variables(elf::SectionRole role);
  void describe_section_variables(const elf::Section &section, elf::SymbolBinding usual, Node &out);
  [[nodiscard]] Node describe_variable(const elf::Symbol &symbol, u64 end,
                                       elf::SymbolBinding usual = elf::SymbolBinding::Global);
  [[nodiscard]] Node describe_undefined() const;
  [[nodiscard]] Node describe_relocations(u32 section, u64 start, u64 size);
  [[nodiscard]] elf::CudaInfo cuda_info(const arch::ArchInfo &arch) const;
  void list_left_out();

  [[nodiscard]] elf::SectionKind kind_of(const elf::Section &s) const {
    return elf::classify_section(s.name, s.type, s.flags);
  }
  // A reference that the minimal form understands: by name.
  [[nodiscard]] std::optional<Node> reference(u32 symbol) const {
    Node out = names_.reference(symbol);
    return out.text.starts_with("#") ? std::nullopt : std::optional<Node>(std::move(out));
  }
  void left_out(std::string what) { ++left_out_[std::move(what)]; }
  // Sections of a broken file may overlap; the text stays in proportion to the file all the same.
  [[nodiscard]] bool spend(u64 bytes, std::string_view what) {
    spent_ += std::min<u64>(bytes, file_.file().size());
    if (spent_ <= file_.file().size() * 2)
      return true;
    left_out(std::string(what) + ", which overlaps others");
    return false;
  }
  [[nodiscard]] std::optional<std::string_view> string_at(u32 offset) const {
    const elf::Section *strings = file_.find(".strtab");
    return strings ? c_string_at(terminated_strings(strings->data), offset) : std::nullopt;
  }

  const elf::ElfView &file_;
  elf::SymbolTable symbols_;
  NameIndex names_{"symbol"};
  std::map<u32, FunctionSummary> functions_;                // by symbol
  std::map<u32, std::vector<elf::Relocation>> relocations_; // by target section, by offset
  std::map<u32, std::vector<u32>> symbols_of_;              // by section, by value
  std::map<u32, u32> info_of_, shared_of_, bank_of_;        // by text section; of bank 2
  std::set<u32> called_, referenced_;                       // symbols
  std::set<u32> told_;                                      // sections that the text covers
  std::map<std::string, u64> left_out_;
  u64 spent_ = 0;
  u32 toolkit_ = kDefaultToolkit;
};

} // namespace culink::text
