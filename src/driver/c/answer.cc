// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about whole files in culink.h: the violations of a cubin, the differences of two, and
// the device code of a file. An answer is complete when it is returned, so reading it takes no
// lock. Pieces of code stay in the file, which may be large; each is unpacked on request.
#include <memory>

#include "driver/c/handles.h"
#include "inspect/diff/diff.h"
#include "support/output_file.h"
#include "verify/file/verify.h"

using namespace culink;
using namespace culink::capi;

namespace {

void add_finding(culink_answer &answer, std::string_view rule, const Error &what) {
  TextStore &text = answer.text;
  answer.findings.push_back({0, text.keep(rule), text.keep(what.file), text.keep(what.place),
                             text.keep(what.field), text.keep(what.message)});
}

void add_code(culink_answer &answer, const FoundCode &from) {
  TextStore &text = answer.text;
  culink_code &to = answer.code.emplace_back();
  to.kind = text.keep(from.form_name());
  to.target = text.keep(from.target);
  to.member = text.keep(from.member);
  to.place = text.keep(from.place);
  to.packing = text.keep(from.entry ? compression_name(from.entry->compression) : "raw");
  to.source = text.keep(from.entry ? from.entry->identifier : "");
  to.name = text.keep(from.name());
  to.size = from.size();
  to.packed_size = from.bytes.size();
  to.number = from.number;
}

void find_all_code(culink_answer &answer, const std::string &name, ByteSpan bytes) {
  answer.found = find_code(name, bytes);
  for (const FoundCode &code : answer.found.code)
    add_code(answer, code);
  for (const Error &problem : answer.found.problems)
    add_finding(answer, "", problem);
}

// Calls ask(answer), which returns a status, and stores the answer on success.
template <typename Ask> culink_status give_answer(culink_answer **answer, const Ask &ask) {
  if (!answer)
    return CULINK_INVALID_ARGUMENT;
  *answer = nullptr;
  return guarded([&] {
    auto out = std::make_unique<culink_answer>();
    const culink_status status = ask(*out);
    if (status == CULINK_OK || status == CULINK_BAD_FILE)
      *answer = out.release();
    return status;
  });
}

// Cubins that opened strictly also open tolerantly, so there is a view.
bool is_open(const culink_cubin *cubin) {
  return is_valid(cubin) && cubin->reader;
}
elf::ElfView view_of(const culink_cubin &cubin) {
  return std::move(*elf::ElfView::open_tolerant(cubin.bytes));
}

} // namespace

void culink_answer_destroy(culink_answer *answer) {
  if (is_valid(answer))
    const std::unique_ptr<culink_answer> owned(answer);
}

culink_status culink_answer_list(const culink_answer *answer, const char *kind, culink_list *list) {
  if (!is_valid(answer) || !kind || !list)
    return CULINK_INVALID_ARGUMENT;
  const std::string_view name = kind;
  return name == "finding" ? give_list(answer->findings, list)
         : name == "count" ? give_list(answer->counts, list)
         : name == "code"  ? give_list(answer->code, list)
                           : CULINK_INVALID_ARGUMENT;
}

const void *culink_answer_bytes(const culink_answer *answer, size_t *size) {
  const bool has_bytes = is_valid(answer) && !answer->bytes.empty();
  if (size)
    *size = has_bytes ? answer->bytes.size() : 0;
  return has_bytes ? answer->bytes.data() : nullptr;
}

culink_status culink_cubin_verify(const culink_cubin *cubin, culink_answer **answer) {
  return give_answer(answer, [&](culink_answer &out) {
    if (!is_open(cubin))
      return CULINK_INVALID_ARGUMENT;
    for (const Finding &finding : verify_device_elf(view_of(*cubin)))
      add_finding(out, rule_id(finding.rule), finding.what);
    return CULINK_OK;
  });
}

culink_status culink_cubin_diff(const culink_cubin *first, const culink_cubin *second,
                                const char *const *ignored, size_t ignored_count, uint64_t limit,
                                culink_answer **answer) {
  return give_answer(answer, [&](culink_answer &out) {
    if (!is_open(first) || !is_open(second) || !are_texts(ignored, ignored_count))
      return CULINK_INVALID_ARGUMENT;
    text::DiffOptions options;
    options.limit = limit;
    for (const std::string &name : strings_of(ignored, ignored_count)) {
      const std::optional<text::DiffTopic> topic = text::topic_from_name(name);
      if (!topic)
        return CULINK_INVALID_ARGUMENT;
      options.ignored[static_cast<u32>(*topic)] = true;
    }
    const text::DiffResult diff = text::diff_files(view_of(*first), view_of(*second), options);
    for (const text::Difference &one : diff.differences)
      add_finding(out, text::name_of_topic(one.topic), {one.place, "", one.text});
    for (u32 i = 0; i < text::kDiffTopics; ++i)
      out.counts.push_back(
          {0, out.text.keep(text::name_of_topic(static_cast<text::DiffTopic>(i))), diff.counts[i]});
    return CULINK_OK;
  });
}

culink_status culink_find_code_in_file(const char *path, culink_answer **answer) {
  return give_answer(answer, [&](culink_answer &out) {
    if (!path)
      return CULINK_INVALID_ARGUMENT;
    Result<MappedFile> file = open_file(path);
    if (!file) {
      add_finding(out, "", file.error());
      return CULINK_BAD_FILE;
    }
    out.file = std::move(*file);
    find_all_code(out, path, out.file->bytes());
    return CULINK_OK;
  });
}

culink_status culink_find_code_in_bytes(const char *name, const void *data, size_t size,
                                        culink_answer **answer) {
  return give_answer(answer, [&](culink_answer &out) {
    if ((!data && size != 0) || size > PTRDIFF_MAX)
      return CULINK_INVALID_ARGUMENT;
    find_all_code(out, name ? name : "", {static_cast<const u8 *>(data), size});
    return CULINK_OK;
  });
}

culink_status culink_code_unpack(const culink_answer *code, size_t index, culink_answer **answer) {
  return give_answer(answer, [&](culink_answer &out) {
    if (!is_valid(code) || index >= code->found.code.size())
      return CULINK_INVALID_ARGUMENT;
    Result<std::vector<u8>> bytes = unpack(code->found.code[index]);
    if (bytes)
      out.bytes = std::move(*bytes);
    else
      add_finding(out, "", bytes.error());
    return bytes ? CULINK_OK : CULINK_BAD_FILE;
  });
}

culink_status culink_write_file(const char *path, const void *data, size_t size,
                                culink_answer **answer) {
  return give_answer(answer, [&](culink_answer &out) {
    if (!path || (!data && size != 0) || size > PTRDIFF_MAX)
      return CULINK_INVALID_ARGUMENT;
    std::optional<Error> error = write_file(path, {static_cast<const u8 *>(data), size});
    if (!error)
      return CULINK_OK;
    error->file = path;
    add_finding(out, "", *error);
    return CULINK_BAD_FILE;
  });
}
