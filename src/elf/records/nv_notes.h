// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF notes, and the two that NVIDIA's tools write: .note.nv.tkinfo (which tool made the file, one
// note per tool and input) and .note.nv.cuinfo (architecture and toolkit). .note.nv.cuver of older
// toolkits is a note like any other; its descriptor is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/codec.h"

namespace culink::elf {

inline constexpr u32 kNoteCudaInfo = 1000;
inline constexpr u32 kNoteToolkitInfo = 2000;
inline constexpr std::string_view kNoteOwner{"NVIDIA Corp\0", 12};

struct Note {
  u32 type = 0;
  std::string_view name; // all of namesz, with its NUL; in the section
  ByteSpan desc;         // in the section
  u64 offset = 0;        // in the section; not encoded

  // The name up to its NUL.
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
// zeros to a multiple of 4 that count as part of the descriptor.
struct ToolkitInfo {
  u32 version = 2;
  std::string_view object; // the output's name, when linked with -g
  std::string_view tool;
  std::string_view tool_version;
  std::string_view build;
  std::string_view options;
  friend bool operator==(const ToolkitInfo &, const ToolkitInfo &) = default;
};

// Refuses a descriptor with a string outside it, and one that encodes to other bytes.
[[nodiscard]] Result<ToolkitInfo> decode_toolkit_info(ByteSpan desc);
[[nodiscard]] std::vector<u8> encode_toolkit_info(const ToolkitInfo &info);

// Descriptor of .note.nv.cuinfo.
struct CudaInfo {
  u16 version = 2;
  u16 virtual_arch = 0; // 90 for compute_90
  u32 toolkit = 0;      // 130 for 13.0
  friend bool operator==(const CudaInfo &, const CudaInfo &) = default;
};

[[nodiscard]] Result<CudaInfo> decode_cuda_info(ByteSpan desc);
[[nodiscard]] std::vector<u8> encode_cuda_info(const CudaInfo &info);

// Whether one of the two is of a later version than we know: it may have more fields, and others.
[[nodiscard]] bool is_later_note(const Note &note);

// As decode_cuda_info, but of a later version the fields that we know, which come first.
[[nodiscard]] Result<CudaInfo> read_cuda_info(const Note &note);

} // namespace culink::elf
