// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes all outputs of a link or none. All data is written before any file gets its name: first
// new files, which are still invisible, then pipes and devices, which cannot be undone. The image
// gets its name last: if there is a new image, the map next to it is new, too.
//
// Several links, also concurrent ones, share the table of times. So its rows are appended in one
// write, not written to a new file.
#include "write_outputs.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "edit/prune.h"
#include "elf/elf_view.h"
#include "inspect/report/link_reports.h"
#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "verify/file/verify.h"

namespace culink {

namespace {

// Rows appended to a file until they are taken back.
class AppendedRows {
public:
  explicit AppendedRows(const LinkOutputs::Text &table)
      : path_(table.path), existed_(::access(path_.c_str(), F_OK) == 0),
        fd_(path_ == "-" ? ::dup(STDOUT_FILENO)
                         : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    struct stat info {};
    is_file_ = path_ != "-" && fd_ >= 0 && ::fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
    before_ = is_file_ ? info.st_size : 0;
    const std::string rows = (before_ == 0 ? time_table_head() : "") + table.text;
    after_ = before_ + static_cast<off_t>(rows.size());
    ok_ = fd_ >= 0 && write_all(fd_, as_bytes(rows));
  }
  AppendedRows(const AppendedRows &) = delete;
  AppendedRows &operator=(const AppendedRows &) = delete;
  ~AppendedRows() {
    if (fd_ >= 0)
      ::close(fd_);
  }

  [[nodiscard]] bool ok() const { return ok_; }
  // Removes the rows, unless another link has added rows meanwhile.
  void take_back() const {
    struct stat info {};
    if (!is_file_ || ::fstat(fd_, &info) != 0 || info.st_size > after_)
      return;
    if (!existed_)
      ::unlink(path_.c_str());
    else
      static_cast<void>(::ftruncate(fd_, before_) == 0);
  }

private:
  std::string path_;
  bool existed_;
  int fd_;
  bool is_file_ = false, ok_ = false;
  off_t before_ = 0, after_ = 0;
};

// A file and its planned contents.
struct Planned {
  OutputFile *file;
  const std::string *path;
  ByteSpan bytes;
};

OutputFailure failure_of(const Planned &one, const Error &error) {
  return {DiagId::CannotWriteOutput, {*one.path, error.text()}};
}

} // namespace

std::optional<OutputFailure> write_outputs(const LinkOutputs &outputs, OutputFile &image) {
  if (outputs.image_first && !outputs.image_path.empty()) {
    LinkOutputs alone, others = outputs;
    alone.image_path = std::exchange(others.image_path, {});
    alone.image = outputs.image;
    others.image_first = false;
    std::optional<OutputFailure> failed = write_outputs(alone, image);
    return failed ? failed : write_outputs(others, image);
  }
  std::deque<OutputFile> texts;
  std::vector<Planned> all;
  for (const LinkOutputs::Text &one : outputs.texts)
    all.push_back({&texts.emplace_back(one.path), &one.path, as_bytes(one.text)});
  if (!outputs.image_path.empty())
    all.push_back({&image, &outputs.image_path, outputs.image});
  for (const bool is_file : {true, false})
    for (const Planned &one : all) {
      if (one.file->is_temporary() != is_file)
        continue;
      if (one.file->is_mapped())
        one.file->finish();
      else
        one.file->write(one.bytes);
      if (one.file->error())
        return failure_of(one, *one.file->error());
    }
  std::optional<AppendedRows> rows;
  if (outputs.table && !rows.emplace(*outputs.table).ok()) {
    rows->take_back();
    return OutputFailure{DiagId::CannotWriteTimes, {outputs.table->path}};
  }
  std::vector<OutputFile *> files;
  for (const Planned &one : all)
    files.push_back(one.file);
  const std::optional<CommitFailure> failed = commit_all(files);
  if (!failed)
    return std::nullopt;
  if (rows)
    rows->take_back();
  return failure_of(all[failed->file], failed->error);
}

bool can_append(const std::string &path) {
  struct stat info {};
  if (path == "-")
    return true;
  if (::stat(path.c_str(), &info) == 0)
    return !S_ISDIR(info.st_mode) && ::access(path.c_str(), W_OK) == 0;
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return errno == ENOENT && slash + 1 != path.size() && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

// A link checks its image before it returns it, but debug information is removed after that. So the
// stripped image is checked again: it must not break a rule that the image keeps, and every section
// that is not empty must have the checked contents.

namespace {

std::string find_flaw(const elf::ElfView &image, const elf::ElfView &stripped) {
  if (image.sections().size() != stripped.sections().size())
    return "sections are missing";
  for (u32 i = 0; i < image.sections().size(); ++i) {
    const elf::Section &before = image.sections()[i], &after = stripped.sections()[i];
    if (after.size != 0 && !std::ranges::equal(before.data, after.data))
      return fmt::format("contents of {} differ", elf::describe_section(before));
  }
  const std::vector<Finding> known = verify_device_elf(image);
  for (const Finding &finding : verify_device_elf(stripped))
    if (std::ranges::none_of(known, [&](const Finding &one) { return one.rule == finding.rule; }))
      return fmt::format("{}: {}", rule_id(finding.rule), finding.what.text());
  return "";
}

} // namespace

Result<std::optional<std::vector<u8>>> strip_output(ByteSpan image) {
  std::optional<std::vector<u8>> bytes = strip_debug(image);
  if (!bytes)
    return bytes;
  const Result<elf::ElfView> before = elf::ElfView::open(image);
  const Result<elf::ElfView> after = elf::ElfView::open(*bytes);
  if (!after)
    return after.error();
  if (const std::string flaw = before ? find_flaw(*before, *after) : ""; !flaw.empty())
    return Error{"", "", flaw};
  return bytes;
}

} // namespace culink
