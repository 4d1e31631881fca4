// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of records, defined once, in order. `fields(io, record)` passes each field to an `io`,
// which writes it to a document of the text form, reads it from there, shows it or lists it. An io
// has number, numbers, symbol, flag, text, triple, table, list, bytes, has and data_only. Its
// kDocument is true for documents, which have other names for a few fields.
#pragma once

#include <string_view>

#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_unified.h"

namespace culink::elf {

struct FieldKey {
  std::string_view document;
  std::string_view data; // in dumps and the reader
  constexpr FieldKey(const char *both) : document(both), data(both) {}
  constexpr FieldKey(const char *in_document, const char *in_data)
      : document(in_document), data(in_data) {}
};

enum class FieldForm : u8 {
  Decimal,
  Size,    // hexadecimal in documents
  Hex,     // hexadecimal everywhere
  Address, // like Hex: an offset in code
  Mask,    // hexadecimal in documents, elsewhere with attributes that have bits
  Symbol,
};

struct FieldRule {
  enum Presence : u8 {
    Required,
    Optional, // documents omit it if it has the value `otherwise`
    Stated,   // like Optional, but documents always state it
  };
  FieldForm form = FieldForm::Hex;
  Presence presence = Required;
  u64 otherwise = 0;
  u64 most = ~u64{0}; // in addition to the limit of the type
};

template <class Io> void fields(Io &io, InfoNumber &number) {
  // The presence of a record without a value may be its whole meaning.
  if (Io::kDocument || io.shape != InfoShape::None || number.value != 0)
    io.number("value", number.value, {FieldForm::Mask});
}
template <class Io> void fields(Io &io, InfoWords &list) {
  if (io.shape == InfoShape::Symbols)
    io.numbers("symbols", list.words, {FieldForm::Symbol});
  else if (io.shape == InfoShape::Offsets)
    io.numbers("offsets", list.words, {FieldForm::Address});
  else
    io.numbers({"values", "words"}, list.words, {FieldForm::Hex});
}
template <class Io> void fields(Io &io, InfoSymbolWord &pair) {
  io.symbol("symbol", pair.symbol);
  io.number("value", pair.value, {FieldForm::Mask});
}
template <class Io> void fields(Io &io, InfoSymbolWords &list) {
  io.symbol("symbol", list.symbol);
  io.numbers({"values", "words"}, list.values, {FieldForm::Hex});
}
template <class Io> void fields(Io &io, InfoDim3 &size) {
  io.triple("dim", size.x, size.y, size.z);
}
template <class Io> void fields(Io &io, InfoParameterBank &bank) {
  io.symbol("symbol", bank.symbol);
  io.number("offset", bank.offset, {FieldForm::Hex});
  io.number("size", bank.size, {FieldForm::Size});
}

// The common start of both kinds of parameters. Documents omit the index, or have it last.
void parameter_fields(auto &io, auto &parameter) {
  const auto index = [&] {
    io.number("index", parameter.index, {FieldForm::Size, FieldRule::Optional});
  };
  if (!io.kDocument)
    index();
  io.number("ordinal", parameter.ordinal, {FieldForm::Decimal});
  io.number("offset", parameter.offset, {FieldForm::Hex});
  io.number("size", parameter.size, {FieldForm::Size});
  if (io.kDocument)
    index();
  io.number({"align", "log_alignment"}, parameter.pointee_alignment,
            {FieldForm::Size, FieldRule::Optional});
  io.number("space", parameter.space, {FieldForm::Size, FieldRule::Optional, 0, 15});
}
template <class Io> void fields(Io &io, InfoKernelParameter &parameter) {
  parameter_fields(io, parameter);
  io.number("cbank", parameter.cbank, {FieldForm::Hex, FieldRule::Optional, 0x1f, 0x1f});
  io.flag("parameter_space", parameter.parameter_space, "CBANK", "SMEM");
}
template <class Io> void fields(Io &io, InfoKernelParameter2 &parameter) {
  parameter_fields(io, parameter);
  io.number("high", parameter.high, {FieldForm::Size, FieldRule::Optional, 0, 15});
}

template <class Io> void fields(Io &io, InfoBranch &branch) {
  io.number({"at", "offset"}, branch.offset, {FieldForm::Address, FieldRule::Stated});
  io.number("kind", branch.kind, {FieldForm::Size, FieldRule::Optional});
  io.numbers("targets", branch.targets, {FieldForm::Address, FieldRule::Stated});
}
template <class Io> void fields(Io &io, InfoBranchTargets &list) {
  io.list("branches", list.branches);
}
template <class Io> void fields(Io &io, InfoTable &table) {
  io.table(table);
}

// Documents have no kind: the other fields determine it.
template <class Io> void fields(Io &io, InfoAnnotation &note) {
  const bool placed = io.has("at", note.kind != kAnnotationOfFunction);
  const bool worded = io.has("text", note.kind != kAnnotationMark);
  note.kind = !placed ? kAnnotationOfFunction : worded ? kAnnotationOfCode : kAnnotationMark;
  io.data_only("kind", note.kind);
  if (placed)
    io.number({"at", "offset"}, note.offset, {FieldForm::Address});
  if (worded)
    io.text("text", note.text);
}
template <class Io> void fields(Io &io, InfoAnnotations &list) {
  io.list({"notes", "annotations"}, list.annotations);
}
template <class Io> void fields(Io &io, InfoBytes &payload) {
  io.bytes({"hex", "bytes"}, payload.bytes);
}

template <class Io> void fields(Io &io, UnifiedEntry &entry) {
  io.symbol("symbol", entry.symbol);
  io.number("flags", entry.flags, {FieldForm::Hex, FieldRule::Stated, 1});
  io.number("offset", entry.offset, {FieldForm::Hex, FieldRule::Stated});
  io.number("uuid_low", entry.uuid_low, {FieldForm::Hex, FieldRule::Stated});
  io.number("uuid_high", entry.uuid_high, {FieldForm::Hex, FieldRule::Stated});
}

// Fields of version 2.
template <class Io> void fields(Io &io, CudaInfo &info) {
  io.number("version", info.version, {FieldForm::Decimal, FieldRule::Optional, 2});
  io.number("virtual_arch", info.virtual_arch, {FieldForm::Decimal, FieldRule::Stated});
  io.number("toolkit", info.toolkit, {FieldForm::Decimal, FieldRule::Stated});
}

} // namespace culink::elf
