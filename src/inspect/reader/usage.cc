// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resources of kernels and functions, and the release that made their file.
#include "inspect/reader/usage.h"

#include <array>
#include <type_traits>

#include <fmt/format.h>

#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/elf_flags.h"
#include "elf/text_info.h"
#include "inspect/reader/functions.h"

namespace culink::inspect {

// The release that made a file. Files of 13.0 and later record it in .note.nv.cuinfo, those of the
// ABI before that in e_version. Toolkits 12.8 and 12.9 record it for sm_100 and later only in the
// text of .note.nv.tkinfo, whose first note belongs to the tool that made the file.

namespace {

constexpr u32 kFirst = 65; // the first release that a file can record; e_version is 1 elsewhere

u32 toolkit_in(const elf::Note &note) {
  if (note.name != elf::kNoteOwner)
    return 0;
  if (note.type == elf::kNoteCudaInfo) {
    const Result<elf::CudaInfo> info = elf::read_cuda_info(note);
    return info ? info->toolkit : 0;
  }
  const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
  return info ? elf::toolkit_of_version(info->tool_version) : 0;
}

// Returns the release in the first note that has one, in sections of one kind; 0 if there is none.
u32 first_in(const elf::ElfView &file, elf::SectionRole role, u32 type) {
  for (const elf::Section &section : file.sections())
    if (elf::classify_section(section.name, section.type, section.flags).role == role)
      for (const elf::Note &note : elf::decode_notes(section.data).notes)
        if (const u32 found = note.type == type ? toolkit_in(note) : 0; found != 0)
          return found;
  return 0;
}

} // namespace

u32 toolkit_of(const elf::ElfView &file) {
  if (arch::target_of(file).flags.old_layout())
    return file.header().version >= kFirst ? file.header().version : 0;
  const u32 stated = first_in(file, elf::SectionRole::NoteCuinfo, elf::kNoteCudaInfo);
  return stated != 0 ? stated : first_in(file, elf::SectionRole::NoteTkinfo, elf::kNoteToolkitInfo);
}

std::string release_name(u32 toolkit) {
  return toolkit == 0 ? "" : fmt::format("{}.{}", toolkit / 10, toolkit % 10);
}

// The resources of a kernel or function are in many sections: registers and stack in .nv.info,
// barriers and parameters in .nv.info.<function>, memory in the sizes of sections named after the
// function. Older files have register and barrier counts in the header of the code section instead.
// This collects all of them in one walk over the sections.

namespace {

// In older ABIs the header of the code section has the number of barriers.
constexpr u8 kFirstAbiWithBarrierRecords = 8;

// ptxas marks the instructions that store and load spilled registers, except those that save
// registers of a caller. Their bytes are the numbers that ptxas -v prints for kernels: measured
// with 32, 64 and 128 bits on sm_75 to sm_120. Releases up to 12.4 do not mark them.
constexpr u32 kFirstToolkitWithSpills = 129;

void add_bank(std::vector<BankUse> &banks, u32 bank, u64 size) {
  for (BankUse &use : banks)
    if (use.bank == bank) {
      use.size += size;
      return;
    }
  banks.push_back({bank, size});
}

// True for shared memory with bytes in the file, which only assemblers other than ptxas write.
bool is_stored_shared(const elf::Section &section) {
  return section.type == elf::SectionType::Progbits && section.name.starts_with(".nv.shared.");
}

// Attributes that are a number of a function: of the symbol in the record, or of the owner of the
// section.
struct NumberRow {
  elf::InfoAttribute attribute;
  bool of_symbol;
  std::optional<u32> FunctionUsage::*field;
};
constexpr NumberRow kNumbers[] = {
    {elf::InfoAttribute::Regcount, true, &FunctionUsage::registers},
    {elf::InfoAttribute::FrameSize, true, &FunctionUsage::frame},
    {elf::InfoAttribute::MinStackSize, true, &FunctionUsage::min_stack},
    {elf::InfoAttribute::MaxStackSize, true, &FunctionUsage::max_stack},
    {elf::InfoAttribute::NumBarriers, false, &FunctionUsage::barriers},
    {elf::InfoAttribute::CbankParamSize, false, &FunctionUsage::parameters},
    {elf::InfoAttribute::MaxregCount, false, &FunctionUsage::register_limit},
};

class UsageCollector {
public:
  explicit UsageCollector(const elf::ElfView &file) : file_(file), functions_(file) {}

  ModuleUsage collect() {
    usage_.toolkit = toolkit_of(file_);
    collect_functions();
    for (const elf::Section &section : file_.sections())
      add_section(section);
    if (usage_.toolkit >= kFirstToolkitWithSpills)
      fill_spills();
    if (const arch::FileTarget target = arch::target_of(file_);
        file_.header().type == elf::FileType::Executable && target.arch)
      usage_.reserved_shared = target.arch->reserved_shared;
    return std::move(usage_);
  }

private:
  void collect_functions() {
    for (const FunctionRef &function : functions_.all()) {
      FunctionUsage &use = usage_.functions.emplace_back();
      use.name = function.name;
      use.symbol = function.symbol;
      use.kernel = function.kernel;
      use.code = function.size;
      read_header(file_.sections()[function.section], use);
    }
  }

  // Reads numbers that may have no record.
  void read_header(const elf::Section &text, FunctionUsage &use) const {
    if (file_.header().ident[elf::kIdentAbiVersion] < kFirstAbiWithBarrierRecords)
      use.barriers = elf::text_barriers(text.flags);
    if (const u32 registers = elf::text_registers(text.info); registers != 0)
      use.registers = registers;
  }

  // Sets 0 for functions without a record, except those inside others: the records of the outer
  // function include their spills.
  void fill_spills() {
    for (u32 i = 0; i < usage_.functions.size(); ++i) {
      FunctionUsage &use = usage_.functions[i];
      if (functions_.of_section(functions_.all()[i].section) == i && !use.spills)
        use.spills = 0;
    }
  }

  FunctionUsage *find(u32 function) {
    return function == kNoFunction ? nullptr : &usage_.functions[function];
  }

  void add_section(const elf::Section &section) {
    const elf::SectionKind kind = elf::classify_section(section.name, section.type, section.flags);
    if (kind.mercury) // the Mercury mirror repeats the facts
      return;
    FunctionUsage *const owner = find(functions_.owner_of(section, kind.owner));
    if (is_stored_shared(section)) {
      (owner ? owner->shared : usage_.shared) += section.size;
      return;
    }
    switch (kind.role) {
    case elf::SectionRole::Info:
      read_info(section, owner);
      break;
    case elf::SectionRole::Constant:
    case elf::SectionRole::ConstantNamed:
      add_bank(owner ? owner->constants : usage_.constants, kind.bank, section.size);
      break;
    case elf::SectionRole::Shared:
      (owner ? owner->shared : usage_.shared) += section.size;
      break;
    case elf::SectionRole::DebugShared:
      usage_.shared += section.size;
      break;
    case elf::SectionRole::ReservedShared:
      usage_.reserved_shared += section.size;
      break;
    case elf::SectionRole::Local:
      if (owner)
        owner->local += section.size;
      break;
    case elf::SectionRole::Global:
    case elf::SectionRole::GlobalInit:
      usage_.global += section.size;
      break;
    default: // does not take memory at run time
      break;
    }
  }

  void read_info(const elf::Section &section, FunctionUsage *owner) {
    for (const elf::InfoRecord &record : elf::decode_info(section.data).records) {
      const elf::InfoValue value = elf::decode_value(record);
      if (const auto *word = std::get_if<elf::InfoSymbolWord>(&value))
        set_number(record.attribute, true, word->value, find(functions_.of_symbol(word->symbol)));
      else if (const auto *size = std::get_if<elf::InfoDim3>(&value); size && owner)
        read_size(record.attribute, *size, *owner);
      else if (const auto *notes = std::get_if<elf::InfoAnnotations>(&value); notes && owner)
        owner->spills = owner->spills.value_or(0) + count_marks(*notes);
      else if (const auto *number = std::get_if<elf::InfoNumber>(&value))
        set_number(record.attribute, false, number->value, owner);
    }
  }

  static void set_number(elf::InfoAttribute attribute, bool of_symbol, u32 value,
                         FunctionUsage *use) {
    for (const NumberRow &row : kNumbers)
      if (use && row.attribute == attribute && row.of_symbol == of_symbol)
        use->*row.field = value;
  }

  static u32 count_marks(const elf::InfoAnnotations &notes) {
    u32 count = 0;
    for (const elf::InfoAnnotation &note : notes.annotations)
      count += note.kind == elf::kAnnotationMark ? 1 : 0;
    return count;
  }

  static void read_size(elf::InfoAttribute attribute, const elf::InfoDim3 &size,
                        FunctionUsage &use) {
    if (attribute == elf::InfoAttribute::MaxThreads)
      use.max_threads = {size.x, size.y, size.z};
    else if (attribute == elf::InfoAttribute::Reqntid)
      use.required_threads = {size.x, size.y, size.z};
  }

  const elf::ElfView &file_;
  Functions functions_;
  ModuleUsage usage_;
};

} // namespace

ModuleUsage collect_usage(const elf::ElfView &file) {
  return UsageCollector(file).collect();
}

namespace {

template <auto field> std::optional<u64> said(const FunctionUsage &use) {
  if constexpr (std::is_same_v<decltype(field), u64 FunctionUsage::*>)
    return use.*field;
  else
    return use.*field ? std::optional<u64>(*(use.*field)) : std::nullopt;
}

template <auto field> std::optional<u64> product(const FunctionUsage &use) {
  return use.*field ? std::optional(product_of(*(use.*field))) : std::nullopt;
}

// 255 means no limit.
std::optional<u64> register_limit(const FunctionUsage &use) {
  return use.register_limit == 0xff ? std::nullopt : said<&FunctionUsage::register_limit>(use);
}

using Shape = FunctionFact::Shape;

constexpr std::array<FunctionFact, 13> kFunctionFacts{{
    {"registers", said<&FunctionUsage::registers>},
    {"stack", said<&FunctionUsage::min_stack>, false, Shape::Stack},
    {"frame", said<&FunctionUsage::frame>},
    {"max_stack", said<&FunctionUsage::max_stack>, true, Shape::Stack},
    {"spills", said<&FunctionUsage::spills>},
    {"shared", said<&FunctionUsage::shared>},
    {"local", said<&FunctionUsage::local>},
    {"barriers", said<&FunctionUsage::barriers>},
    {"parameters", said<&FunctionUsage::parameters>},
    {"code", said<&FunctionUsage::code>},
    {"register_limit", register_limit, true},
    {"max_threads", product<&FunctionUsage::max_threads>, true, Shape::Threads},
    {"required_threads", product<&FunctionUsage::required_threads>, true, Shape::Threads},
}};

} // namespace

std::span<const FunctionFact> function_facts() {
  return kFunctionFacts;
}

u64 product_of(const std::array<u32, 3> &threads) {
  return u64{threads[0]} * threads[1] * threads[2];
}

u64 sum_of_constants(const FunctionUsage &use) {
  u64 sum = 0;
  for (const BankUse &bank : use.constants)
    sum += bank.size;
  return sum;
}

} // namespace culink::inspect
