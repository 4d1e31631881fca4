// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles the minimal form: functions, variables and their references become the sections,
// symbols and records that `ptxas -c` would write for them. First all names are declared, then the
// references are filled in.
//
// Contents of ptxas that a linker does not need are omitted: debug frames, the weak symbols of
// unified tables, and the Mercury mirror of sm_100 and later (such a file holds plain machine code,
// which nvlink accepts).
#include "yaml/text_form.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "elf/elf_file.h"
#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/values.h"
#include "yaml/headers.h"
#include "yaml/records.h"
#include "yaml/schema.h"

namespace culink::text {

using namespace elf;

namespace {

struct Variable {
  const Node *node = nullptr;
  elf::SectionId section;
  u64 offset = 0;
  u64 size = 0;
};

struct Function {
  explicit Function(const MapReader &row) : map(row) {}

  MapReader map;
  std::string_view name;
  bool kernel = false;
  u32 registers = 0;
  u64 size = 0;
  std::vector<elf::InfoKernelParameter> parameters;
  u64 parameter_size = 0;
  elf::SectionId text;
  elf::SectionId bank; // .nv.constant0.<name> of a kernel
  u32 number = 0;      // of the function's symbol, in the assembler's list
  u32 bank_number = 0; // of the section symbol of `bank`
};

constexpr u8 kInternal = 1; // visibility of symbols that the compiler makes

// The records that every function has, except attributes that the document gives explicitly.
class DefaultRecords {
public:
  explicit DefaultRecords(const Node *stated) : stated_(stated) {}

  void add(InfoAttribute attribute, const InfoValue &value) {
    const std::vector<u8> payload = encode_payload(value);
    put({RecordFormat::Sized, attribute, 0, payload});
  }
  void add_number(InfoAttribute attribute, RecordFormat format, u32 value) {
    put({format, attribute, static_cast<u16>(value), {}});
  }
  [[nodiscard]] std::vector<u8> take() { return std::move(bytes_); }

private:
  void put(const InfoRecord &record) {
    if (stated_)
      for (const Node &row : stated_->items)
        if (const Node *attr = row.find("attr"))
          if (kInfoAttributeNames.number_of(attr->text) == static_cast<u32>(record.attribute))
            return;
    append_record(bytes_, record);
  }

  const Node *stated_;
  std::vector<u8> bytes_;
};

void add_parameters(DefaultRecords &records, const Function &kernel, u32 base) {
  for (auto parameter = kernel.parameters.rbegin(); parameter != kernel.parameters.rend();
       ++parameter)
    records.add(InfoAttribute::KparamInfo, *parameter);
  records.add_number(InfoAttribute::MaxregCount, RecordFormat::Half, kNoRegisterLimit);
  const u16 size = static_cast<u16>(kernel.parameter_size);
  records.add_number(InfoAttribute::CbankParamSize, RecordFormat::Half, size);
  records.add(InfoAttribute::ParamCbank,
              InfoParameterBank{kernel.bank_number, static_cast<u16>(base), size});
}

class MinimalAssembler {
public:
  explicit MinimalAssembler(const Node &document) : top_(document, kMinimalKeys, complaints_) {
    add_name("", {}, true);
  }

  [[nodiscard]] Result<std::vector<u8>> run() {
    if (!complaints_.any() && read_target()) {
      declare_notes();
      for (const Node &node : top_.list("functions"))
        declare_function(node);
      for (const Node &node : top_.list("globals"))
        declare_variable(node, false);
      for (const Node &node : top_.list("constants"))
        declare_variable(node, true);
      if (const std::span<const Node> list = top_.list("shared"); !list.empty())
        declare_shared_variables(shared_section(".nv_debug.shared"), list);
      for (const Node &node : top_.list("undefined"))
        declare_undefined(node);
    }
    if (!complaints_.any()) {
      fill_module_info();
      for (const Function &function : functions_)
        fill_function_info(function);
      for (const Function &function : functions_)
        if (const Node *list = function.map.find("relocs"))
          fill_relocations(*list, function.text, 0, function.size);
      for (const Variable &variable : variables_)
        if (const Node *list = variable.node->find("relocs"))
          fill_relocations(*list, variable.section, variable.offset, variable.size);
      fill_call_graph();
    }
    if (complaints_.any())
      return complaints_.first();
    return file_->finish();
  }

private:
  [[nodiscard]] bool read_target() {
    const std::string name = top_.name("arch");
    arch_ = arch::find_arch(name);
    if (!arch_) {
      const Node *item = top_.find("arch");
      complaints_.add(item ? *item : top_.node(),
                      item ? fmt::format("'{}' is no known target; write one such as sm_90", name)
                           : "`arch` is missing: a target such as sm_90");
      return false;
    }
    read_words(Words::FileType, top_.find("type"), facts_.type, complaints_);
    if (facts_.type != FileType::Relocatable && facts_.type != FileType::Executable)
      complaints_.add(*top_.find("type"), "rel or exec is needed here");
    facts_.has_compat = arch_->has_compat;
    toolkit_ = static_cast<u32>(top_.number("toolkit", kDefaultToolkit, 0xffff));
    arch::ElfTarget target;
    target.sm = static_cast<u8>(arch_->number);
    target.code_kind = static_cast<u8>(arch::CodeKind::Sass);
    FileOptions options;
    options.type = facts_.type;
    options.flags = arch::encode_elf_flags(target);
    options.segments = arch_->has_mercury_plane ? SegmentRule::Mercury : SegmentRule::Classic;
    options.phentsize_without_segments = arch_->relocations == arch::RelocationStyle::Rela ? 0 : 56;
    file_.emplace(options);
    return !complaints_.any();
  }

  // Adds a section with the header that ptxas gives it, except link and info.
  [[nodiscard]] SectionId add_section(std::string_view name) {
    const SectionType type = default_section_type(name, facts_.type);
    const SectionDefaults defaults = section_defaults(name, type, facts_);
    OutSection header{.type = type,
                      .flags = defaults.flags,
                      .align = defaults.align,
                      .entsize = defaults.entsize,
                      .presence = Presence::Always};
    if (defaults.link == ".symtab")
      header.link = ElfFile::kSymtab;
    return file_->sections.add(name, header);
  }

  // Returns a section that is created on the first call.
  [[nodiscard]] SectionId shared_section(std::string_view name) {
    for (const auto &[known, id] : shared_sections_)
      if (known == name)
        return id;
    const SectionId id = add_section(name);
    file_->sections[id].align = 1; // grows with the contents
    add_section_symbol(id);
    shared_sections_.emplace_back(name, id);
    return id;
  }

  // These return the symbol's number in names_.
  u32 add_name(std::string_view name, SymbolId id, bool undefined) {
    names_.add(name);
    ids_.push_back(id);
    undefined_.push_back(undefined);
    return static_cast<u32>(ids_.size() - 1);
  }
  u32 add_symbol(std::string_view name, SymbolSpec spec) {
    spec.name = name;
    if (executable() && spec.type == SymbolType::CudaObject) { // as nvlink does
      spec.type = SymbolType::Object;
      spec.other &= kOtherManaged;
    }
    return add_name(name, file_->symbols.add(spec),
                    !spec.section.valid() && spec.special_section == 0);
  }
  u32 add_section_symbol(SectionId section) {
    return add_name(file_->sections.name(section), file_->symbols.add_section(section), false);
  }

  [[nodiscard]] SymbolBinding read_binding(const MapReader &map,
                                           SymbolBinding otherwise = SymbolBinding::Global) {
    read_words(Words::SymbolBinding, map.find("bind"), otherwise, complaints_);
    return otherwise;
  }

  [[nodiscard]] u32 resolve(const Node &node) {
    if (node.is_scalar() && !node.text.starts_with("#") && !names_.find(node.text))
      complaints_.add(node, fmt::format("'{}' is not declared, or more than once; list it under "
                                        "`undefined` if another file defines it",
                                        node.text));
    const u32 number = names_.resolve(node, complaints_);
    return number < ids_.size() ? number : 0;
  }

  void declare_notes() {
    const SectionId tkinfo = add_section(".note.nv.tkinfo");
    const SectionId cuinfo = add_section(".note.nv.cuinfo");
    add_section_symbol(tkinfo);
    add_section_symbol(cuinfo);
    file_->sections[cuinfo].link = tkinfo;
    file_->flags_section = cuinfo;
    info_ = add_section(".nv.info");
    std::vector<u8> note;
    ToolkitInfo tool;
    tool.tool = "cubin";
    const std::vector<u8> tool_desc = encode_toolkit_info(tool);
    append_note(note, {kNoteToolkitInfo, kNoteOwner, tool_desc});
    file_->sections.append_copy(tkinfo, note);
    note.clear();
    const std::vector<u8> cuda_desc = encode_cuda_info(
        {2, static_cast<u16>(top_.number("virtual_arch", arch_->number, 0xffff)), toolkit_});
    append_note(note, {kNoteCudaInfo, kNoteOwner, cuda_desc});
    file_->sections.append_copy(cuinfo, note);
    if (!arch_->has_compat)
      return;
    const SectionId compat = add_section(".nv.compat");
    file_->sections[cuinfo].info = compat;
    std::vector<u8> mask(8);
    store_le<u64>(mask.data(), arch_->fastpath_mask);
    const auto byte = RecordFormat::Byte;
    const CompatRecord records[] = {
        {byte, CompatAttribute::CudaAcceleratorTarget, arch_->accelerator_target},
        {byte, CompatAttribute::IsaClass, 1},
        {byte, CompatAttribute::InstTcgen05Mma, 5},
        {RecordFormat::Half, CompatAttribute::MercuryIsaMajorMinorVersion, kIsaVersion},
        {byte, CompatAttribute::InstTensormapV1, 0},
        {byte, CompatAttribute::EnableOpportunisticFinalization, 1},
        {RecordFormat::Sized, CompatAttribute::CanFastpathFinalize, 0, mask},
    };
    std::vector<u8> bytes;
    for (const CompatRecord &record : records)
      append_record(bytes, record);
    file_->sections.append_copy(compat, bytes);
  }

  void declare_function(const Node &node) {
    const MapReader map(node, kFunctionKeys, complaints_);
    Function &function = functions_.emplace_back(map);
    function.name = keep(map.name("name"));
    function.kernel = map.flag("kernel");
    function.registers = static_cast<u32>(map.number("registers", kDefaultRegisters, 0xff));
    if (function.name.empty())
      map.report("a function needs a `name`");
    declare_code(function);
    if (function.kernel)
      declare_parameters(function);
    else if (map.has("params"))
      complaints_.add(*map.find("params"), "only kernels have parameters here; add `kernel: true`");
    declare_shared(function);
    for (const Node &variable : map.list("constants"))
      declare_variable(variable, true, &function);
    for (const Node &callee : map.list("calls"))
      called_.insert(callee.text);
    if (map.has("prototype"))
      prototypes_.emplace_back(function.number, keep(map.name("prototype")));
  }

  void declare_code(Function &function) {
    const std::string_view name = function.name;
    function.text = add_section(keep(fmt::format(".text.{}", name)));
    add_section_symbol(function.text);
    std::vector<u8> code;
    if (const Node *item = function.map.find("code"))
      code = read_code(*item, complaints_);
    function.size = code.size();
    file_->sections.append_copy(function.text, code);
    function.number = add_symbol(name, {.binding = read_binding(function.map),
                                        .type = SymbolType::Function,
                                        .other = function.kernel ? kOtherKernel : u8{0},
                                        .section = function.text,
                                        .size = function.size});
    const u8 top_byte = arch_->registers_in_text_info ? static_cast<u8>(function.registers) : u8{0};
    file_->sections[function.text].info = InfoField(ids_[function.number], top_byte);
  }

  void declare_parameters(Function &function) {
    u64 end = 0;
    for (const Node &item : function.map.list("params")) {
      ParameterRow row{.end = end};
      InfoKernelParameter &parameter = row.parameter;
      if (item.is_map()) {
        row = read_row(item, complaints_, names_, row);
      } else { // its size
        parameter.size = static_cast<u16>(read_number(item, 0x3fff, complaints_));
        parameter.offset = static_cast<u16>(align_up(end, natural_align(parameter.size)));
      }
      parameter.ordinal = static_cast<u16>(function.parameters.size());
      function.parameters.push_back(parameter);
      end = std::max(end, u64{parameter.offset} + parameter.size);
    }
    if (end > arch_->limits.parameter_bytes)
      function.map.report(fmt::format("{} bytes of parameters; {} takes at most {}", end,
                                      arch_->name, arch_->limits.parameter_bytes));
    function.parameter_size = end;
    function.bank = add_section(keep(fmt::format(".nv.constant0.{}", function.name)));
    file_->sections[function.bank].info = function.text;
    if (complaints_.spend(arch_->parameter_base + end, function.map.node()))
      file_->sections.append_zeros(function.bank, arch_->parameter_base + end);
    function.bank_number = add_section_symbol(function.bank);
  }

  // `shared: 128`, or a list of variables.
  void declare_shared(const Function &function) {
    const Node *item = function.map.find("shared");
    if (!item)
      return;
    const SectionId section = add_section(keep(fmt::format(".nv.shared.{}", function.name)));
    file_->sections[section].info = function.text;
    add_section_symbol(section);
    if (item->is_scalar()) {
      file_->sections.append_zeros(section, read_number(*item, kMaxImageBytes, complaints_));
      return;
    }
    declare_shared_variables(section, read_list(*item, complaints_));
  }

  void declare_shared_variables(SectionId section, std::span<const Node> list) {
    u64 align = 4;
    for (const Node &node : list) {
      const MapReader row(node, kSharedKeys, complaints_);
      const u64 size = row.number("size", 0, kMaxImageBytes);
      const u64 own_align = row.number("align", natural_align(size), 0x10000);
      if (!is_power_of_two(own_align))
        return row.report("`align` must be a power of two");
      align = std::max(align, own_align);
      const u64 offset = file_->sections.append_zeros(section, size, own_align);
      // In objects st_value is the alignment; the linker chooses the place.
      add_symbol(keep(row.name("name")), {.binding = read_binding(row, SymbolBinding::Local),
                                          .type = SymbolType::CudaObject,
                                          .other = kOtherShared,
                                          .section = section,
                                          .value = executable() ? offset : own_align,
                                          .size = size});
    }
    file_->sections[section].align = align;
  }

  [[nodiscard]] SectionId section_of(const MapReader &variable, bool constant,
                                     const Function *owner) {
    if (owner) {
      const SectionId bank = shared_section(keep(fmt::format(".nv.constant2.{}", owner->name)));
      file_->sections[bank].info = owner->text;
      return bank;
    }
    const bool stored = variable.has("data") || variable.has("relocs");
    return shared_section(constant ? ".nv.constant3" : stored ? ".nv.global.init" : ".nv.global");
  }

  // Declares a variable. One with an `owner` is a constant that the compiler made for that
  // function.
  void declare_variable(const Node &node, bool constant, const Function *owner = nullptr) {
    const MapReader row(node, kVariableKeys, complaints_);
    std::vector<u8> data;
    if (const Node *item = row.find("data"))
      data = read_data(*item, complaints_);
    const u64 size = row.number("size", data.size(), kMaxImageBytes);
    const u64 align = row.number("align", natural_align(size), 0x10000);
    if (!is_power_of_two(align))
      return row.report("`align` must be a power of two");
    if (size < data.size())
      return row.report(fmt::format("`size` is {}, but `data` has {} bytes", size, data.size()));
    if (!complaints_.spend(size - data.size(), node) || complaints_.any())
      return;
    SymbolSpec spec;
    spec.binding = read_binding(row, owner ? SymbolBinding::Local : SymbolBinding::Global);
    spec.type = SymbolType::CudaObject;
    spec.other =
        static_cast<u8>((constant ? kOtherConstant : kOtherGlobal) | (owner ? kInternal : u8{0}) |
                        (row.flag("managed") ? kOtherManaged : 0));
    spec.size = size;
    const std::string_view name = keep(row.name("name"));
    if (row.flag("common") && owner)
      return row.report("constants of a function cannot be `common`");
    if (row.flag("common")) { // the linker allocates it; st_value is the alignment
      spec.special_section = static_cast<u16>(kSectionCommon);
      spec.value = align;
      add_symbol(name, spec);
      return;
    }
    const bool stored = constant || row.has("data") || row.has("relocs");
    const SectionId section = section_of(row, constant, owner);
    OutSection &header = file_->sections[section];
    header.align = std::max(header.align, align);
    spec.section = section;
    spec.value = stored ? file_->sections.append_copy(section, data, align)
                        : file_->sections.append_zeros(section, size, align);
    if (stored)
      file_->sections.append_zeros(section, size - data.size());
    variables_.push_back({&node, section, spec.value, size});
    add_symbol(name, spec);
  }

  // Declares a name, or a map with a name and more properties. Called names become functions.
  void declare_undefined(const Node &node) {
    SymbolSpec spec;
    spec.type = SymbolType::CudaObject;
    spec.other = kOtherGlobal;
    const std::string name = node.is_map() && !node.find("hex")
                                 ? MapReader(node, kUndefinedKeys, complaints_).name("name")
                                 : read_name(node, complaints_);
    if (called_.contains(name)) {
      spec.type = SymbolType::Function;
      spec.other = 0;
    }
    if (!node.is_map() || node.find("hex")) {
      add_symbol(keep(name), spec);
      return;
    }
    const MapReader row(node, kUndefinedKeys, complaints_);
    spec.binding = read_binding(row);
    spec.size = row.number("size", 0);
    spec.value = row.number("align", 0);
    if (const Node *item = row.find("type")) {
      read_words(Words::SymbolType, item, spec.type, complaints_);
      spec.other = spec.type == SymbolType::CudaObject ? kOtherGlobal : u8{0};
    }
    read_words(Words::SymbolOther, row.find("other"), spec.other, complaints_);
    const u32 symbol = add_symbol(keep(name), spec);
    if (row.has("prototype"))
      prototypes_.emplace_back(symbol, keep(row.name("prototype")));
  }

  // The second half of assembling fills in the references. Records are encoded with the numbers of
  // the assembler's own list of symbols; fixups replace these by the numbers of the finished file.

  void append_records(SectionId section, const std::vector<u8> &records) {
    const u64 base = file_->sections.append_copy(section, records);
    for (const InfoRecord &record : decode_info(records).records)
      for (u32 i = 0; i < symbol_word_count(record); ++i) {
        const u64 at = record.offset + kRecordHeaderSize + i * 4;
        const u32 number = load_le<u32>(records.data() + at);
        if (number < ids_.size() && ids_[number].valid())
          file_->sections.add_fixup(section,
                                    {base + at, Fixup::Kind::SymbolNumber, ids_[number].value});
      }
  }

  void fill_module_info() {
    const Node *stated = top_.find("attributes");
    DefaultRecords records(nullptr);
    // ptxas puts later functions first.
    for (auto function = functions_.rbegin(); function != functions_.rend(); ++function) {
      const u32 frame = static_cast<u32>(function->map.number("frame", 0, 0xffffffff));
      records.add(InfoAttribute::Regcount, InfoSymbolWord{function->number, function->registers});
      if (!executable())
        records.add(InfoAttribute::MaxStackSize, InfoSymbolWord{function->number, 0});
      records.add(InfoAttribute::FrameSize, InfoSymbolWord{function->number, frame});
      if (executable() && function->kernel)
        records.add(InfoAttribute::MinStackSize, InfoSymbolWord{function->number, frame});
    }
    append_records(info_, records.take());
    if (stated)
      append_records(info_, assemble_info(*stated, names_, complaints_));
  }

  void fill_function_info(const Function &function) {
    const Node *stated = function.map.find("attributes");
    DefaultRecords records(stated);
    records.add(InfoAttribute::CudaApiVersion, InfoNumber{toolkit_});
    if (function.kernel)
      add_parameters(records, function, arch_->parameter_base);
    if (const u64 barriers = function.map.number("barriers", 0, 0xff))
      records.add_number(InfoAttribute::NumBarriers, RecordFormat::Byte,
                         static_cast<u32>(barriers));
    InfoWords externs;
    for (const Node &callee : function.map.list("calls"))
      if (const u32 number = resolve(callee); undefined_[number])
        externs.words.push_back(number);
    if (!externs.words.empty())
      records.add(InfoAttribute::Externs, externs);
    if (arch_->has_compat)
      records.add_number(InfoAttribute::MercuryIsaVersion, RecordFormat::Half, kIsaVersion);
    const SectionId info = add_section(keep(fmt::format(".nv.info.{}", function.name)));
    file_->sections[info].info = function.text;
    append_records(info, records.take());
    if (stated)
      append_records(info, assemble_info(*stated, names_, complaints_));
  }

  // Like ptxas: up to sm_89, entries without an addend go to .rel and others to .rela; later
  // targets only use .rela.
  void fill_relocations(const Node &list, SectionId target, u64 base, u64 size) {
    for (const Node &node : read_list(list, complaints_)) {
      if (const Node *to = node.find("to"))
        (void)resolve(*to); // reports errors in terms of the minimal form
      const Relocation entry = read_relocation(node, true, names_, complaints_);
      if (complaints_.any())
        return;
      if (entry.offset >= size)
        return complaints_.add(
            node, fmt::format("`at` is {:#x}, but there are {:#x} bytes", entry.offset, size));
      const bool rela = arch_->relocations == arch::RelocationStyle::Rela || entry.addend != 0;
      std::optional<SectionId> &table = relocation_tables_[{target.value, rela}];
      if (!table)
        table = file_->add_relocation_section(target, rela);
      const u32 symbol = entry.symbol < ids_.size() ? entry.symbol : 0;
      file_->add_relocation(*table, {base + entry.offset, entry.type, ids_[symbol], entry.addend});
    }
  }

  // Appends a pair of words, of which the first is a symbol.
  void append_pair(SectionId section, u32 symbol, const Fixup &second) {
    const u64 at = file_->sections.append_zeros(section, 8);
    file_->sections.add_fixup(section, {at, Fixup::Kind::SymbolNumber, ids_[symbol].value});
    file_->sections.add_fixup(section, {at + 4, second.kind, second.id});
  }

  void fill_call_graph() {
    const SectionId graph = add_section(".nv.callgraph");
    add_section_symbol(graph);
    const auto text = [&](const Node &node) {
      return Fixup{0, Fixup::Kind::StringOffset,
                   file_->add_string(keep(read_name(node, complaints_)))};
    };
    const auto part = [&](CallPart number, auto pairs_of) {
      std::vector<u8> marker(8);
      store_le<u32>(marker.data() + 4, 0 - static_cast<u32>(number));
      file_->sections.append_copy(graph, marker);
      for (const Function &function : functions_)
        pairs_of(function);
    };
    part(CallPart::Calls, [&](const Function &function) {
      for (const Node &callee : function.map.list("calls"))
        if (const u32 number = resolve(callee); ids_[number].valid())
          append_pair(graph, function.number, {0, Fixup::Kind::SymbolNumber, ids_[number].value});
    });
    part(CallPart::AddressTaken, [&](const Function &function) {
      if (const Node *prototype = function.map.find("address_taken"))
        append_pair(graph, function.number, text(*prototype));
    });
    part(CallPart::IndirectCalls, [&](const Function &function) {
      for (const Node &prototype : function.map.list("indirect_calls"))
        append_pair(graph, function.number, text(prototype));
    });
    part(CallPart::IndirectTargets, [](const Function &) {});
    if (prototypes_.empty())
      return;
    const SectionId section = add_section(".nv.prototype");
    add_section_symbol(section);
    for (const auto &[symbol, prototype] : prototypes_)
      append_pair(section, symbol, {0, Fixup::Kind::StringOffset, file_->add_string(prototype)});
  }

  // Returns a copy with the lifetime of the file; NameIndex and the file borrow names.
  [[nodiscard]] std::string_view keep(std::string_view text) {
    return file_->sections.storage.keep(text);
  }
  [[nodiscard]] bool executable() const { return facts_.type == elf::FileType::Executable; }

  Complaints complaints_;
  MapReader top_;
  const arch::ArchInfo *arch_ = nullptr;
  FileFacts facts_;
  u32 toolkit_ = kDefaultToolkit;
  std::optional<elf::ElfFile> file_;
  NameIndex names_{"symbol"};
  std::vector<elf::SymbolId> ids_; // by number in names_; [0] is the null symbol
  std::vector<Function> functions_;
  std::vector<Variable> variables_;
  std::vector<std::pair<std::string_view, elf::SectionId>> shared_sections_;
  std::map<std::pair<u32, bool>, std::optional<elf::SectionId>> relocation_tables_; // target, rela
  elf::SectionId info_;
  std::vector<std::pair<u32, std::string_view>> prototypes_; // (symbol, text)
  std::set<std::string, std::less<>> called_;                // names under `calls`
  std::vector<bool> undefined_;                              // by number in names_
};

} // namespace

Result<std::vector<u8>> assemble_minimal(const Node &document) {
  return MinimalAssembler(document).run();
}

} // namespace culink::text
