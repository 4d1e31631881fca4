// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of add_machine_half, whose parts are in machine_half.cc (tables), machine_code.cc (code
// and its records), machine_copies.cc, machine_constants.cc and machine_debug.cc.
#pragma once

#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "elf/records/nv_registers.h"
#include "link/mercury/machine_half.h"
#include "link/output/draft_records.h"

namespace culink {

class MachineWriter {
public:
  MachineWriter(const MercuryDraft &draft, WorkerPool &pool, Diagnostics &diag)
      : p_(draft.program), inputs_(draft.machine), elf_(draft.elf), plan_(draft.plan),
        layout_(draft.plan.layout), section_of_(draft.section_of), symbols_(draft.symbols),
        is_emitted_(draft.is_emitted), pool_(pool), diag_(diag),
        machine_{inputs_.objects, p_.symbols, p_.calls,  p_.live, p_.options,
                 arch_,           p_.dialect, p_.policy, true},
        count_(static_cast<u32>(draft.plan.layout.sections.list.size())) {}

  MachineAdditions run();

private:
  // The code of one function in the output.
  struct Code {
    ObjectId object;
    u32 symbol = 0;
    u32 section = 0; // of the object
    ByteSpan compiled;
    ByteSpan text; // compiled, or finalized
    ByteSpan capsule;
    const FinalizedFunction *finalized = nullptr;
    [[nodiscard]] bool moves() const { return finalized && !finalized->moved.is_identity(); }
    [[nodiscard]] u64 moved(u64 offset) const { return finalized->moved.offset(offset); }
    [[nodiscard]] u64 moved_label(u64 offset) const { return finalized->moved.label(offset); }
  };

  // machine_half.cc
  void order_sections();
  void rename_banks();
  void number_compiler_constants();
  [[nodiscard]] bool is_compiler_constant(const InputObject &object, u32 index) const;
  [[nodiscard]] bool is_compiler_bank(OutId id) const {
    return static_cast<u32>(layout_.sections[id].type) ==
           static_cast<u32>(elf::SectionType::CudaConstantB0) + arch_.banks.compiler;
  }
  void add_parameter_banks();
  void add_parameter_bank(OutId text, const elf::Section &bank);
  void fill_image_banks();
  [[nodiscard]] const elf::Section *parameter_bank_of(OutId text) const;
  [[nodiscard]] bool needs_large_indices() const;
  void add_twins();
  [[nodiscard]] elf::SectionSpec twin_spec(OutId id);
  [[nodiscard]] bool has_twin(OutId id) const;
  [[nodiscard]] bool shares_bytes(OutId id) const;
  void add_mercury_symbols();
  void fill_twin_of_reserved(OutId id);
  [[nodiscard]] u64 size_in_between(OutId id) const;
  struct TableSizes {
    u64 section_names = 0, names = 0, symbols = 0;
  };
  [[nodiscard]] TableSizes table_sizes() const;
  void convert_headers();
  void convert_symbols();
  [[nodiscard]] bool stands_before_owner(EntityId alias) const;
  using FirstNames = std::unordered_map<u32, u32>; // of a function: the one that comes first
  [[nodiscard]] bool has_machine_size(EntityId id, const FirstNames &named_earlier) const;
  [[nodiscard]] elf::SectionId twin_or_self(elf::SectionId id) const {
    const bool has = id.value < twin_of_section_.size() && twin_of_section_[id.value].valid();
    return has ? twin_of_section_[id.value] : id;
  }
  void enter_machine_plane();
  void move_debug_places();
  void add_relocations();
  void separate_values(RelocationPlan &machine);

  // machine_code.cc
  void finalize();
  void read_code();
  void fill_code(const RelocationPlan &machine);
  void fill_capsule(OutId id, const Code &code, std::span<const FoldedRelocation> values);
  void fill_records();
  [[nodiscard]] std::vector<OutInfo> linked_records(OutId text) const;
  [[nodiscard]] std::vector<OutInfo> machine_records(OutId text) const;
  void move_relocations(RelocationPlan &machine) const;
  void index_images(RelocationPlan &machine) const;
  void store_fastpath_mask();

  // machine_copies.cc
  // Functions of one object, and all objects with copies of them, it included.
  struct JointCopies {
    std::set<u32> functions;
    std::vector<u32> objects;
  };
  [[nodiscard]] bool have_equal_code(SymbolRef a, SymbolRef b) const;
  [[nodiscard]] std::vector<JointCopies> joint_copies() const;
  void add_functions_named_earlier(std::vector<JointCopies> &out) const;
  void note_joint_debug(const JointCopies &copies, const FinalizedObject &joint);
  // What one object says about registers of functions that are another's (Q109).
  struct ForeignRegisters {
    u32 object = 0;
    u32 owner = 0;
    std::vector<std::string_view> functions;
  };
  void find_first_of_names();
  [[nodiscard]] std::vector<ForeignRegisters> foreign_registers() const;
  void note_foreign_registers(const ForeignRegisters &foreign, const FinalizedObject &joint);
  void move_joined_places(RelocationPlan &machine) const;

  // machine_constants.cc
  using Labels = std::unordered_map<u64, u32>;
  [[nodiscard]] Labels labels_of_tables() const;
  void fill_compiler_banks();

  // machine_debug.cc
  // Parts of debug sections that were used up, by function.
  using UsedParts = std::unordered_map<u32, size_t>;
  template <typename Part>
  [[nodiscard]] const Part *finalized_part(u32 object, EntityId function,
                                           std::vector<Part> FinalizedDebug::*parts,
                                           UsedParts &used) const;
  void fill_frames();
  using JoinedFrames = std::unordered_map<u32, std::vector<u8>>; // by function: its first FDE
  [[nodiscard]] JoinedFrames
  join_frames(OutId id, const std::unordered_map<u64, const KeptRelocation *> &kept) const;
  [[nodiscard]] FirstNames functions_named_earlier() const;
  struct HeadValue {
    u32 unit; // of a line table
    u64 offset;
    u32 value;
  };
  [[nodiscard]] std::vector<HeadValue> values_in_heads(u32 object, u32 section) const;
  void fill_lines(OutId id);
  void add_code_addresses(OutId id, const std::vector<elf::RelocationSpec> &entries);
  void fill_debug_sections();
  void fill_other(OutId id);
  static void take_registers(std::span<u8> table, const elf::RegisterBlock &block,
                             const ByteSpan *made);
  static void move_places(std::span<u8> table, const elf::RegisterBlock &block, const Code &code);
  void move_registers(std::span<u8> bytes, u32 object,
                      std::unordered_set<std::string_view> &described, UsedParts &used) const;
  [[nodiscard]] bool is_rebuilt(OutId id) const;
  [[nodiscard]] const Code *code_from(u32 object, u32 symbol) const;
  void complain(u32 object, const elf::Section &section, std::string what);

  [[nodiscard]] bool executable() const { return p_.policy.executable; }
  [[nodiscard]] elf::SectionId section(OutId id) const { return section_of_[id.value]; }
  [[nodiscard]] elf::SectionId twin(OutId id) const { return section_of_[count_ + id.value]; }
  [[nodiscard]] const Code *code_of(EntityId function) const;
  [[nodiscard]] const elf::Section *machine_section(u32 object, OutId id) const;
  [[nodiscard]] OutId relocation_table_of(OutId target) const;

  const Program &p_; // of Mercury code
  const SassInputs &inputs_;
  elf::ElfBuilder &elf_;
  OutputPlan &plan_;
  Layout &layout_;
  std::vector<elf::SectionId> &section_of_;
  const OutputSymbols &symbols_;
  const std::vector<bool> &is_emitted_;
  WorkerPool &pool_;
  Diagnostics &diag_;
  const arch::ArchInfo arch_ = arch::as_plain_sass(inputs_.arch);
  const Program machine_; // the same program in machine code
  const u32 count_;       // of sections before twins

  std::vector<OutId> order_; // emitted sections in the order of the file
  elf::SectionId mercury_symtab_;
  elf::SectionId mercury_indices_; // .nv.merc.symtab_shndx, in files with very many sections
  u32 first_global_ = 0;
  u32 symbol_total_ = 0;
  std::vector<Code> code_; // by OutId of a text section
  // The function that nvlink finds by name: the first one in the table of symbols.
  std::unordered_map<std::string_view, EntityId> first_of_name_;
  // Functions with copies that nvlink confuses: debug parts of all, as it mixes them (Q106).
  struct JoinedDebug {
    const FinalizedDebug *parts;
    std::vector<u32> objects; // that were linked together
  };
  std::unordered_map<u32, JoinedDebug> joined_;
  std::map<std::pair<u32, std::string_view>, ByteSpan> foreign_; // by object and function
  std::vector<FinalizedObject> joined_objects_; // whose bytes joined_ and foreign_ borrow
  std::vector<elf::SymbolId> parameter_symbol_; // by OutId of a text section: of its bank 0
  std::vector<elf::SectionId> twin_of_section_; // by SectionId
  std::vector<bool> has_images_;                // by OutId of a text section
  u32 first_addition_ = 0; // SectionId of the first section that the draft did not have
  // A line table about no code is the same in both halves.
  bool lines_name_code_ = false;
  bool sass_lines_name_code_ = false;
  u32 banks_behind_ = 0; // symbols of bank 0 behind all others
  MachineAdditions out_;
};

} // namespace culink
