// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of a device file, by section and by symbol. Everything here is a plain transcript of the
// file. Records and tables that make no sense are left out: what they should have said is then
// missing, which the parts that ask for it report.
#include "check/object.h"

#include "base/bytes.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"

namespace culink::check {

using elf::SectionRole;

namespace {

// The three numbers of a function that stand in the records of the module.
void read_module_records(Object &object, const elf::Section &section) {
  for (const elf::InfoRecord &record : elf::InfoRecords(section.data)) {
    if (!record.sized() || record.payload.size() < 8)
      continue;
    const u32 symbol = load_le<u32>(record.payload.data());
    const u32 value = load_le<u32>(record.payload.data() + 4);
    if (symbol >= object.symbols.size())
      continue;
    if (record.attribute == elf::InfoAttribute::Regcount)
      object.registers[symbol] = value;
    else if (record.attribute == elf::InfoAttribute::FrameSize)
      object.frame[symbol] = value;
    else if (record.attribute == elf::InfoAttribute::MinStackSize)
      object.stack[symbol] = value;
  }
}

u32 virtual_target(const elf::Section &section) {
  for (const elf::Note &note : elf::decode_notes(section.data).notes)
    if (const Result<elf::CudaInfo> info = elf::decode_cuda_info(note.desc))
      return info->virtual_arch;
  return 0;
}

void read_section(Object &object, const elf::Section &section) {
  switch (object.kinds[section.index].role) {
  case SectionRole::Info:
    if (object.code_of[section.index] != 0)
      object.records_of[object.code_of[section.index]] = section.index;
    else
      read_module_records(object, section);
    break;
  case SectionRole::Callgraph:
    object.calls = elf::decode_call_graph(section.data);
    break;
  case SectionRole::Prototype:
    object.prototypes = elf::decode_prototypes(section.data);
    break;
  case SectionRole::NoteCuinfo:
    object.virtual_sm = virtual_target(section);
    break;
  default:
    break;
  }
}

// Banks, records and shared memory name their code in sh_info.
bool may_belong_to_code(SectionRole role) {
  return role == SectionRole::Info || role == SectionRole::Constant ||
         role == SectionRole::ConstantNamed || role == SectionRole::Shared ||
         role == SectionRole::Local;
}

void link_sections(Object &object) {
  const u32 count = static_cast<u32>(object.view.sections().size());
  object.code_of.assign(count, 0);
  object.first_table.assign(count, 0);
  object.next_table.assign(count, 0);
  object.records_of.assign(count, 0);
  for (const elf::Section &section : object.view.sections()) {
    const elf::SectionKind &kind = object.kinds[section.index];
    if (kind.mercury || section.info >= count)
      continue;
    if (section.type == elf::SectionType::Rel || section.type == elf::SectionType::Rela) {
      object.next_table[section.index] = object.first_table[section.info];
      object.first_table[section.info] = section.index;
    } else if (may_belong_to_code(kind.role) && object.kinds[section.info].is_code()) {
      object.code_of[section.index] = section.info;
    }
  }
}

} // namespace

Result<Object> read_object(std::string_view name, ByteSpan bytes) {
  Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!view)
    return view.error();
  Object object(name, std::move(*view));
  object.kinds.reserve(object.view.sections().size());
  for (const elf::Section &section : object.view.sections()) {
    object.kinds.push_back(elf::classify_section(section.name, section.type, section.flags));
    if (section.type == elf::SectionType::Symtab && section.link < object.view.sections().size())
      object.strings = object.section(section.link).data;
  }
  const elf::SymbolTable symbols = object.view.symbols();
  object.symbols.reserve(symbols.size());
  for (u32 i = 0; i < symbols.size(); ++i)
    object.symbols.push_back(symbols[i]);
  object.named_end.assign(object.view.sections().size(), 0);
  for (const elf::Symbol &symbol : object.symbols)
    if (symbol.in_section())
      object.named_end[symbol.section] =
          std::max(object.named_end[symbol.section], symbol.value + symbol.size);
  object.registers.assign(object.symbols.size(), kNone);
  object.frame = object.stack = object.registers;
  link_sections(object);
  for (const elf::Section &section : object.view.sections())
    if (!object.kinds[section.index].mercury)
      read_section(object, section);
  return object;
}

} // namespace culink::check
