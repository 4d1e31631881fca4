// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a page as plain data, and the functions that read it from files and write HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "culink/cubin_reader.h"
#include "culink/linker.h"
#include "elf/elf_view.h"
#include "support/types.h"

namespace culink::page {

inline constexpr u32 kNoInput = 0xffffffff;

// A kernel or function of an image.
struct FunctionRow {
  std::string name; // mangled; `use.name` may be a dangling view
  // As shown on a page: `min_stack` is the stack including all calls, known for linked code only;
  // `shared` excludes the area that the system reserves.
  FunctionUsage use;
  u64 digest = 0; // of the code, to find equal code; not part of a page
  u64 bytes = 0;  // bytes of the file that belong to it: code, constants, records, relocations
  u32 input = kNoInput;   // position in ImageReport::inputs
  std::vector<u32> calls; // positions in ImageReport::functions
};

// Bytes of a file that belong to no function.
struct FilePart {
  std::string kind;
  u64 bytes = 0;
};

struct ImageReport {
  std::string file; // path as given
  std::string name; // the path, or the name of the piece of code in it
  std::string target;
  u32 toolkit = 0;      // 130 for CUDA 13.0; 0 if unknown
  bool linked = false;  // false: a relocatable object
  bool earlier = false; // the first side of a comparison
  u64 bytes = 0;
  std::vector<FunctionRow> functions; // sorted by name
  std::vector<FilePart> parts;
  std::vector<std::string> inputs; // of the link that made it
};

struct MessageRow {
  std::string_view severity; // "warning"
  std::string text;          // one line or several
};

struct Report {
  std::vector<ImageReport> images;
  bool compares = false; // the images belong to two sides
  // Added by a link. Steps only on request: other outputs do not contain times.
  bool of_link = false;
  std::vector<DiscardedFacts> discarded;
  std::vector<MessageRow> messages;
  std::vector<StepTime> steps;
};

// Returns an image as a page shows it, without its names. Each byte of the file belongs to exactly
// one function or part. Takes tolerant views, too.
[[nodiscard]] ImageReport read_image(const elf::ElfView &file);

// Adds facts that only the link has: inputs, discarded definitions and, if they were measured, the
// times of the steps. The caller adds the messages, formatted.
[[nodiscard]] Report with_link(ImageReport image, const LinkResult &result);

// Returns the data of a page: JSON that can be embedded in a script element. For any bytes in names
// it is valid UTF-8 without control characters and without characters that begin or end markup.
[[nodiscard]] std::string report_json(const Report &report);

// Returns the report as one HTML file that does not need other files or the network.
[[nodiscard]] std::string page_html(const Report &report);

// The text of a page before and after its data. cmake/embed_page.py generates the functions.
[[nodiscard]] std::string_view before_data();
[[nodiscard]] std::string_view after_data();

} // namespace culink::page
