// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface (culink.h) for C++17 and later: handles that free themselves, text as
// std::string_view, lists as vectors. Everything is inline over the C functions, so a program with
// any compiler and standard library works with any libculink.so of the same number.
//
//   culink::c::Link link;
//   link.add_option("-arch=sm_90");
//   link.add_file("a.cubin");
//   link.add_bytes("b", data, size);
//   const culink::c::Result result = link.run();
//   if (!result.ok())
//     std::cerr << result.log();
//
// The rules of culink.h for errors, lifetimes and threads hold here. The only exception is
// std::bad_alloc. Views belong to the object that returned them and stay valid when it is moved.
#ifndef CULINK_HPP
#define CULINK_HPP

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "culink.h"

namespace culink::c {

// Bytes that another object owns.
struct Bytes {
  const unsigned char *data = nullptr;
  std::size_t size = 0;

  const unsigned char *begin() const { return data; }
  const unsigned char *end() const { return data + size; }
  bool empty() const { return size == 0; }
};

// The names of a list of culink_known_name: "target", "emulate", "dialect".
inline std::vector<std::string_view> known_names(const char *list) {
  std::vector<std::string_view> out;
  for (const char *name = nullptr; (name = culink_known_name(list, out.size())) != nullptr;)
    out.emplace_back(name);
  return out;
}

struct Origin {
  std::string_view role, file, member, symbol, detail;
};

// A message of a result. The result must outlive it.
class Message {
public:
  explicit Message(const culink_message *message) : message_(message) {}

  culink_severity severity() const { return culink_message_severity(message_); }
  std::string_view id() const { return culink_message_id(message_); }
  std::string_view text() const { return culink_message_text(message_); }
  std::string_view hint() const { return culink_message_hint(message_); }
  std::vector<std::string_view> arguments() const {
    return list(culink_message_argument_count, culink_message_argument);
  }
  std::vector<std::string_view> notes() const {
    return list(culink_message_note_count, culink_message_note);
  }
  std::vector<Origin> origins() const {
    std::vector<Origin> out;
    culink_origin row{};
    row.struct_size = sizeof row;
    while (culink_message_origin(message_, out.size(), &row) == CULINK_OK)
      out.push_back({row.role, row.file, row.member, row.symbol, row.detail});
    return out;
  }

private:
  std::vector<std::string_view> list(std::size_t (*count)(const culink_message *),
                                     const char *(*item)(const culink_message *,
                                                         std::size_t)) const {
    std::vector<std::string_view> out;
    for (std::size_t i = 0; i < count(message_); ++i)
      out.emplace_back(item(message_, i));
    return out;
  }

  const culink_message *message_;
};

// The outcome of a link: bytes, or the reasons of a failure. Does not need the link.
class Result {
public:
  Result(culink_status status, culink_result *result) : status_(status), result_(result) {}

  bool ok() const { return status_ == CULINK_OK; }
  // The status of the run. There are no messages if memory ran out or the link was busy.
  culink_status status() const { return status_; }
  Bytes bytes() const {
    std::size_t size = 0;
    const void *data = culink_result_bytes(result_.get(), &size);
    return {static_cast<const unsigned char *>(data), size};
  }
  // Empty without the option -emit-ptx.
  std::string_view ptx() const { return text_or_empty(culink_result_ptx(result_.get())); }
  std::string_view log(culink_format format = CULINK_TEXT) const {
    return text_or_empty(culink_result_log(result_.get(), format));
  }
  std::vector<Message> messages() const {
    std::vector<Message> out;
    for (std::size_t i = 0; i < culink_result_message_count(result_.get()); ++i)
      out.emplace_back(culink_result_message(result_.get(), i));
    return out;
  }
  // Names of the inputs that host code registers, and their ids.
  std::vector<std::pair<std::string_view, std::string_view>> modules() const {
    std::vector<std::pair<std::string_view, std::string_view>> out;
    for (std::size_t i = 0; i < culink_result_module_count(result_.get()); ++i)
      out.emplace_back(culink_result_module_input(result_.get(), i),
                       culink_result_module_id(result_.get(), i));
    return out;
  }
  const culink_result *handle() const { return result_.get(); }

private:
  static std::string_view text_or_empty(const char *text) { return text ? text : ""; }

  struct Destroy {
    void operator()(culink_result *result) const { culink_result_destroy(result); }
  };
  culink_status status_;
  std::unique_ptr<culink_result, Destroy> result_;
};

// Called at each step and after each input; false cancels the link. Must not throw.
using Progress =
    std::function<bool(std::string_view step, std::uint32_t done, std::uint32_t total)>;

class Link {
public:
  Link() {
    culink_link *link = nullptr;
    if (culink_link_create(&link) != CULINK_OK)
      throw std::bad_alloc();
    link_.reset(link);
  }

  // Adds a word of culink's command line. CULINK_BAD_OPTION: error() has the reason.
  culink_status add_option(const std::string &word) {
    return culink_link_add_option(link_.get(), word.c_str());
  }
  culink_status add_options(const std::vector<std::string> &words) {
    std::vector<const char *> list;
    for (const std::string &word : words)
      list.push_back(word.c_str());
    return culink_link_add_options(link_.get(), list.data(), list.size());
  }
  std::string_view error() const { return culink_link_error(link_.get()); }

  culink_status add_file(const std::string &path) {
    return culink_link_add_file(link_.get(), path.c_str());
  }
  // Bytes that the caller keeps until the last run has ended.
  culink_status add_bytes(const std::string &name, const void *data, std::size_t size) {
    return culink_link_add_bytes(link_.get(), name.c_str(), data, size);
  }
  culink_status add_copy(const std::string &name, const void *data, std::size_t size) {
    return culink_link_add_copy(link_.get(), name.c_str(), data, size);
  }
  culink_status add_library(const std::string &name) {
    return culink_link_add_library(link_.get(), name.c_str());
  }
  culink_status add_library_path(const std::string &folder) {
    return culink_link_add_library_path(link_.get(), folder.c_str());
  }

  // Sets the path of "ptxas", "libnvJitLink", "nvlink", "compiler" or "culink".
  culink_status set_tool(const std::string &kind, const std::string &path) {
    return culink_link_set_tool(link_.get(), kind.c_str(), path.c_str());
  }
  // Searches a toolkit; without a folder, the toolkit that culink_link_find_tools finds.
  culink_status find_tools(const std::string &folder = {}) {
    return culink_link_find_tools(link_.get(), folder.empty() ? nullptr : folder.c_str());
  }
  std::string_view tool(const std::string &kind) const {
    const char *path = culink_link_tool(link_.get(), kind.c_str());
    return path ? path : "";
  }

  culink_status set_progress(Progress progress) {
    auto kept = std::make_unique<Progress>(std::move(progress));
    const culink_status status =
        culink_link_set_progress(link_.get(), *kept ? tell : nullptr, kept.get());
    if (status == CULINK_OK)
      progress_ = std::move(kept);
    return status;
  }
  // From any thread.
  culink_status cancel() { return culink_link_cancel(link_.get()); }

  Result run() {
    culink_result *result = nullptr;
    const culink_status status = culink_link_run(link_.get(), &result);
    return {status, result};
  }
  culink_link *handle() { return link_.get(); }

private:
  static int tell(void *user, const char *step, std::uint32_t done, std::uint32_t total) {
    return (*static_cast<const Progress *>(user))(step, done, total) ? 0 : 1;
  }

  struct Destroy {
    void operator()(culink_link *link) const { culink_link_destroy(link); }
  };
  std::unique_ptr<Progress> progress_; // at a fixed address, which the link knows
  std::unique_ptr<culink_link, Destroy> link_;
};

// A cubin or a relocatable device object.
class Cubin {
public:
  static Cubin open_file(const std::string &path) {
    culink_cubin *cubin = nullptr;
    const culink_status status = culink_cubin_open_file(&cubin, path.c_str());
    return {status, cubin};
  }
  // Bytes that the caller keeps as long as the cubin lives.
  static Cubin open_bytes(const void *data, std::size_t size, const std::string &name = {}) {
    culink_cubin *cubin = nullptr;
    const culink_status status = culink_cubin_open_bytes(&cubin, name.c_str(), data, size);
    return {status, cubin};
  }

  bool ok() const { return status_ == CULINK_OK; }
  culink_status status() const { return status_; }
  // The reason why a file could not be opened.
  std::string_view error() const {
    const char *text = culink_cubin_error(cubin_.get());
    return text ? text : culink_status_name(status_);
  }

  culink_cubin_info info() const {
    culink_cubin_info out{};
    out.struct_size = sizeof out;
    culink_cubin_get_info(cubin_.get(), &out);
    return out;
  }
  std::vector<culink_section> sections() const { return list(culink_cubin_section); }
  std::vector<culink_symbol> symbols() const { return list(culink_cubin_symbol); }
  std::vector<culink_relocation> relocations() const { return list(culink_cubin_relocation); }
  std::vector<culink_function> functions() const { return list(culink_cubin_function); }
  std::vector<culink_attribute> attributes() const { return list(culink_cubin_attribute); }
  std::vector<culink_tool> tools() const { return list(culink_cubin_tool); }
  // The values of the attribute with this index.
  std::vector<culink_value> values(std::size_t attribute) const {
    std::vector<culink_value> out;
    culink_value row{};
    row.struct_size = sizeof row;
    while (culink_cubin_attribute_value(cubin_.get(), attribute, out.size(), &row) == CULINK_OK)
      out.push_back(row);
    return out;
  }
  const culink_cubin *handle() const { return cubin_.get(); }

private:
  Cubin(culink_status status, culink_cubin *cubin) : status_(status), cubin_(cubin) {}

  template <typename Row>
  std::vector<Row> list(culink_status (*get)(const culink_cubin *, std::size_t, Row *)) const {
    std::vector<Row> out;
    Row row{};
    row.struct_size = sizeof row;
    while (get(cubin_.get(), out.size(), &row) == CULINK_OK)
      out.push_back(row);
    return out;
  }

  struct Destroy {
    void operator()(culink_cubin *cubin) const { culink_cubin_destroy(cubin); }
  };
  culink_status status_;
  std::unique_ptr<culink_cubin, Destroy> cubin_;
};

} // namespace culink::c

#endif
