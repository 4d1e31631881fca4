// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF notes, and the two kinds of NVIDIA's tools: .note.nv.tkinfo (the tool that made the file, one
// note per tool and input) and .note.nv.cuinfo (architecture and toolkit). Toolkits 12.8 and 12.9
// write .note.nv.cuver for sm_100 and later, an earlier version of .note.nv.cuinfo.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/codec.h"
#include "support/result.h"

namespace culink::elf {

inline constexpr u32 kNoteCudaInfo = 1000;
inline constexpr u32 kNoteToolkitInfo = 2000;
inline constexpr std::string_view kNoteOwner{"NVIDIA Corp\0", 12};

struct Note {
  u32 type = 0;
  std::string_view name; // namesz bytes, with the NUL; in the section
  ByteSpan desc;         // in the section
  u64 offset = 0;        // in the section; not encoded

  // Returns the name up to its NUL.
  [[nodiscard]] std::string_view owner() const { return name.substr(0, name.find('\0')); }
};

// Name and descriptor of each note are padded with zeros to 4 bytes.
struct NoteSection {
  std::vector<Note> notes;
  ByteSpan rest;
  std::vector<Violation> violations;
};

[[nodiscard]] NoteSection decode_notes(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_notes(const NoteSection &section);
void append_note(std::vector<u8> &out, const Note &note);

// Descriptor of .note.nv.tkinfo: six words (version, then the offset of each string), the strings,
// and zeros to a multiple of 4, which are part of the descriptor.
struct ToolkitInfo {
  u32 version = 2;
  std::string_view object; // the output's name, when linked with -g
  std::string_view tool;
  std::string_view tool_version;
  std::string_view build;
  std::string_view options;
  friend bool operator==(const ToolkitInfo &, const ToolkitInfo &) = default;
};

struct ToolkitText {
  std::string_view key;
  std::string_view ToolkitInfo::*text;
};
inline constexpr std::array<ToolkitText, 5> kToolkitTexts{{
    {"object", &ToolkitInfo::object},
    {"tool", &ToolkitInfo::tool},
    {"tool_version", &ToolkitInfo::tool_version},
    {"build", &ToolkitInfo::build},
    {"options", &ToolkitInfo::options},
}};

// Refuses a descriptor with a string outside it, and one that does not encode to the same bytes.
[[nodiscard]] Result<ToolkitInfo> decode_toolkit_info(ByteSpan desc);
[[nodiscard]] std::vector<u8> encode_toolkit_info(const ToolkitInfo &info);

// Returns the toolkit of a tool's version: 129 for "... release 12.9, V12.9.86"; 0 if it has none.
[[nodiscard]] u32 toolkit_of_version(std::string_view tool_version);

// Descriptor of .note.nv.cuinfo, and of .note.nv.cuver (version 1).
struct CudaInfo {
  u16 version = 2;
  u16 virtual_arch = 0; // 90 for compute_90
  u32 toolkit = 0;      // 130 for 13.0
  // Version 1 has two words of unknown meaning instead of the toolkit; both are 1.
  std::optional<std::array<u32, 2>> words = std::nullopt;
  friend bool operator==(const CudaInfo &, const CudaInfo &) = default;
};

[[nodiscard]] Result<CudaInfo> decode_cuda_info(ByteSpan desc);
[[nodiscard]] std::vector<u8> encode_cuda_info(const CudaInfo &info);

// True for a tkinfo or cuinfo note of an unknown later version, which may have other fields.
[[nodiscard]] bool is_later_note(const Note &note);

// Like decode_cuda_info, but reads the known fields of a later version, too. They come first.
[[nodiscard]] Result<CudaInfo> read_cuda_info(const Note &note);

} // namespace culink::elf
