// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/fatbin.h"
#include "link/model/file_kind.h"
#include "support/mapped_file.h"
#include "support/result.h"

namespace culink {

// A fatbin or a cubin that lies in data.
struct CodeInData {
  ByteSpan bytes;                           // all of it
  std::optional<FatbinContainer> container; // offsets count from the beginning of the data; nothing
                                            // for a cubin
};

// Told of bytes that are not needed for now, so that mapped pages can be given back.
using PageRelease = std::function<void(ByteSpan)>;

// The fatbins and cubins in data of a program, at any address that is a multiple of four. A number
// that happens to be that of a header is not taken for one: all headers that follow from it have to
// be right.
[[nodiscard]] std::vector<CodeInData> scan_data(ByteSpan data, const PageRelease &release);

// A piece of device code in a file, whatever the target. Refers to the bytes of the file.
struct FoundCode {
  using Form = CodeForm;

  u32 number = 0; // from 1, in the order of the file
  Form form = Form::Cubin;
  std::string target;               // "sm_90a", "compute_80", "lto_90"; empty: not known
  std::string member;               // of the archive; empty: the file is none
  std::string_view place;           // the section, "fatbin", or "file" where it is no part of one
  bool in_data = false;             // found in data by its header, not by the name of its section
  bool linkable = false;            // a relocatable part, of which a linked image may be there too
  bool leftover = false;            // linkable, in a program that has linked code
  ByteSpan bytes;                   // as in the file
  std::optional<FatbinEntry> entry; // where it came from a fatbin; may be packed
  u32 fatbin = 0;                   // number of that fatbin in the file, from 1; 0: none

  // "cubin", "ptx", "lto" or "other".
  [[nodiscard]] std::string_view form_name() const;
  // "3.sm_90.cubin", "3.compute_80.ptx": unique in the file, and good as the end of a file name.
  [[nodiscard]] std::string name() const;
  // Bytes when unpacked.
  [[nodiscard]] u64 size() const { return entry ? entry->size : bytes.size(); }
  [[nodiscard]] bool is_packed() const { return entry && entry->compression != Compression::None; }
  // Number, name, target or archive member; or "MEMBER:" and one of the other three.
  [[nodiscard]] bool is_called(std::string_view what) const;
};

struct CodeInFile {
  FileKind kind = FileKind::Unknown;
  std::vector<FoundCode> code;   // linked images of a host file before their relocatable parts
  std::vector<ByteSpan> fatbins; // by number, headers and all
  std::vector<Error> problems;   // parts that could not be read
  std::deque<MappedFile> files;  // members of thin archives
};

// The code in a cubin, fatbin, host object, program, shared library or archive of these. Reads
// headers, and what host files load as data, which may be code as well. Members of a thin archive
// are looked for beside `path`. `release` is told of bytes that were read.
[[nodiscard]] CodeInFile find_code(const std::string &path, ByteSpan bytes,
                                   const PageRelease &release = {});

// The code itself, unpacked.
[[nodiscard]] Result<std::vector<u8>> unpack(const FoundCode &code);

} // namespace culink
