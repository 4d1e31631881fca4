// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What fills a file: tables in which every byte of it has one owner.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/device_file.h"
#include "inspect/reader/image_parts.h"

namespace culink {

// By what a table tells the bytes apart.
enum class SizeView : u8 {
  Kernels,
  Functions,
  Templates, // all instances of a template together
  Sections,  // kinds of sections of images, and the sections of host files
  Inputs,    // archive members and sources, where the file names them
  Fatbins,
  Targets,
  Packing, // how pieces are packed
};
[[nodiscard]] std::span<const std::string_view> size_view_names(); // in the order of SizeView

// A row. Rows in brackets are what no name of the view owns: "[host]", "[fatbin headers]".
struct SizeRow {
  std::string name;
  u64 stored = 0;                  // bytes of the file
  u64 unpacked = 0;                // the same when nothing is packed
  u64 count = 0;                   // functions, or pieces
  std::optional<u64> reached = {}; // kernels: unpacked, with what they call, in the largest image
  std::optional<u64> code = {};    // kernels: instructions, in the largest image
};

// whole * part / of, without overflow and rounded down; 0 if `of` is.
[[nodiscard]] u64 proportion(u64 whole, u64 part, u64 of);

// Sums rows of the same name.
class SizeTable {
public:
  void add(const SizeRow &row);
  // Largest first; equal ones by name.
  [[nodiscard]] std::vector<SizeRow> rows() const;
  [[nodiscard]] const SizeRow &total() const { return total_; }
  // The table without host code and data.
  [[nodiscard]] SizeTable device_code() const;

private:
  std::map<std::string, SizeRow, std::less<>> rows_;
  SizeRow total_;
};

// The table of a file. `report` is told of what cannot be read; such pieces count as they are.
[[nodiscard]] Result<SizeTable> measure_file(const DeviceFile &file, SizeView view,
                                             const CodeSelection &selection, WorkerPool &pool,
                                             const std::function<void(const Problem &)> &report);

// A row of two tables.
struct SizeChange {
  std::string name;
  std::optional<SizeRow> before, after;

  [[nodiscard]] i64 stored() const {
    return static_cast<i64>(after ? after->stored : 0) -
           static_cast<i64>(before ? before->stored : 0);
  }
  [[nodiscard]] i64 unpacked() const {
    return static_cast<i64>(after ? after->unpacked : 0) -
           static_cast<i64>(before ? before->unpacked : 0);
  }
};

// What changed, largest change first; rows without a change are left out.
[[nodiscard]] std::vector<SizeChange> compare_sizes(const SizeTable &before,
                                                    const SizeTable &after);

} // namespace culink
