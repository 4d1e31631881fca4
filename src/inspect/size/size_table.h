// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of a file by size: tables in which every byte has one owner.
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

// The property by which a table groups bytes.
enum class SizeView : u8 {
  Kernels,
  Functions,
  Templates, // all instances of a template together
  Sections,  // kinds of sections of images, and the sections of host files
  Inputs,    // archive members and sources, if the file records them
  Fatbins,
  Targets,
  Packing, // how pieces are packed
};
[[nodiscard]] std::span<const std::string_view> size_view_names(); // in the order of SizeView

// A row. Names in brackets are bytes without an owner in this view: "[host]", "[fatbin headers]".
struct SizeRow {
  std::string name;
  u64 stored = 0;                  // bytes of the file
  u64 unpacked = 0;                // size without packing
  u64 count = 0;                   // number of functions or pieces
  std::optional<u64> reached = {}; // kernels: unpacked, with callees, in the largest image
  std::optional<u64> code = {};    // kernels: instructions, in the largest image
};

// Returns whole * part / of, without overflow and rounded down; 0 if `of` is 0.
[[nodiscard]] u64 proportion(u64 whole, u64 part, u64 of);

// Adds up rows of the same name.
class SizeTable {
public:
  void add(const SizeRow &row);
  // Returns the rows, largest first; equal ones by name.
  [[nodiscard]] std::vector<SizeRow> rows() const;
  [[nodiscard]] const SizeRow &total() const { return total_; }
  // Returns the table without host code and data.
  [[nodiscard]] SizeTable device_code() const;

private:
  std::map<std::string, SizeRow, std::less<>> rows_;
  SizeRow total_;
};

// Returns the table of a file. `report` gets pieces that cannot be read; these are counted whole.
[[nodiscard]] Result<SizeTable> measure_file(const DeviceFile &file, SizeView view,
                                             const CodeSelection &selection, WorkerPool &pool,
                                             const std::function<void(const Problem &)> &report);

// A row of two tables with the same name.
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

// Returns the changed rows, largest change first.
[[nodiscard]] std::vector<SizeChange> compare_sizes(const SizeTable &before,
                                                    const SizeTable &after);

} // namespace culink
