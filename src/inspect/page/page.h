// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a page shows, as plain data, and the way from files to it and from it to HTML.
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
  std::string name; // mangled; `use.name` may point to what is gone
  // As a page shows it: `min_stack` is the stack with all calls, known of linked code only, and
  // `shared` is without the area that the system reserves.
  FunctionUsage use;
  u64 digest = 0;         // of the code, to find the same elsewhere; not part of a page
  u64 bytes = 0;          // of the file that are its own: code, constants, records, relocations
  u32 input = kNoInput;   // position in ImageReport::inputs
  std::vector<u32> calls; // positions in ImageReport::functions
};

// Bytes of a file that belong to no function.
struct FilePart {
  std::string kind;
  u64 bytes = 0;
};

struct ImageReport {
  std::string file; // as it was given
  std::string name; // the same, or the piece of code in it
  std::string target;
  u32 toolkit = 0;      // 130 for CUDA 13.0; 0: not said
  bool linked = false;  // else an object that can be linked
  bool earlier = false; // of two sides that are compared, the first
  u64 bytes = 0;
  std::vector<FunctionRow> functions; // sorted by name
  std::vector<FilePart> parts;
  std::vector<std::string> inputs; // that a link made it of
};

struct MessageRow {
  std::string_view severity; // "warning"
  std::string text;          // one line or several
};

struct Report {
  std::vector<ImageReport> images;
  bool compares = false; // images of two sides
  // What a link adds. Steps only where their times were asked for: no other output has a time.
  bool of_link = false;
  std::vector<DiscardedFacts> discarded;
  std::vector<MessageRow> messages;
  std::vector<StepTime> steps;
};

// An image as a page shows it, without its names. Each byte of the file is one function's, or one
// part's. A tolerant view will do.
[[nodiscard]] ImageReport read_image(const elf::ElfView &file);

// Adds what only the link knows of its image: inputs, what was discarded and, where they were
// measured, the times of the steps. Messages are for the caller to add, in its words.
[[nodiscard]] Report with_link(ImageReport image, const LinkResult &result);

// The data of a page: JSON that can stand in a script element. Whatever bytes a name has, the text
// is valid UTF-8 without control characters and without the characters that begin or end markup.
[[nodiscard]] std::string report_json(const Report &report);

// The report as one HTML file that needs nothing else and asks nobody for anything.
[[nodiscard]] std::string page_html(const Report &report);

// The text of a page before and after its data. cmake/embed_page.py writes the functions.
[[nodiscard]] std::string_view before_data();
[[nodiscard]] std::string_view after_data();

} // namespace culink::page
