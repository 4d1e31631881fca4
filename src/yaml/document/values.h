// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading values of a document with checks, and writing them. Every reading function returns a
// usable value even if the document is invalid. Errors are collected in Complaints with line and
// key, and the caller checks once at the end.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/result.h"
#include "support/string_index.h"
#include "support/types.h"
#include "yaml/document/document.h"

namespace culink::text {

// Larger files are not assembled.
inline constexpr u64 kMaxImageBytes = u64{1} << 30;

// Records the first error, and the number of bytes that the document requests.
class Complaints {
public:
  void add(const Node &node, std::string message);
  // Called before bytes are made that a short text requests. Returns false if the whole document
  // requests too many.
  [[nodiscard]] bool spend(u64 bytes, const Node &node);
  [[nodiscard]] bool any() const { return first_.has_value(); }
  // Precondition: any().
  [[nodiscard]] const Error &first() const { return *first_; }

private:
  std::optional<Error> first_;
  u64 spent_ = 0;
};

// Parse a decimal or 0x hexadecimal number; parse_signed also accepts a minus sign.
[[nodiscard]] std::optional<u64> parse_number(std::string_view text);
[[nodiscard]] std::optional<i64> parse_signed(std::string_view text);

constexpr u64 kMaxWord = 0xffffffff;

// Returns the value of a scalar node, at most `max`.
[[nodiscard]] u64 read_number(const Node &node, u64 max, Complaints &complaints);
// Returns a name: a scalar, or {hex: ...} for a name that is not valid UTF-8.
[[nodiscard]] std::string read_name(const Node &node, Complaints &complaints);
// Returns the node of a name: the inverse of read_name.
[[nodiscard]] Node name_node(std::string_view name);

// A map with known keys. Unknown and repeated keys are errors.
class MapReader {
public:
  MapReader(const Node &map, std::span<const std::string_view> keys, Complaints &complaints);

  [[nodiscard]] const Node *find(std::string_view key) const { return map_.find(key); }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] u64 number(std::string_view key, u64 otherwise, u64 max = ~u64{0}) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::string name(std::string_view key) const;
  // Returns the items of a sequence; an empty list if the key is missing.
  [[nodiscard]] std::span<const Node> list(std::string_view key) const;
  // Reports an error of the map itself.
  void report(std::string message) const { complaints_.add(map_, std::move(message)); }
  [[nodiscard]] const Node &node() const { return map_; }

private:
  const Node &map_;
  Complaints &complaints_;
};

// Returns the items of a sequence node; reports an error if it is not a sequence.
[[nodiscard]] std::span<const Node> read_list(const Node &node, Complaints &complaints);

// The text of a number.
[[nodiscard]] std::string decimal(u64 value);
[[nodiscard]] std::string hexadecimal(u64 value); // decimal if small
[[nodiscard]] std::string signed_hexadecimal(i64 value);

enum class Words : u8 {
  SectionFlags, // write, alloc, exec, info, cuinfo, tkinfo, mercury, joined by '+'
  SymbolOther,  // kernel, managed, global, shared, constant and a visibility, joined by '+'
  SegmentFlags, // read, write, exec, joined by '+'
  SectionType,
  SymbolType,
  SymbolBinding,
  SegmentType,
  FileType, // in lower case
  RelocationType,
};

[[nodiscard]] std::string words_of(Words kind, u64 number);
[[nodiscard]] u64 read_words(Words kind, const Node &node, Complaints &complaints);

template <class Number>
  requires std::is_enum_v<Number>
[[nodiscard]] std::string words_of(Words kind, Number number) {
  return words_of(kind, static_cast<u64>(number));
}
// Returns the value of a key, or `number` if the key is missing.
template <class Number>
void read_words(Words kind, const Node *node, Number &number, Complaints &complaints) {
  if (node)
    number = static_cast<Number>(read_words(kind, *node, complaints));
}

// The names of a table (sections, or the symbols of one symbol table), and references to its
// entries: by name if it is unique, by #number otherwise. Describe and assemble fill it in the same
// way, so that a reference always has the same meaning. Names are borrowed.
class NameIndex {
public:
  explicit NameIndex(std::string_view what = "entry") : what_(what) {}

  // Adds the name of the next entry; "" if it has none.
  void add(std::string_view name);
  [[nodiscard]] u32 size() const { return static_cast<u32>(names_.size()); }
  [[nodiscard]] std::string_view name(u32 index) const {
    return index < names_.size() ? names_[index] : std::string_view();
  }

  // Returns "name" or "#index"; accepts any index.
  [[nodiscard]] Node reference(u32 index) const;
  // Returns the index of the entry of that name, if there is exactly one.
  [[nodiscard]] std::optional<u32> find(std::string_view name) const;
  // Returns the entry of a reference; reports an error unless there is exactly one.
  [[nodiscard]] u32 resolve(const Node &node, Complaints &complaints) const;

private:
  static constexpr u32 kSeveral = 0xffffffff;

  std::string_view what_; // for messages: "section", "symbol"
  std::vector<std::string_view> names_;
  StringIndex index_;
  std::vector<u32> only_; // by number in index_: the only entry of the name, or kSeveral
};

} // namespace culink::text
