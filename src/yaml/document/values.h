// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values in a document: checked reading of them, and how they are written. Every function that
// reads gives a usable value even when the document is wrong; what is wrong is kept in Complaints
// with its line and key, and the caller asks once, at the end, whether there was anything.
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

// No file is assembled beyond this.
inline constexpr u64 kMaxImageBytes = u64{1} << 30;

// Remembers the first complaint, and how much the document asks for.
class Complaints {
public:
  void add(const Node &node, std::string message);
  // Asked for bytes that take few characters, before they are made. False: with those of the whole
  // document they are too many.
  [[nodiscard]] bool spend(u64 bytes, const Node &node);
  [[nodiscard]] bool any() const { return first_.has_value(); }
  // Precondition: any().
  [[nodiscard]] const Error &first() const { return *first_; }

private:
  std::optional<Error> first_;
  u64 spent_ = 0;
};

// Decimal or 0x hexadecimal; a minus sign is allowed in the second form.
[[nodiscard]] std::optional<u64> parse_number(std::string_view text);
[[nodiscard]] std::optional<i64> parse_signed(std::string_view text);

constexpr u64 kMaxWord = 0xffffffff;

// The value of a scalar node, at most `max`.
[[nodiscard]] u64 read_number(const Node &node, u64 max, Complaints &complaints);
// A name: a scalar, or {hex: ...} for one that is no valid UTF-8.
[[nodiscard]] std::string read_name(const Node &node, Complaints &complaints);
// How a name is written: the inverse of read_name.
[[nodiscard]] Node name_node(std::string_view name);

// A map whose keys are known. Others, and keys that occur twice, are complained about.
class MapReader {
public:
  MapReader(const Node &map, std::span<const std::string_view> keys, Complaints &complaints);

  [[nodiscard]] const Node *find(std::string_view key) const { return map_.find(key); }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] u64 number(std::string_view key, u64 otherwise, u64 max = ~u64{0}) const;
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::string name(std::string_view key) const;
  // The items of a sequence; none when the key is missing.
  [[nodiscard]] std::span<const Node> list(std::string_view key) const;
  // Complains about the map itself.
  void report(std::string message) const { complaints_.add(map_, std::move(message)); }
  [[nodiscard]] const Node &node() const { return map_; }

private:
  const Node &map_;
  Complaints &complaints_;
};

// The items of a sequence node; reports an error when it is none.
[[nodiscard]] std::span<const Node> read_list(const Node &node, Complaints &complaints);

// Numbers as they are written.
[[nodiscard]] std::string decimal(u64 value);
[[nodiscard]] std::string hexadecimal(u64 value); // small ones in decimal
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
// The value of a key that may be missing: then `number` stays.
template <class Number>
void read_words(Words kind, const Node *node, Number &number, Complaints &complaints) {
  if (node)
    number = static_cast<Number>(read_words(kind, *node, complaints));
}

// The names of a table (sections, or the symbols of one symbol table) and how the document refers
// to an entry: by its name where that is unique, by #number otherwise. Describe and assemble fill
// it in the same way, so a reference always leads back. Names are borrowed.
class NameIndex {
public:
  explicit NameIndex(std::string_view what = "entry") : what_(what) {}

  // The name of the next entry; empty when it has none.
  void add(std::string_view name);
  [[nodiscard]] u32 size() const { return static_cast<u32>(names_.size()); }
  [[nodiscard]] std::string_view name(u32 index) const {
    return index < names_.size() ? names_[index] : std::string_view();
  }

  // "name" or "#index"; any index is accepted.
  [[nodiscard]] Node reference(u32 index) const;
  // The index of the only entry of that name.
  [[nodiscard]] std::optional<u32> find(std::string_view name) const;
  // What a reference means; reports an error when there is no such entry, or more than one.
  [[nodiscard]] u32 resolve(const Node &node, Complaints &complaints) const;

private:
  static constexpr u32 kSeveral = 0xffffffff;

  std::string_view what_; // for messages: "section", "symbol"
  std::vector<std::string_view> names_;
  StringIndex index_;
  std::vector<u32> only_; // by number in index_: the entry, or kSeveral
};

} // namespace culink::text
