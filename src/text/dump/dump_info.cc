// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info, .nv.info.<function> and their Mercury counterparts, record by record: the attribute's
// name, its format, and the value as the attribute's layout gives it meaning. A record that does
// not fit its layout is shown as the bytes it is.
#include <algorithm>
#include <string>
#include <vector>

#include "elf/names.h"
#include "elf/records/nv_info.h"
#include "text/dump/dump_parts.h"

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

// Tells the sink one decoded value; one overload per kind of InfoValue.
struct ValuePrinter {
  Sink &sink;
  const SymbolNames &names;
  const elf::InfoRecord &record;
  elf::InfoShape shape;

  [[nodiscard]] Value plain(u32 value) const {
    return shown_in_hex(record.attribute) ? hex(value) : number(value);
  }

  void symbol(u32 index) const {
    const std::string shown = names(index);
    sink.put("symbol", label(index, shown));
  }

  void words(std::string_view key, const std::vector<u32> &words) const {
    std::vector<Value> values;
    values.reserve(words.size());
    for (const u32 word : words)
      values.push_back(hex(word));
    sink.values({key, ""}, values);
  }

  void symbols(const std::vector<u32> &indices) const {
    std::vector<std::string> shown;
    for (const u32 index : indices)
      shown.push_back(names(index));
    std::vector<Value> values;
    for (size_t i = 0; i < indices.size(); ++i)
      values.push_back(label(indices[i], shown[i]));
    sink.values({"symbols", ""}, values, true);
  }

  void operator()(const elf::InfoNumber &value) const {
    if (shape != elf::InfoShape::None || value.value != 0)
      sink.put("value", plain(value.value));
  }
  void operator()(const elf::InfoWords &value) const {
    if (shape == elf::InfoShape::Symbols)
      symbols(value.words);
    else
      words(shape == elf::InfoShape::Offsets ? "offsets" : "words", value.words);
  }
  void operator()(const elf::InfoSymbolWord &value) const {
    symbol(value.symbol);
    sink.put("value", plain(value.value));
  }
  void operator()(const elf::InfoSymbolWords &value) const {
    symbol(value.symbol);
    words("words", value.values);
  }
  void operator()(const elf::InfoDim3 &value) const {
    sink.put("x", number(value.x));
    sink.put("y", number(value.y));
    sink.put("z", number(value.z));
  }
  void operator()(const elf::InfoParameterBank &value) const {
    symbol(value.symbol);
    sink.put("offset", hex(value.offset));
    sink.put("size", number(value.size));
  }
  void operator()(const elf::InfoKernelParameter &value) const {
    sink.put("index", number(value.index));
    sink.put("ordinal", number(value.ordinal));
    sink.put("offset", hex(value.offset));
    sink.put("size", number(value.size));
    sink.put("log_alignment", number(value.pointee_alignment));
    sink.put("space", number(value.space));
    sink.put("cbank", hex(value.cbank));
    sink.put("parameter_space",
             label(value.parameter_space ? 1 : 0, value.parameter_space ? "SMEM" : "CBANK"));
  }
  void operator()(const elf::InfoKernelParameter2 &value) const {
    sink.put("index", number(value.index));
    sink.put("ordinal", number(value.ordinal));
    sink.put("offset", hex(value.offset));
    sink.put("size", number(value.size));
    sink.put("log_alignment", number(value.pointee_alignment));
    sink.put("space", number(value.space));
    sink.put("high", number(value.high));
  }
  void operator()(const elf::InfoBranchTargets &value) const {
    sink.list("branches", "", value.branches, [&](const elf::InfoBranch &branch) {
      sink.put("offset", hex(branch.offset));
      sink.put("kind", number(branch.kind));
      words("targets", branch.targets);
    });
  }
  void operator()(const elf::InfoTable &value) const {
    sink.open_list("rows", "");
    for (size_t at = 0; at < value.words.size(); at += value.columns) {
      const size_t end = std::min<size_t>(at + value.columns, value.words.size());
      sink.open_row();
      sink.put("offset", hex(value.words[at]));
      words("words", {value.words.begin() + static_cast<i64>(at) + 1,
                      value.words.begin() + static_cast<i64>(end)});
      sink.close_row();
    }
    sink.close_list();
  }
  void operator()(const elf::InfoAnnotations &value) const {
    sink.open_list("annotations", "");
    for (const elf::InfoAnnotation &annotation : value.annotations) {
      sink.open_row();
      sink.put("kind", number(annotation.kind));
      if (annotation.kind != elf::kAnnotationOfFunction)
        sink.put("offset", hex(annotation.offset));
      if (annotation.kind != elf::kAnnotationMark)
        sink.put("text", name(annotation.text));
      sink.close_row();
    }
    sink.close_list();
  }
  void operator()(const elf::InfoBytes &value) const { sink.bytes({"bytes", ""}, value.bytes); }
};

void put_record(Sink &sink, const SymbolNames &names, const elf::InfoRecord &record) {
  const auto code = static_cast<u8>(record.attribute);
  const auto format = static_cast<u8>(record.format);
  sink.field(kAttribute, label(code, elf::kInfoAttributeNames.name_of(code).value_or("")));
  sink.field(kFormat, label(format, elf::kInfoFormatNames.name_of(format).value_or("")));
  std::visit(ValuePrinter{sink, names, record, elf::effective_shape(record)},
             elf::decode_value(record));
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
