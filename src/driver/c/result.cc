// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of culink.h and their messages. Only the log is computed here: on first use and under a
// lock, since any number of threads may read one result.
#include <iterator>
#include <memory>

#include "driver/c/handles.h"
#include "driver/options/messages.h"

using namespace culink;
using namespace culink::capi;

namespace {

std::string log_of_nvlink(const culink_result &result) {
  std::vector<Message> messages;
  for (const culink_message &one : result.messages)
    messages.push_back(one.message);
  std::string out;
  for (const std::string &line : nvlink_report(messages).lines)
    out += result.style.nvlink_line(line);
  return out;
}

std::string make_log(const culink_result &result, culink_format format) {
  if (format == CULINK_NVLINK)
    return log_of_nvlink(result);
  std::string out;
  for (const culink_message &one : result.messages) {
    if (result.style.hides(one.message))
      continue;
    out += format == CULINK_JSON ? format_message_json(one.message, result.style.text.target)
                                 : one.shown + '\n';
  }
  return out;
}

const char *item(const std::vector<std::string> &list, size_t index) {
  return index < list.size() ? list[index].c_str() : nullptr;
}

} // namespace

void culink_result_destroy(culink_result *result) {
  if (is_valid(result))
    const std::unique_ptr<culink_result> owned(result);
}

culink_status culink_result_status(const culink_result *result) {
  return is_valid(result) ? result->status : CULINK_INVALID_ARGUMENT;
}

const void *culink_result_bytes(const culink_result *result, size_t *size) {
  const bool has_bytes = is_valid(result) && !result->bytes.empty();
  if (size)
    *size = has_bytes ? result->bytes.size() : 0;
  return has_bytes ? result->bytes.data() : nullptr;
}

const char *culink_result_ptx(const culink_result *result) {
  return is_valid(result) && !result->ptx.empty() ? result->ptx.c_str() : nullptr;
}

size_t culink_result_module_count(const culink_result *result) {
  return is_valid(result) ? result->modules.size() : 0;
}

const char *culink_result_module_input(const culink_result *result, size_t index) {
  return index < culink_result_module_count(result) ? result->modules[index].input.c_str()
                                                    : nullptr;
}

const char *culink_result_module_id(const culink_result *result, size_t index) {
  return index < culink_result_module_count(result) ? result->modules[index].id.c_str() : nullptr;
}

size_t culink_result_message_count(const culink_result *result) {
  return is_valid(result) ? result->messages.size() : 0;
}

const culink_message *culink_result_message(const culink_result *result, size_t index) {
  return index < culink_result_message_count(result) ? &result->messages[index] : nullptr;
}

const char *culink_result_log(const culink_result *result, culink_format format) {
  const auto number = static_cast<size_t>(format);
  if (!is_valid(result) || number >= std::size(result->logs))
    return nullptr;
  return guarded_value<const char *>(nullptr, [&] {
    // The handle is const for its readers; the lock guards the data that they share.
    auto &shared = const_cast<culink_result &>(*result);
    const std::lock_guard<std::mutex> lock(shared.log_mutex);
    if (!shared.logs[number])
      shared.logs[number] = make_log(*result, format);
    return shared.logs[number]->c_str();
  });
}

culink_severity culink_message_severity(const culink_message *message) {
  return is_valid(message) ? static_cast<culink_severity>(message->message.severity) : CULINK_INFO;
}

const char *culink_message_id(const culink_message *message) {
  return is_valid(message) ? message->message.id.c_str() : nullptr;
}

const char *culink_message_text(const culink_message *message) {
  return is_valid(message) ? message->message.text.c_str() : nullptr;
}

const char *culink_message_hint(const culink_message *message) {
  return is_valid(message) ? message->message.hint.c_str() : nullptr;
}

const char *culink_message_shown(const culink_message *message) {
  return is_valid(message) ? message->shown.c_str() : nullptr;
}

size_t culink_message_argument_count(const culink_message *message) {
  return is_valid(message) ? message->message.arguments.size() : 0;
}

const char *culink_message_argument(const culink_message *message, size_t index) {
  return is_valid(message) ? item(message->message.arguments, index) : nullptr;
}

size_t culink_message_note_count(const culink_message *message) {
  return is_valid(message) ? message->message.notes.size() : 0;
}

const char *culink_message_note(const culink_message *message, size_t index) {
  return is_valid(message) ? item(message->message.notes, index) : nullptr;
}

size_t culink_message_origin_count(const culink_message *message) {
  return is_valid(message) ? message->message.origins.size() : 0;
}

culink_status culink_message_origin(const culink_message *message, size_t index,
                                    culink_origin *origin) {
  if (!origin || index >= culink_message_origin_count(message))
    return CULINK_INVALID_ARGUMENT;
  const Origin &from = message->message.origins[index];
  return give(culink_origin{0, from.role.c_str(), from.file.c_str(), from.member.c_str(),
                            from.symbol.c_str(), from.detail.c_str()},
              origin);
}
