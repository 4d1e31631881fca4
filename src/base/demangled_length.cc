// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A bound for the length of a demangled name, found without demangling it. A mangled name refers
// back to its own parts (S0_) and to its template arguments (T_), and a part that refers to the one
// before it twice doubles the text: a few hundred characters can stand for more than any memory
// holds. The library that demangles has no bound for that, so base/demangle.cc asks here first.
//
// One pass adds up letters. Parts are numbered in the order in which they end, so part N has ended
// where a reference to it or to a later one comes first, and is no longer than all that is before
// that place: so much counts each reference to it. A template argument counts as much as all before
// the first T_. Where functions are nested in each other an argument may come later, and counts as
// much as the whole name in the pass before.
//
// What may surprise: nothing is parsed. A number is the length of a name that follows, except where
// the mangling has numbers of other kinds. Where it could be either, what follows must not depend
// on it; if it does, the bound is that each reference doubles the text. Of the 82,000 names in
// LLVM's libraries 3 in 1,000 are not within a million, and none of them is that long. Names with
// which the library does not come to an end have no length at all.
#include "base/demangled_length.h"

#include <algorithm>
#include <vector>

namespace culink {

namespace {

constexpr u32 kMostFunctions = 4;
constexpr u32 kPackDoublings = 7; // a pack has less than 128 members

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

bool is_small(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_base36(char c) {
  return is_decimal(c) || (c >= 'A' && c <= 'Z');
}

class LengthPass {
public:
  // `argument`: how long a template argument may be; 0: as long as all before the first use of one.
  LengthPass(std::string_view text, u64 limit, u64 argument)
      : text_(text), limit_(limit), argument_(argument) {}

  void run() {
    while (at_ < text_.size() && length_ <= limit_)
      read_token();
  }

  [[nodiscard]] u64 length() const { return length_; }
  [[nodiscard]] bool sure() const { return sure_; }
  [[nodiscard]] u32 references() const { return references_; }
  [[nodiscard]] u32 functions() const { return functions_; } // in the name of the outermost one

private:
  // What was read last: a letter of the mangling stands for itself.
  enum Token : char { kNothing, kName, kNumber, kReference };

  void read_token();
  void read_number();
  void read_part_reference(size_t end);
  void read_argument_reference(size_t end);

  [[nodiscard]] char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  // Where the reference or literal that begins at `at` ends; 0: there is none.
  [[nodiscard]] size_t end_of_reference(size_t at, char letter) const;
  [[nodiscard]] size_t end_of_literal() const;
  [[nodiscard]] bool may_be_no_name(char next) const;
  [[nodiscard]] bool is_independent(size_t begin, u64 size) const;

  void put(u64 length, char token, size_t end) {
    length_ += length;
    before_ = last_;
    last_ = token;
    at_ = end;
  }

  std::string_view text_;
  u64 limit_;
  u64 argument_;
  size_t at_ = 0;
  u64 length_ = 0;
  char last_ = kNothing;
  char before_ = kNothing;
  bool sure_ = true;
  u32 references_ = 0;
  u32 functions_ = 0;
  std::vector<u64> parts_; // bounds of their lengths, by number
};

// S_, S0_, SA_ ... or T_, T0_ ...
size_t LengthPass::end_of_reference(size_t at, char letter) const {
  if (at >= text_.size() || text_[at] != letter)
    return 0;
  for (++at; at < text_.size() && (letter == 'S' ? is_base36(text_[at]) : is_decimal(text_[at]));)
    ++at;
  return at < text_.size() && text_[at] == '_' ? at + 1 : 0;
}

// A number of a type that is one letter: Li5E, Lin5E, Lf3f800000E.
size_t LengthPass::end_of_literal() const {
  if (peek() != 'L' || !is_small(peek(1)))
    return 0;
  const size_t begin = at_ + (peek(2) == 'n' ? 3 : 2);
  const size_t end = std::min(text_.find_first_not_of("0123456789abcdef", begin), text_.size());
  return end > begin && end < text_.size() && text_[end] == 'E' ? end + 1 : 0;
}

// The other numbers: of constructors and destructors (C1, D0), of the like things in a function
// (_0, E1_, t1_, d1_), of parameters (p1_, L1p), of elements (v4_), of thunks (h16_, n16_), and
// values of enumerations.
bool LengthPass::may_be_no_name(char next) const {
  constexpr std::string_view kBeforeNumbers = "EtdpvhnF";
  if (last_ == 'C' || last_ == 'D' || last_ == '_' || (last_ == 'I' && before_ == 'C'))
    return true;
  if (next == '_')
    return kBeforeNumbers.find(last_) != std::string_view::npos;
  if (next == 'E')
    return last_ == 'E' || last_ == kName || last_ == kReference;
  return last_ == 'L' && next == 'p';
}

// Whether the same is to be read from here on, whether these characters are one name or not.
bool LengthPass::is_independent(size_t begin, u64 size) const {
  for (size_t i = begin; i < begin + size; ++i)
    if (is_decimal(text_[i]) || end_of_reference(i, 'S') != 0 || end_of_reference(i, 'T') != 0)
      return false;
  return true;
}

void LengthPass::read_number() {
  u64 size = 0;
  size_t end = at_;
  for (; end < text_.size() && is_decimal(text_[end]); ++end)
    size = std::min<u64>(size * 10 + static_cast<u64>(text_[end] - '0'), text_.size());
  const char next = end < text_.size() ? text_[end] : '\0';
  if ((last_ == 'A' && next == '_') || (last_ == 'F' && before_ == 'D')) // A4_, DF16_
    return put(1, kNumber, end);
  const bool may_be_name = size != 0 && size <= text_.size() - end;
  if (may_be_no_name(next))
    sure_ = sure_ && (may_be_name ? is_independent(end, size) : end == at_ + 1 || next == '_');
  if (may_be_name)
    put(size, kName, end + size);
  else
    put(1, kNumber, end);
}

void LengthPass::read_part_reference(size_t end) {
  u64 number = 0;
  for (size_t i = at_ + 1; i + 1 < end; ++i)
    number = std::min<u64>(
        number * 36 + static_cast<u64>(is_decimal(text_[i]) ? text_[i] - '0' : text_[i] - 'A' + 10),
        text_.size());
  number += end - at_ > 2 ? 1 : 0;
  ++references_;
  // aS, lS and rS may be operators before something else.
  const bool surely = last_ != 'a' && last_ != 'l' && last_ != 'r';
  if (surely && number < text_.size() && parts_.size() <= number)
    parts_.resize(number + 1, length_);
  put(number < parts_.size() ? parts_[number] : length_, kReference, end);
}

void LengthPass::read_argument_reference(size_t end) {
  ++references_;
  if (argument_ == 0)
    argument_ = length_;
  put(argument_, kReference, end);
}

void LengthPass::read_token() {
  if (is_decimal(peek()))
    return read_number();
  if (const size_t end = end_of_literal(); end != 0)
    return put(1, 'E', end);
  if (const size_t end = end_of_reference(at_, 'S'); end != 0)
    return read_part_reference(end);
  if (const size_t end = end_of_reference(at_, 'T'); end != 0)
    return read_argument_reference(end);
  if (peek() == 'S' && is_small(peek(1))) // something in std
    return put(1, kReference, at_ + 2);
  if (peek() == 'D' && peek(1) == 'p') { // for each member of a pack: its type and what is at it
    size_t end = at_ + 2;
    while (end < text_.size() &&
           std::string_view("OPRKV").find(text_[end]) != std::string_view::npos)
      ++end;
    if (end_of_reference(end, 'T') == 0) {
      sure_ = false;
      references_ += kPackDoublings;
    }
  }
  // Arguments of conversions come behind their use.
  functions_ += peek() == 'Z' || (peek() == 'c' && peek(1) == 'v') ? 1 : 0;
  put(1, peek(), at_ + 1);
}

// Where the name that begins at `at` with its length ends; 0: there is none.
size_t end_of_source_name(std::string_view text, size_t at) {
  u64 size = 0;
  for (; at < text.size() && is_decimal(text[at]); ++at)
    size = std::min<u64>(size * 10 + static_cast<u64>(text[at] - '0'), text.size());
  return size != 0 && size <= text.size() - at ? at + size : 0;
}

// Behind the names of the function and of what it is in: 4norm of _Z4normPKfi.
size_t end_of_first_names(std::string_view text) {
  size_t at = std::min(text.find_first_not_of("_ZNKVrRO"), text.size());
  while (at < text.size()) {
    if (text.substr(at).starts_with("St"))
      at += 2;
    else if (text[at] == 'L')
      ++at;
    else if (const size_t end = end_of_source_name(text, at); end != 0)
      at = end;
    else
      break;
  }
  return at;
}

// Reads names with arguments (3std11is_integralIT_EE) of the usual kinds, and nothing else.
class QualifierReader {
public:
  QualifierReader(std::string_view text, size_t at) : text_(text), at_(at) {}

  // Names up to an E.
  [[nodiscard]] bool read_names() {
    do {
      if (!read_name())
        return false;
    } while (peek() != 'E');
    ++at_;
    return true;
  }

private:
  static constexpr u32 kDeepest = 32;

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool read_name() {
    at_ = end_of_source_name(text_, at_);
    return at_ != 0 && (peek() != 'I' || read_arguments());
  }
  bool read_arguments() {
    if (++depth_ > kDeepest)
      return false;
    for (++at_; peek() != 'E';)
      if (!read_argument())
        return false;
    ++at_;
    --depth_;
    return true;
  }
  bool read_argument() {
    at_ = std::min(text_.find_first_not_of("PRKOV", at_), text_.size());
    const char first = peek();
    if (is_decimal(first))
      return read_name();
    ++at_;
    switch (first) {
    case 'N':
      return read_names();
    case 'T':
      return read_number('_');
    case 'L':
      ++at_; // the type
      return read_number('E');
    case 'S':
      if (peek() == 't')
        return ++at_, read_name();
      // There may be no such part of the name; the library stops where an E follows.
      at_ = std::min(text_.find('_', at_), text_.size() - 1) + 1;
      return peek() == 'E';
    default:
      return std::string_view("vwbcahstijlmxynofdeg").find(first) != std::string_view::npos;
    }
  }
  // A number, which may be missing, and what is behind it.
  bool read_number(char end) {
    while (is_decimal(peek()))
      ++at_;
    return peek() == end && ++at_ != 0;
  }

  std::string_view text_;
  size_t at_;
  u32 depth_ = 0;
};

// Whether the library may read a name for ever. That of GCC 12 does behind an `sr` that begins with
// names (sr3std5valueE): it does not notice that what follows is none, and tries again. An `sr` is
// in an expression, and these are in decltypes, template arguments and bounds of arrays.
bool may_never_end(std::string_view name) {
  name.remove_prefix(end_of_first_names(name));
  for (size_t at = name.find("sr"); at != std::string_view::npos; at = name.find("sr", at + 1)) {
    const char next = at + 2 < name.size() ? name[at + 2] : 'E';
    const bool begins_a_name = is_decimal(next) || (next >= 'a' && next <= 'z') || next == 'C' ||
                               next == 'L' || next == 'U';
    if (begins_a_name && name.substr(0, at).find_first_of("ADQX") != std::string_view::npos &&
        !QualifierReader(name, at + 2).read_names())
      return true;
  }
  return false;
}

} // namespace

bool is_demangled_within(std::string_view name, u64 limit) {
  if (may_never_end(name))
    return false;
  for (const std::string_view prefix : {"_Z", "Z"}) // of a name, of something in a function
    if (name.starts_with(prefix))
      name.remove_prefix(prefix.size());
  LengthPass pass(name, limit, 0);
  pass.run();
  if (!pass.sure() || pass.functions() > kMostFunctions)
    return pass.references() < 32 && name.size() << pass.references() <= limit;
  if (pass.functions() == 0)
    return pass.length() <= limit;
  u64 argument = 1;
  for (u32 i = 0; i < pass.functions() + 2 && argument <= limit; ++i) {
    LengthPass next(name, limit, argument);
    next.run();
    argument = next.length();
  }
  return argument <= limit;
}

} // namespace culink
