// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives among the inputs: their members are inputs like others, in the order in which they are
// stored. Members of thin archives are files beside them. What nvlink makes of damaged archives and
// of members that are no host objects is in the rules of a dialect.
#include <filesystem>

#include <fmt/format.h>

#include "input/collect.h"
#include "input/file_kind.h"

namespace culink {

namespace {

bool is_elf(FileKind kind) {
  return kind == FileKind::DeviceObject || kind == FileKind::DeviceImage ||
         kind == FileKind::HostObject || kind == FileKind::HostImage;
}

} // namespace

// Reading every header of a large library maps most of its pages, because the kernel reads ahead.
// The pages of members that were read are released from time to time.
void InputCollector::use_archive(const std::string &name, ByteSpan bytes) {
  constexpr u64 kStep = u64{2} << 20;
  ArchiveReader reader(bytes, !rules_.drops_cut_files  ? ArchiveDamage::Refuse
                              : rules_.checks_archives ? ArchiveDamage::DropWithin
                                                       : ArchiveDamage::Drop);
  for (u64 kept = 0;;) {
    const Result<std::optional<ArchiveMember>> member = reader.next();
    if (!member) {
      diag_.report(DiagId::BadArchive, {name, member.error().text(), reader.is_cut() ? "cut" : ""});
      return;
    }
    if (!*member || !use_archive_member(name, **member))
      return;
    if (file_ && reader.offset() - kept >= kStep) {
      file_->drop_pages(kept, reader.offset());
      kept = reader.offset();
    }
  }
}

// False where nvlink stops reading the archive.
bool InputCollector::use_archive_member(const std::string &archive, const ArchiveMember &member) {
  const std::optional<ByteSpan> data =
      member.thin ? open_thin_member(archive, member.name) : member.data;
  if (!data)
    return true;
  if (rules_.host_members_only && !is_elf(kind_of(*data)))
    return false;
  use_member(archive, member.name, *data);
  return true;
}

std::optional<ByteSpan> InputCollector::open_thin_member(const std::string &archive,
                                                         const std::string &member) {
  const std::string folder = archive.substr(0, archive.rfind('/') + 1);
  const std::string path = rules_.thin_from_here     ? member.substr(0, member.find('/'))
                           : member.starts_with('/') ? member
                                                     : folder + member;
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    std::error_code unused;
    diag_.report(DiagId::CannotOpenMember,
                 {fmt::format("{}:{}", archive, member), file.error().text(), path,
                  std::filesystem::is_directory(path, unused) ? "folder" : ""});
    return std::nullopt;
  }
  return out_.files.emplace_back(std::move(*file)).bytes();
}

void InputCollector::use_member(const std::string &archive, const std::string &member,
                                ByteSpan bytes) {
  const FileKind kind = kind_of(bytes);
  if (is_elf(kind) && kind != FileKind::HostObject)
    all_say_what_they_use_ = false;
  if (rules_.host_members_only && kind != FileKind::HostObject)
    return;
  const std::string name = fmt::format("{}:{}", archive, member);
  if (kind == FileKind::Unknown) {
    // Text files are normal in archives, damaged objects are not.
    const std::string_view ending = name_ending(member);
    const bool object = ending == "o" || ending == "lo" || ending == "obj";
    use_unknown(name, kind, object ? Place::Given : Place::Member);
    return;
  }
  if (kind == FileKind::Archive) {
    diag_.report(DiagId::BadInput, {name, "archives inside archives are not read"});
    return;
  }
  archive_length_ = static_cast<u32>(archive.size());
  use(name, bytes, kind, Place::Member);
  archive_length_ = 0;
}

} // namespace culink
