// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info, .nv.info.<function> and their Mercury counterparts, record by record: the attribute's
// name, its format, and the value as the attribute's layout gives it meaning. A record that does
// not fit its layout is shown as the bytes it is.
#include "elf/names.h"
#include "inspect/dump/sink_fields.h"

namespace culink::text {

namespace {

constexpr Column kAttribute{"attribute", "attribute", -38};
constexpr Column kFormat{"format", "format", -10};

// Bit masks and packed versions, which decimal digits would hide.
bool shown_in_hex(elf::InfoAttribute attribute) {
  return attribute == elf::InfoAttribute::SwWar || attribute == elf::InfoAttribute::SparseMmaMask ||
         attribute == elf::InfoAttribute::MercuryIsaVersion ||
         attribute == elf::InfoAttribute::LoadCacheRequest;
}

void put_record(Sink &sink, const SymbolNames &names, const elf::InfoRecord &record) {
  const auto code = static_cast<u8>(record.attribute);
  const auto format = static_cast<u8>(record.format);
  sink.field(kAttribute, label(code, elf::kInfoAttributeNames.name_of(code).value_or("")));
  sink.field(kFormat, label(format, elf::kInfoFormatNames.name_of(format).value_or("")));
  FieldPrinter printer{sink, &names, elf::effective_shape(record), shown_in_hex(record.attribute)};
  elf::InfoValue value = elf::decode_value(record);
  std::visit([&](auto &v) { fields(printer, v); }, value);
}

} // namespace

void put_info(const DumpContext &context, const elf::Section &section) {
  const elf::InfoSection info = elf::decode_info(section.data);
  const SymbolNames names(context, section);
  if (const elf::Section *owner = context.file.info_section(section))
    context.sink.put("for", label(owner->index, owner->name));
  context.sink.list("records", "", info.records, [&](const elf::InfoRecord &record) {
    put_record(context.sink, names, record);
    if (const std::optional<elf::Violation> violation = elf::check_record(record))
      warn_violations(context, section, {*violation});
  });
  put_rest(context, section, info);
}

} // namespace culink::text
