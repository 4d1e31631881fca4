// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to the parse_*.cc beside it.
#pragma once

#include <algorithm>

#include "compat/demangle/tree.h"

namespace culink::demangling {

// Recursive descent. After a failure every method still returns some node, and nothing more is
// read.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  [[nodiscard]] std::optional<Tree> run();

private:
  // Counts how deep the grammar nests, against names made to exhaust the stack.
  class Depth {
  public:
    explicit Depth(Parser &parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth)
        parser_.failed_ = true;
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth &) = delete;
    Depth &operator=(const Depth &) = delete;

  private:
    static constexpr u32 kMaxDepth = 250;
    Parser &parser_;
  };
  struct Substitution {
    NodeId node = kNone;
    bool prefix = false; // part of a longer name
  };

  // parse_name.cc
  NodeId encoding();
  NodeId special();
  std::string call_offset();
  NodeId name(u8 *qualifiers);
  NodeId nested_name(u8 *qualifiers);
  NodeId local_name(u8 *qualifiers);
  u32 discriminator();
  NodeId source_name();
  NodeId unqualified_name(NodeId scope);
  NodeId unnamed_type();
  NodeId structor(NodeId scope);
  NodeId template_of(NodeId name);
  u8 cv_qualifiers();

  // parse_type.cc
  NodeId substitution();
  NodeId template_parameter();
  std::vector<NodeId> template_arguments();
  NodeId template_argument();
  NodeId type();
  NodeId compound_type();
  NodeId decltype_type();
  NodeId letter_d_type();
  NodeId function_type();
  NodeId array_type();

  // parse_expression.cc
  NodeId operator_name();
  NodeId literal();
  NodeId expression();
  NodeId primary_expression();
  NodeId call_expression();
  NodeId scope_expression();
  NodeId simple_name();
  NodeId qualified(NodeId scope, NodeId member);
  NodeId form(std::string text, u32 operands);

  [[nodiscard]] bool has_return_type(NodeId function) const;
  [[nodiscard]] std::string short_name(NodeId id) const;
  void remember(NodeId id, bool prefix = false);
  NodeId add(Node node);
  NodeId fail();
  u32 digits();

  [[nodiscard]] static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size() || text_[at_] == '$'; }
  [[nodiscard]] char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  char take() { return at_ < text_.size() ? text_[at_++] : '\0'; }
  bool take(std::string_view token) {
    if (text_.substr(std::min(at_, text_.size()), token.size()) != token)
      return false;
    at_ += token.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  u32 depth_ = 0;
  bool failed_ = false;
  Tree tree_;
  std::vector<Substitution> substitutions_;
};

} // namespace culink::demangling
