// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second half of assembling the minimal form: what refers to names. Records are encoded with
// the numbers of the assembler's own list of symbols; fixups put in the numbers of the finished
// file.
#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "support/bytes.h"
#include "yaml/minimal_assembler.h"
#include "yaml/records.h"
#include "yaml/schema.h"
#include "yaml/table_rows.h"

namespace culink::text {

using namespace elf;

namespace {

// The records that every function has, except those whose attribute the document states itself.
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

} // namespace

void MinimalAssembler::append_records(SectionId section, const std::vector<u8> &records) {
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

void MinimalAssembler::fill_module_info() {
  const Node *stated = top_.find("attributes");
  DefaultRecords records(nullptr);
  // ptxas puts later functions first.
  for (auto function = functions_.rbegin(); function != functions_.rend(); ++function) {
    const MapReader map(*function->node, kFunctionKeys, complaints_);
    const u32 frame = static_cast<u32>(map.number("frame", 0, 0xffffffff));
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

void MinimalAssembler::fill_function_info(const Function &function) {
  const MapReader map(*function.node, kFunctionKeys, complaints_);
  const Node *stated = map.find("attributes");
  DefaultRecords records(stated);
  records.add(InfoAttribute::CudaApiVersion, InfoNumber{toolkit_});
  if (function.kernel)
    add_parameters(records, function, arch_->parameter_base);
  if (const u64 barriers = map.number("barriers", 0, 0xff))
    records.add_number(InfoAttribute::NumBarriers, RecordFormat::Byte, static_cast<u32>(barriers));
  InfoWords externs;
  for (const Node &callee : map.list("calls"))
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

// Tables of ptxas: up to sm_89 entries without an addend go to .rel, later ones all to .rela.
void MinimalAssembler::fill_relocations(const Node &list, SectionId target, u64 base, u64 size) {
  for (const Node &node : read_list(list, complaints_)) {
    if (const Node *to = node.find("to"))
      (void)resolve(*to); // reports in words that fit the form
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

// A pair of words whose first is a symbol.
void MinimalAssembler::append_pair(SectionId section, u32 symbol, const Fixup &second) {
  const u64 at = file_->sections.append_zeros(section, 8);
  file_->sections.add_fixup(section, {at, Fixup::Kind::SymbolNumber, ids_[symbol].value});
  file_->sections.add_fixup(section, {at + 4, second.kind, second.id});
}

void MinimalAssembler::fill_call_graph() {
  const SectionId graph = add_section(".nv.callgraph");
  add_section_symbol(graph);
  const auto text = [&](const Node &node) {
    return Fixup{0, Fixup::Kind::StringOffset,
                 file_->add_string(keep(std::string(read_name(node, complaints_))))};
  };
  const auto part = [&](CallPart number, auto pairs_of) {
    std::vector<u8> marker(8);
    store_le<u32>(marker.data() + 4, 0 - static_cast<u32>(number));
    file_->sections.append_copy(graph, marker);
    for (const Function &function : functions_)
      pairs_of(function, MapReader(*function.node, kFunctionKeys, complaints_));
  };
  part(CallPart::Calls, [&](const Function &function, const MapReader &map) {
    for (const Node &callee : map.list("calls"))
      if (const u32 number = resolve(callee); ids_[number].valid())
        append_pair(graph, function.number, {0, Fixup::Kind::SymbolNumber, ids_[number].value});
  });
  part(CallPart::AddressTaken, [&](const Function &function, const MapReader &map) {
    if (const Node *prototype = map.find("address_taken"))
      append_pair(graph, function.number, text(*prototype));
  });
  part(CallPart::IndirectCalls, [&](const Function &function, const MapReader &map) {
    for (const Node &prototype : map.list("indirect_calls"))
      append_pair(graph, function.number, text(prototype));
  });
  part(CallPart::IndirectTargets, [](const Function &, const MapReader &) {});
  if (prototypes_.empty())
    return;
  const SectionId section = add_section(".nv.prototype");
  add_section_symbol(section);
  for (const auto &[symbol, prototype] : prototypes_)
    append_pair(section, symbol,
                {0, Fixup::Kind::StringOffset, file_->add_string(keep(std::string(prototype)))});
}

} // namespace culink::text
