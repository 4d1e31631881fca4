// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links of culink.h: what is collected before the run, and the run. A link is never changed by its
// run, so it can be run again; a result owns all that it has, so that either may be freed first.
//
// What may surprise: a handle that is in use is refused and not waited for, because the caller who
// waits would be the callback that the run waits for.
#include <cstdint>
#include <memory>

#include "driver/c/guard.h"
#include "driver/c/options.h"

using namespace culink;
using namespace culink::capi;

namespace {

constexpr size_t kLargest = PTRDIFF_MAX; // no object has more bytes

culink_status add_words(culink_link &link, const char *const *words, size_t count) {
  std::vector<std::string> all = link.words;
  all.insert(all.end(), words, words + count);
  ParsedOptions parsed = parse_options(all);
  if (!parsed.error.empty()) {
    link.error = std::move(parsed.error);
    return CULINK_BAD_OPTION;
  }
  link.words = std::move(all);
  return CULINK_OK;
}

std::unique_ptr<culink_result> make_result(PreparedLink prepared, LinkResult linked) {
  auto out = std::make_unique<culink_result>();
  for (std::vector<Message> *list : {&prepared.messages, &linked.messages})
    for (Message &message : *list) {
      const bool is_cancelled = message.id == diag_row(DiagId::Cancelled).key;
      out->status = is_cancelled ? CULINK_CANCELLED : out->status;
      out->messages.emplace_back().message = std::move(message);
    }
  if (out->status == CULINK_OK && !linked.ok())
    out->status = CULINK_LINK_FAILED;
  out->bytes = std::move(linked.bytes);
  out->ptx = std::move(linked.ptx);
  out->modules = std::move(linked.modules);
  out->style = std::move(prepared.style);
  return out;
}

// The callback of the caller, one thread at a time.
void tell_caller(culink_link &link) {
  const std::lock_guard<std::mutex> lock(link.callback_mutex);
  LinkProgress &progress = link.progress;
  if (link.callback(link.user, progress.step, progress.done, progress.total) != 0)
    progress.cancelled = true;
}

// What a run leaves behind for the next one: nothing, however it ends.
class Run {
public:
  explicit Run(culink_link &link) : link_(link) {
    link.progress.step = "open";
    link.progress.done = 0;
    link.progress.total = 0;
    if (link.callback)
      link.progress.changed = [&link] { tell_caller(link); };
  }
  ~Run() {
    link_.progress.changed = nullptr;
    link_.progress.cancelled = false;
  }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

private:
  culink_link &link_;
};

culink_status add_input(culink_link &link, const char *name, const void *data, size_t size,
                        bool copies) {
  const ByteSpan bytes(static_cast<const u8 *>(data), size);
  AddedInput input{name, bytes, {}};
  if (copies) {
    input.copy.assign(bytes.begin(), bytes.end());
    input.bytes = input.copy; // stays where it is when the list is moved
  }
  link.inputs.push_back(std::move(input));
  return CULINK_OK;
}

culink_status add_text(culink_link *link, std::vector<std::string> culink_link::*list,
                       const char *text) {
  if (!text)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    (link->*list).emplace_back(text);
    return CULINK_OK;
  });
}

} // namespace

culink_status culink_link_create(culink_link **link) {
  if (!link)
    return CULINK_INVALID_ARGUMENT;
  *link = nullptr;
  return guarded([&] {
    *link = std::make_unique<culink_link>().release();
    return CULINK_OK;
  });
}

void culink_link_destroy(culink_link *link) {
  if (!is_valid(link) || link->busy.exchange(true))
    return;
  const std::unique_ptr<culink_link> owned(link);
}

culink_status culink_link_add_option(culink_link *link, const char *word) {
  return culink_link_add_options(link, &word, 1);
}

culink_status culink_link_add_options(culink_link *link, const char *const *words, size_t count) {
  if ((!words && count != 0) || count > kLargest / sizeof *words)
    return CULINK_INVALID_ARGUMENT;
  for (size_t i = 0; i < count; ++i)
    if (!words[i])
      return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] { return add_words(*link, words, count); });
}

const char *culink_link_error(const culink_link *link) {
  return is_valid(link) ? link->error.c_str() : nullptr;
}

culink_status culink_link_add_file(culink_link *link, const char *path) {
  if (!path)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    link->inputs.push_back({path, std::nullopt, {}});
    return CULINK_OK;
  });
}

culink_status culink_link_add_bytes(culink_link *link, const char *name, const void *data,
                                    size_t size) {
  if (!name || (!data && size != 0) || size > kLargest)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] { return add_input(*link, name, data, size, false); });
}

culink_status culink_link_add_copy(culink_link *link, const char *name, const void *data,
                                   size_t size) {
  if (!name || (!data && size != 0) || size > kLargest)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] { return add_input(*link, name, data, size, true); });
}

culink_status culink_link_add_library(culink_link *link, const char *name) {
  return add_text(link, &culink_link::libraries, name);
}

culink_status culink_link_add_library_path(culink_link *link, const char *folder) {
  return add_text(link, &culink_link::library_paths, folder);
}

culink_status culink_link_set_progress(culink_link *link, culink_progress callback, void *user) {
  return change_link(link, [&] {
    link->callback = callback;
    link->user = user;
    return CULINK_OK;
  });
}

culink_status culink_link_cancel(culink_link *link) {
  if (!is_valid(link))
    return CULINK_INVALID_ARGUMENT;
  link->progress.cancelled = true;
  return CULINK_OK;
}

culink_status culink_link_run(culink_link *link, culink_result **result) {
  if (!result)
    return CULINK_INVALID_ARGUMENT;
  *result = nullptr;
  return change_link(link, [&] {
    const Run run(*link);
    PreparedLink prepared = prepare(*link);
    prepared.request.progress = &link->progress;
    LinkResult linked;
    if (!prepared.failed)
      linked = culink::link(prepared.request);
    *result = make_result(std::move(prepared), std::move(linked)).release();
    return (*result)->status;
  });
}
