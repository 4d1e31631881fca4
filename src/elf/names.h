// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for the numbers of a device ELF, and back. A number without a name gives nothing; the
// caller prints it in hex. The other direction also takes the name with the customary prefix where
// the name here has none (SHT_, STT_, STB_, ET_, PT_), and without it where it has one (EIATTR_
// ...).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/types.h"
#include "elf/constants.h"

namespace culink::elf {

struct NamedNumber {
  u32 number;
  std::string_view name;
};

// Section types. Each has a name of its own, so that a name leads back to the number. cuobjdump
// prints four Mercury types like the plain ones and has no name for constant banks 8 to 17; the
// second function gives exactly what it prints (nothing where it prints UNKNOWN).
[[nodiscard]] std::optional<std::string_view> name_of_section_type(SectionType type);
[[nodiscard]] std::optional<std::string_view> cuobjdump_name_of_section_type(SectionType type);
[[nodiscard]] std::optional<SectionType> section_type_from_name(std::string_view name);

// NOTYPE, OBJECT, FUNC, ... CUDA_TEXTURE, CUDA_SAMPLER, CUDA_SURFACE, CUDA_OBJECT.
[[nodiscard]] std::optional<std::string_view> name_of_symbol_type(SymbolType type);
[[nodiscard]] std::optional<SymbolType> symbol_type_from_name(std::string_view name);

// LOCAL, GLOBAL, WEAK.
[[nodiscard]] std::optional<std::string_view> name_of_symbol_binding(SymbolBinding binding);
[[nodiscard]] std::optional<SymbolBinding> symbol_binding_from_name(std::string_view name);

// DEFAULT, INTERNAL, HIDDEN, PROTECTED: the low two bits of st_other.
[[nodiscard]] std::optional<std::string_view> name_of_symbol_visibility(u8 visibility);
[[nodiscard]] std::optional<u8> symbol_visibility_from_name(std::string_view name);

// NONE, REL, EXEC, DYN, CORE.
[[nodiscard]] std::optional<std::string_view> name_of_file_type(FileType type);
[[nodiscard]] std::optional<FileType> file_type_from_name(std::string_view name);

// NULL, LOAD, NOTE, PHDR, ...
[[nodiscard]] std::optional<std::string_view> name_of_segment_type(SegmentType type);
[[nodiscard]] std::optional<SegmentType> segment_type_from_name(std::string_view name);

// EIATTR_*: attribute codes of .nv.info records.
[[nodiscard]] std::optional<std::string_view> name_of_info_attribute(u32 code);
[[nodiscard]] std::optional<u32> info_attribute_from_name(std::string_view name);

// EIFMT_*: formats of .nv.info and .nv.compat records.
[[nodiscard]] std::optional<std::string_view> name_of_info_format(u32 format);
[[nodiscard]] std::optional<u32> info_format_from_name(std::string_view name);

// EICOMPAT_ATTR_*: attribute codes of .nv.compat records.
[[nodiscard]] std::optional<std::string_view> name_of_compat_attribute(u32 code);
[[nodiscard]] std::optional<u32> compat_attribute_from_name(std::string_view name);

// The tables themselves, sorted by number: for listings and tests.
[[nodiscard]] std::span<const NamedNumber> section_type_names();
[[nodiscard]] std::span<const NamedNumber> symbol_type_names();
[[nodiscard]] std::span<const NamedNumber> symbol_binding_names();
[[nodiscard]] std::span<const NamedNumber> symbol_visibility_names();
[[nodiscard]] std::span<const NamedNumber> file_type_names();
[[nodiscard]] std::span<const NamedNumber> segment_type_names();
[[nodiscard]] std::span<const NamedNumber> info_attribute_names();
[[nodiscard]] std::span<const NamedNumber> info_format_names();
[[nodiscard]] std::span<const NamedNumber> compat_attribute_names();

} // namespace culink::elf
