// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a file from a document of the minimal form; private to assemble_minimal*.cc.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/elf_file.h"
#include "elf/records/nv_info.h"
#include "elf/target/arch.h"
#include "yaml/document/name_index.h"
#include "yaml/document/node_reader.h"
#include "yaml/schema.h"
#include "yaml/section_defaults.h"

namespace culink::text {

struct Variable {
  const Node *node = nullptr;
  elf::SectionId section;
  u64 offset = 0;
  u64 size = 0;
};

struct Function {
  explicit Function(const Node &map) : node(&map) {}

  const Node *node;
  std::string_view name;
  bool kernel = false;
  u32 registers = 0;
  u64 size = 0;
  std::vector<elf::InfoKernelParameter> parameters;
  u64 parameter_size = 0;
  elf::SectionId text;
  elf::SectionId bank; // .nv.constant0.<name> of a kernel
  u32 number = 0;      // of its symbol, in the assembler's list
  u32 bank_number = 0; // of the section symbol of `bank`
};

class MinimalAssembler {
public:
  explicit MinimalAssembler(const Node &document);

  [[nodiscard]] Result<std::vector<u8>> run();

private:
  [[nodiscard]] bool read_target();
  void declare_notes();
  void declare_function(const Node &node);
  void declare_code(Function &function, const MapReader &map);
  void declare_parameters(Function &function, const MapReader &map);
  void declare_shared(const Function &function, const MapReader &map);
  void declare_shared_variables(elf::SectionId section, std::span<const Node> list);
  void declare_variable(const Node &node, bool constant, const Function *owner = nullptr);
  [[nodiscard]] elf::SectionId section_of(const MapReader &variable, bool constant,
                                          const Function *owner);
  void declare_undefined(const Node &node);
  void fill_function_info(const Function &function);
  void fill_module_info();
  void fill_relocations(const Node &list, elf::SectionId target, u64 base, u64 size);
  void fill_call_graph();

  // Sections with the header that files of ptxas have; link and info are the caller's business.
  [[nodiscard]] elf::SectionId add_section(std::string_view name);
  [[nodiscard]] elf::SectionId
  shared_section(std::string_view name); // created when first asked for
  // Both return the symbol's number in names_.
  u32 add_symbol(std::string_view name, elf::SymbolSpec spec);
  u32 add_section_symbol(elf::SectionId section);
  void append_records(elf::SectionId section, const std::vector<u8> &records);
  void append_pair(elf::SectionId section, u32 symbol, const elf::Fixup &second);
  [[nodiscard]] elf::SymbolBinding
  read_binding(const MapReader &map, elf::SymbolBinding otherwise = elf::SymbolBinding::Global);
  [[nodiscard]] u32 resolve(const Node &node);
  [[nodiscard]] std::string_view keep(std::string text) {
    return owned_.emplace_back(std::move(text));
  }
  [[nodiscard]] bool executable() const { return facts_.type == elf::FileType::Executable; }

  Complaints complaints_;
  MapReader top_;
  const arch::ArchInfo *arch_ = nullptr;
  FileFacts facts_;
  u32 toolkit_ = kDefaultToolkit;
  std::optional<elf::ElfFile> file_;
  std::deque<std::string> owned_; // names made here; NameIndex borrows them
  NameIndex names_{"symbol"};
  std::vector<elf::SymbolId> ids_; // by number in names_; [0] is no symbol
  std::vector<Function> functions_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::string_view, elf::SectionId>> shared_sections_;
  std::map<std::pair<u32, bool>, std::optional<elf::SectionId>> relocation_tables_; // target, rela
  elf::SectionId info_;
  std::vector<std::pair<u32, std::string_view>> prototypes_; // (symbol, text)
  std::set<std::string, std::less<>> called_;                // names under `calls`
  std::vector<bool> undefined_;                              // by number in names_
};

} // namespace culink::text
