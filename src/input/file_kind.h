// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "elf/constants.h"
#include "link/model/file_kind.h"

namespace culink {

// The byte order in which numbers of a header are read: the order that the header names, or always
// little-endian.
enum class HeaderOrder : u8 { AsItSays, LittleEndian };

[[nodiscard]] FileKind file_kind(ByteSpan bytes, HeaderOrder order = HeaderOrder::AsItSays);

// Precondition: the file's kind is one of the ELF files.
[[nodiscard]] elf::FileType elf_file_type(ByteSpan bytes);

// "an archive", "a PTX file" ...; for messages.
[[nodiscard]] std::string_view describe_file_kind(FileKind kind);

// The text after the last dot of the last part of a path; empty without a dot.
[[nodiscard]] std::string_view name_ending(std::string_view path);

[[nodiscard]] bool is_elf(FileKind kind);

// True if device code is expected in a file of that name, whatever its content is.
[[nodiscard]] bool promises_device_code(std::string_view name);
[[nodiscard]] bool promises_lto(std::string_view name);

[[nodiscard]] bool promises_source(std::string_view name);

// The reason why device code that is not a relocatable object cannot be linked, according to its
// notes.
inline constexpr std::string_view kLinked = "it is already linked";
inline constexpr std::string_view kWholeProgram = "it was compiled without -rdc=true";
inline constexpr std::string_view kLinkedOrWhole =
    "it is already linked, or was compiled without -rdc=true";
[[nodiscard]] std::string_view why_not_relocatable(ByteSpan image);

// Returns the rule for a name. Precondition: the last rule is for any other ending.
[[nodiscard]] const FileRule &find_file_rule(std::span<const FileRule> rules,
                                             std::string_view path);

} // namespace culink
