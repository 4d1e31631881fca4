// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nodes of a document, and YAML input and output: events of yaml-cpp become nodes, and our own
// writer gives nodes the fixed layout of the text form.
#include "yaml/document/document.h"

#include <istream>
#include <optional>
#include <streambuf>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "support/text_out.h"

namespace culink::text {

// Lookup of map items. Maps are small (a row of a table, a section), so the search is linear.

void Node::set(std::string_view name, Node item) {
  item.key = name;
  items.push_back(std::move(item));
}

void Node::set(std::string_view name, std::string value) {
  set(name, scalar(std::move(value)));
}

const Node *Node::find(std::string_view name) const {
  for (const Node &item : items)
    if (item.key == name)
      return &item;
  return nullptr;
}

// YAML input and output. The reader uses yaml-cpp's event parser: its node tree would need ten
// times the memory and time for a file with 70,000 sections, and events never expand an alias. Its
// exceptions are caught here. The writer is ours, because the form has a fixed layout (a table row
// is one flow map on one line, bytes are a literal block) that yaml-cpp's emitter cannot produce.
//
// A surprise: the event interface cannot stop the parser. After our first complaint the remaining
// events are ignored; yaml-cpp then reads to the end in linear time.

namespace {

Error at_line(u32 line, std::string message) {
  return {line == 0 ? std::string() : fmt::format("line {}", line), "", std::move(message)};
}

// yaml-cpp also reports a key that is a map when the actual error is a missing bracket.
constexpr std::string_view kBadKey = "a key must be a plain string";

// A stream buffer over borrowed characters.
class ViewBuffer : public std::streambuf {
public:
  explicit ViewBuffer(std::string_view text) {
    char *start = const_cast<char *>(text.data()); // a streambuf reads through char *
    setg(start, start, start + text.size());
  }
};

class TreeBuilder : public YAML::EventHandler {
public:
  [[nodiscard]] const std::optional<Error> &error() const { return error_; }
  [[nodiscard]] Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark &) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark &mark, YAML::anchor_t anchor) override {
    if (accept(mark, "", anchor))
      place(Node{}, mark);
  }
  void OnAlias(const YAML::Mark &mark, YAML::anchor_t) override {
    report(mark, "aliases (*name) are not supported; write the value out");
  }
  void OnScalar(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                const std::string &value) override {
    if (accept(mark, tag, anchor))
      place(Node::scalar(value), mark);
  }
  void OnSequenceStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::sequence(), mark, tag, anchor);
  }
  void OnMapStart(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::map(), mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

private:
  struct Level {
    Node node;
    std::string key; // key of the next item, if the node is a map
    bool has_key = false;
  };

  void report(const YAML::Mark &mark, std::string message) {
    if (!error_)
      error_ = at_line(static_cast<u32>(mark.line + 1), std::move(message));
  }

  [[nodiscard]] bool accept(const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor) {
    if (error_)
      return false;
    if (anchor != 0)
      report(mark, "anchors (&name) are not supported; write the value where it is needed");
    else if (!tag.empty() && tag != "?" && tag != "!")
      report(mark, fmt::format("tags ({}) are not supported; write the plain value", tag));
    else if (++count_ > kMaxYamlNodes)
      report(mark, fmt::format("more than {} values", kMaxYamlNodes));
    return !error_;
  }

  void open(Node node, const YAML::Mark &mark, const std::string &tag, YAML::anchor_t anchor) {
    if (!accept(mark, tag, anchor))
      return;
    if (levels_.size() >= kMaxYamlDepth)
      return report(mark, fmt::format("nested deeper than {} levels", kMaxYamlDepth));
    if (!levels_.empty() && levels_.back().node.is_map() && !levels_.back().has_key)
      return report(mark, std::string(kBadKey));
    node.line = static_cast<u32>(mark.line + 1);
    levels_.push_back({std::move(node), {}, false});
  }

  void close() {
    if (error_)
      return;
    Node node = std::move(levels_.back().node);
    levels_.pop_back();
    attach(std::move(node));
  }

  void place(Node node, const YAML::Mark &mark) {
    node.line = static_cast<u32>(mark.line + 1);
    if (!levels_.empty() && levels_.back().node.is_map() && !levels_.back().has_key) {
      levels_.back().key = std::move(node.text);
      levels_.back().has_key = true;
      return;
    }
    attach(std::move(node));
  }

  void attach(Node node) {
    if (levels_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level &parent = levels_.back();
    if (parent.node.is_map()) {
      node.key = std::move(parent.key);
      parent.key.clear();
      parent.has_key = false;
    }
    parent.node.items.push_back(std::move(node));
  }

  std::vector<Level> levels_;
  Node root_;
  std::optional<Error> error_;
  u64 count_ = 0;
};

// ---- Writing ------------------------------------------------------------------------------------

bool is_plain_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '$' || c == '/';
}

bool is_plain(std::string_view text) {
  if (text.empty() || text.ends_with(' ') || text.starts_with("..") || text == "null" ||
      text == "Null" || text == "NULL")
    return false;
  const bool negative = text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
  if (!negative && !is_plain_start(text[0]))
    return false;
  for (const char c : text.substr(1))
    if (!is_plain_start(c) && c != ' ' && c != '+' && c != '-')
      return false;
  return true;
}

void append_scalar(std::string &out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    const u8 byte = static_cast<u8>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (byte < 0x20 || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  out += '"';
}

void append_flow(std::string &out, const Node &node) {
  if (node.kind == Node::Kind::Null) {
    out += '~';
  } else if (node.is_scalar()) {
    append_scalar(out, node.text);
  } else {
    out += node.is_map() ? '{' : '[';
    bool first = true;
    for (const Node &item : node.items) {
      if (!first)
        out += ", ";
      first = false;
      if (node.is_map()) {
        append_scalar(out, item.key);
        out += ": ";
      }
      append_flow(out, item);
    }
    out += node.is_map() ? '}' : ']';
  }
}

void append_lines(std::string &out, std::string_view text, u32 indent) {
  out += "|\n";
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    out.append(indent, ' ');
    out += text.substr(0, end);
    text.remove_prefix(end);
  }
}

void append_block(std::string &out, const Node &node, u32 indent, bool after_dash = false);

// Appends the text after "key:" or "-".
void append_value(std::string &out, const Node &node, u32 indent, bool after_dash) {
  if (node.style == Node::Style::Lines && !node.text.empty()) {
    out += ' ';
    append_lines(out, node.text, indent + 2);
  } else if (node.items.empty() || node.style == Node::Style::Flow) {
    out += ' ';
    append_flow(out, node);
    out += '\n';
  } else if (after_dash && node.is_map()) {
    append_block(out, node, indent + 2, true);
  } else {
    out += '\n';
    append_block(out, node, after_dash || node.is_map() ? indent + 2 : indent);
  }
}

// After a dash, the first key is on the same line.
void append_block(std::string &out, const Node &node, u32 indent, bool after_dash) {
  for (const Node &item : node.items) {
    out.append(after_dash ? 1 : indent, ' ');
    after_dash = false;
    if (node.is_map()) {
      append_scalar(out, item.key);
      out += ':';
    } else {
      out += '-';
    }
    append_value(out, item, indent, node.is_sequence());
  }
}

} // namespace

Result<Node> read_yaml(std::string_view yaml) {
  if (yaml.size() > kMaxYamlBytes)
    return Error{"", "",
                 fmt::format("{} bytes of YAML; at most {} are read", yaml.size(), kMaxYamlBytes)};
  TreeBuilder builder;
  try {
    ViewBuffer buffer(yaml);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder))
      return Error{"", "", "the file holds no YAML document"};
    if (builder.error())
      return *builder.error();
    TreeBuilder second;
    if (parser.HandleNextDocument(second))
      return Error{"", "", "the file holds a second YAML document; write one per file"};
  } catch (const YAML::Exception &e) {
    if (builder.error() && builder.error()->message != kBadKey)
      return *builder.error();
    return at_line(static_cast<u32>(e.mark.line + 1), fmt::format("not valid YAML: {}", e.msg));
  } catch (const std::exception &e) {
    return Error{"", "", fmt::format("not valid YAML: {}", e.what())};
  }
  return builder.take();
}

std::string write_yaml(const Node &document, std::string_view comment) {
  std::string out;
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    (out += "# ") += comment.substr(0, end);
    out += '\n';
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  if (document.items.empty() || document.style == Node::Style::Flow) {
    append_flow(out, document);
    out += '\n';
  } else {
    append_block(out, document, 0);
  }
  return out;
}

bool is_yaml_text(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

} // namespace culink::text
