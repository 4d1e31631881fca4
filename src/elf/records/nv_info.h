// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info, .nv.info.<function> and their Mercury counterparts: the records of ptxas for the linker
// and the driver, about the module and about each function. attribute_records.h has the framing of
// records; this header defines the names of attributes and the types of their payloads.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "elf/names.h"
#include "elf/records/attribute_records.h"
#include "elf/records/info_attributes.h"

namespace culink::elf {

using InfoRecord = AttributeRecord<InfoAttribute>;
using InfoSection = AttributeSection<InfoAttribute>;
using InfoRecords = AttributeRange<InfoAttribute>;

[[nodiscard]] InfoSection decode_info(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_info(const InfoSection &section);

// The layout of an attribute's payload.
enum class InfoShape : u8 {
  Opaque,           // not known: bytes
  None,             // the record's presence is its meaning (or two bytes of unknown meaning)
  Number8,          // one u8 in the record header
  Number16,         // one u16 in the record header
  Word,             // one u32
  Words,            // any number of u32
  Offsets,          // any number of u32 byte offsets into the function's code
  SymbolWord,       // InfoSymbolWord
  SymbolWords,      // one symbol, then any number of u32
  Symbols,          // any number of symbols
  Dim3,             // three u32: x, y, z
  ParameterBank,    // InfoParameterBank
  KernelParameter,  // InfoKernelParameter
  KernelParameter2, // InfoKernelParameter2
  BranchTargets,    // InfoBranchTargets
  OffsetPairs,      // InfoTable of 2 columns: code offset, register or mask
  OffsetTriples,    // InfoTable of 3 columns: code offset, two words
  OffsetQuads,      // InfoTable of 4 columns: code offset, three words
  Annotations,      // InfoAnnotations
};

// The words of a sized payload that are symbol indices: none, the first, all.
enum class InfoSymbols : u8 { None, First, All };

// The evidence for a layout: files that ptxas and nvlink 13.0 wrote, descriptions only, or none.
enum class InfoEvidence : u8 { None, Described, Measured };

// One row of the attribute table. Symbol words are measured in every row: nvlink 13.0 renumbers
// exactly these when the record is patched into an object.
struct InfoRow {
  InfoAttribute attribute;
  std::string_view name;                       // EIATTR_..., as cuobjdump prints it
  RecordFormat format = RecordFormat::NoValue; // the format ptxas and nvlink write
  InfoShape shape = InfoShape::Opaque;
  InfoEvidence evidence = InfoEvidence::None; // None: only the name is known
  InfoSymbols symbols = InfoSymbols::None;
};

// EIATTR_*: attribute codes of .nv.info records.
extern const NameTable<u32> kInfoAttributeNames;
// Returns every attribute that has a name, ascending.
[[nodiscard]] std::span<const InfoRow> info_rows();
// Returns the row of an attribute with a known layout, or null.
[[nodiscard]] const InfoRow *info_row(InfoAttribute attribute);

// InfoRow::symbols by attribute code; None for codes without a row.
extern const std::array<InfoSymbols, 256> kInfoSymbols;

// Returns the number of leading u32 of the payload that are symbol indices, for renumbering.
[[nodiscard]] inline u32 symbol_word_count(const InfoRecord &record) {
  const InfoSymbols symbols = kInfoSymbols[static_cast<u8>(record.attribute)];
  if (!record.sized() || symbols == InfoSymbols::None)
    return 0;
  const u32 words = static_cast<u32>(record.payload.size() / 4);
  return symbols == InfoSymbols::All ? words : std::min<u32>(words, 1);
}

// Returns the payload as words, without an incomplete last one.
[[nodiscard]] inline std::vector<u32> words_of(const InfoRecord &record) {
  return load_rows<u32>(record.payload);
}

// ---- Typed values -------------------------------------------------------------------------------

struct InfoSymbolWord {
  u32 symbol = 0;
  u32 value = 0;
  friend bool operator==(const InfoSymbolWord &, const InfoSymbolWord &) = default;
};

struct InfoSymbolWords {
  u32 symbol = 0;
  std::vector<u32> values;
  friend bool operator==(const InfoSymbolWords &, const InfoSymbolWords &) = default;
};

struct InfoDim3 {
  u32 x = 0, y = 0, z = 0;
  friend bool operator==(const InfoDim3 &, const InfoDim3 &) = default;
};

// PARAM_CBANK: the location of the parameters in bank 0.
struct InfoParameterBank {
  u32 symbol = 0; // section symbol of .nv.constant0.<function>
  u16 offset = 0;
  u16 size = 0;
  friend bool operator==(const InfoParameterBank &, const InfoParameterBank &) = default;
};

// KPARAM_INFO: one kernel parameter.
struct InfoKernelParameter {
  u32 index = 0; // 0 in every file seen
  u16 ordinal = 0;
  u16 offset = 0;               // from the start of the parameters
  u8 pointee_alignment = 0;     // logarithm
  u8 space = 0;                 // 4 bits: 1 local, 2 shared, 4 global or constant, 5 generic
  u8 cbank = 0;                 // 5 bits; 0x1f: none
  bool parameter_space = false; // bit 17
  u16 size = 0;                 // 14 bits, bytes
  friend bool operator==(const InfoKernelParameter &, const InfoKernelParameter &) = default;
};

// KPARAM_INFO_V2: the same for kernels with more than 4 KB of parameters.
struct InfoKernelParameter2 {
  u32 index = 0; // 0 in every file seen
  u16 ordinal = 0;
  u16 offset = 0;
  u16 size = 0;
  u8 pointee_alignment = 0; // logarithm
  u8 space = 0;             // 4 bits
  u8 high = 0;              // 4 bits, 0 in every file seen
  friend bool operator==(const InfoKernelParameter2 &, const InfoKernelParameter2 &) = default;
};

// INDIRECT_BRANCH_TARGETS: the computed branches of a function and their possible targets.
struct InfoBranch {
  u32 offset = 0;
  u32 kind = 0; // 0 in every file seen
  std::vector<u32> targets;
  friend bool operator==(const InfoBranch &, const InfoBranch &) = default;
};
struct InfoBranchTargets {
  std::vector<InfoBranch> branches;
  friend bool operator==(const InfoBranchTargets &, const InfoBranchTargets &) = default;
};

// A table of words; the first column is a code offset.
struct InfoTable {
  u32 columns = 1;
  std::vector<u32> words; // row after row
  friend bool operator==(const InfoTable &, const InfoTable &) = default;
};

// ANNOTATIONS: remarks of the compiler (ptxas --compiler-annotations; the device runtime library
// has marks).
inline constexpr u32 kAnnotationMark = 1; // of code, without a text
inline constexpr u32 kAnnotationOfCode = 2;
inline constexpr u32 kAnnotationOfFunction = 3;
struct InfoAnnotation {
  u32 kind = kAnnotationOfFunction;
  u32 offset = 0;   // in the code; not with kAnnotationOfFunction
  std::string text; // without its NUL; not with kAnnotationMark
  friend bool operator==(const InfoAnnotation &, const InfoAnnotation &) = default;
};
struct InfoAnnotations {
  std::vector<InfoAnnotation> annotations;
  friend bool operator==(const InfoAnnotations &, const InfoAnnotations &) = default;
};

// A list of words. The shape determines their meaning.
struct InfoWords {
  std::vector<u32> words;
  friend bool operator==(const InfoWords &, const InfoWords &) = default;
};

struct InfoNumber {
  u32 value = 0;
  friend bool operator==(const InfoNumber &, const InfoNumber &) = default;
};

// The raw payload of an unknown attribute, or one that does not fit its shape.
struct InfoBytes {
  std::vector<u8> bytes;
  friend bool operator==(const InfoBytes &, const InfoBytes &) = default;
};

// InfoNumber holds the header value of unsized records and the word of shape Word.
using InfoValue = std::variant<InfoNumber, InfoWords, InfoSymbolWord, InfoSymbolWords, InfoDim3,
                               InfoParameterBank, InfoKernelParameter, InfoKernelParameter2,
                               InfoBranchTargets, InfoTable, InfoAnnotations, InfoBytes>;

// Returns the shape that decode_value used: the shape of the attribute's row, or Opaque (Number16
// for an unsized record) if the record has another format or its payload does not fit.
[[nodiscard]] InfoShape effective_shape(const InfoRecord &record);

[[nodiscard]] InfoValue decode_value(const InfoRecord &record);
// Returns the payload of a sized record: encode_payload(decode_value(r)) == r.payload. InfoNumber
// gives one word. A value that exceeds its bit field is truncated.
[[nodiscard]] std::vector<u8> encode_payload(const InfoValue &value);

// Returns how a record violates the table: a format that NVIDIA's tools do not write or a payload
// of the wrong size (measured rows only), or a size that is not a multiple of 4 (any row).
[[nodiscard]] std::optional<Violation> check_record(const InfoRecord &record);

} // namespace culink::elf
