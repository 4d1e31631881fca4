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

// A fatbin or a cubin in data.
struct CodeInData {
  ByteSpan bytes;                           // of the whole fatbin or cubin
  std::optional<FatbinContainer> container; // offsets are relative to the data; nullopt for a
                                            // cubin
};

// Called with bytes that are not needed for now, so that mapped pages can be released.
using PageRelease = std::function<void(ByteSpan)>;

// Finds the fatbins and cubins in data of a program, at addresses that are multiples of four. A
// number that equals a magic number by chance is ignored: all headers of the code have to be valid.
[[nodiscard]] std::vector<CodeInData> scan_data(ByteSpan data, const PageRelease &release);

// A piece of device code in a file, for any target. It refers to the bytes of the file.
struct FoundCode {
  using Form = CodeForm;

  u32 number = 0; // from 1, in the order of the file
  Form form = Form::Cubin;
  std::string target;               // "sm_90a", "compute_80", "lto_90"; empty if not known
  std::string member;               // of the archive; empty if the file is none
  std::string_view place;           // the section, "fatbin", or "file" for a whole file
  bool in_data = false;             // found in data by its header, not by a section name
  bool linkable = false;            // relocatable; the file may also have an image linked from it
  bool leftover = false;            // linkable, in a file that has linked code
  ByteSpan bytes;                   // as stored in the file
  std::optional<FatbinEntry> entry; // set if the code is in a fatbin; may be packed
  u32 fatbin = 0;                   // number of the fatbin in the file, from 1; 0: not in a fatbin

  // "cubin", "ptx", "lto" or "other".
  [[nodiscard]] std::string_view form_name() const;
  // "3.sm_90.cubin", "3.compute_80.ptx": unique in the file, and usable as a file name's end.
  [[nodiscard]] std::string name() const;
  // The unpacked size in bytes.
  [[nodiscard]] u64 size() const { return entry ? entry->size : bytes.size(); }
  [[nodiscard]] bool is_packed() const { return entry && entry->compression != Compression::None; }
  // True if `what` is the number, name, target or archive member, or "MEMBER:" and one of the other
  // three.
  [[nodiscard]] bool is_called(std::string_view what) const;
};

struct CodeInFile {
  FileKind kind = FileKind::Unknown;
  std::vector<FoundCode> code;   // linked images of a host file before their relocatable parts
  std::vector<ByteSpan> fatbins; // by number, with their headers
  std::vector<Error> problems;   // parts that could not be read
  std::deque<MappedFile> files;  // members of thin archives
};

// Returns the code in a cubin, fatbin, host object, program, shared library or archive of these.
// Reads headers, and the loaded data of host files, which may contain code. Members of a thin
// archive are opened relative to `path`. `release` is called with bytes that were read.
[[nodiscard]] CodeInFile find_code(const std::string &path, ByteSpan bytes,
                                   const PageRelease &release = {});

// Returns the unpacked code.
[[nodiscard]] Result<std::vector<u8>> unpack(const FoundCode &code);

} // namespace culink
