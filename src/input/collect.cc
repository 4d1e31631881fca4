// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the device code in files. The kind of a file follows from its content; to imitate nvlink, a
// table of name endings gives nvlink's treatment (Q080). Host objects and fatbins hold the same
// program for several targets, one of which is chosen; archives hold files.
//
// nvcc lists in each host object the kernels that its code refers to. Kernels without such a
// reference can be discarded, but only if all inputs have a list: with one plain C++ object or one
// bare cubin, all kernels are kept (Q081).
#include "input/collect.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/wire.h"
#include "input/file_kind.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr std::string_view kNoDeviceCode = "not a device object, host object, archive or PTX file";
constexpr std::string_view kLinkedByItself =
    "that is the result of a device link, which cannot be linked again: link its objects";
constexpr std::string_view kLinkWithLto =
    "give -dlto to the link, too; under nvcc to the command that links";
constexpr std::string_view kLinkOnce =
    "leave that result out, or say --register-link-binaries=FILE, as nvcc does";

// The module id of objects of whole programs, which cannot be registered.
constexpr std::string_view kNoModule = "__NV_MODULE_ID";

// True if the targets of all members are invalid. Libraries may lack the wanted target, but invalid
// targets mean damage.
bool is_for_no_target(const FatbinContainer &container) {
  constexpr u32 kSmallest = 10, kLargest = 999;
  return std::none_of(container.entries.begin(), container.entries.end(), [](const FatbinEntry &e) {
    return form_of(e.kind) != CodeForm::Other && e.has(FatbinFlags::kIs64Bit) &&
           e.sm >= kSmallest && e.sm <= kLargest;
  });
}

std::vector<std::string> &patterns_of(HostReferences &all, const elf::HostReferenceList &list) {
  switch (list.kind) {
  case elf::HostReferenceKind::Device:
    return list.internal ? all.internal_variables : all.external_variables;
  case elf::HostReferenceKind::Constant:
    return list.internal ? all.internal_constants : all.external_constants;
  case elf::HostReferenceKind::Kernel:
    break;
  }
  return list.internal ? all.internal_kernels : all.external_kernels;
}

} // namespace

bool is_cut(ByteSpan file) {
  using elf::wire::Shdr64;
  const auto header = load_at<elf::wire::Ehdr64>(file, 0);
  if (!header)
    return true;
  const auto first = load_at<Shdr64>(file, header->e_shoff);
  if (header->e_shoff == 0 || header->e_shentsize != sizeof(Shdr64) || !first)
    return header->e_shoff > file.size() || header->e_shnum != 0;
  const u64 fitting = (file.size() - header->e_shoff) / sizeof(Shdr64);
  const u64 count = header->e_shnum != 0 ? header->e_shnum : std::min(first->sh_size, fitting);
  if (count > fitting)
    return true;
  for (u64 i = 0; i < count; ++i) {
    const auto section = load_le<Shdr64>(file.data() + header->e_shoff + i * sizeof(Shdr64));
    if (!elf::has_no_file_data(static_cast<elf::SectionType>(section.sh_type)) &&
        !slice(file, section.sh_offset, section.sh_size))
      return true;
  }
  return false;
}

void InputCollector::warn(DiagId id, std::vector<std::string> arguments, std::string hint) {
  if (!rules_.silent)
    diag_.report(id, std::move(arguments), {}, std::move(hint));
}

// True if an input is the device runtime library. nvlink looks for its name anywhere in the path
// (Q082).
bool InputCollector::is_system(const std::string &name) const {
  if (rules_.system_by_path)
    return name.find("cudadevrt") != std::string::npos;
  const std::string_view path = std::string_view(name).substr(0, name.rfind(':'));
  return path.substr(path.rfind('/') + 1).starts_with("libcudadevrt");
}

FileKind InputCollector::kind_of(ByteSpan bytes) const {
  return file_kind(bytes,
                   rules_.little_endian_only ? HeaderOrder::LittleEndian : HeaderOrder::AsItSays);
}

void InputCollector::add(const std::string &name, ByteSpan bytes,
                         std::optional<std::pair<u64, u64>> identity) {
  if (bytes.empty())
    return warn(DiagId::NothingToLink, {name, "it is empty"});
  const FileKind kind = kind_of(bytes);
  if (bytes.size() < rules_.smallest_file && kind != FileKind::Archive) {
    diag_.report(DiagId::CannotOpenInput,
                 {name, fmt::format("file header: {} bytes are no device code", bytes.size())});
    return;
  }
  if (kind == FileKind::Archive && identity && !archives_.insert(*identity).second)
    return;
  if (!rules_.files.empty() && identity) {
    const FileRule &rule = find_file_rule(rules_.files, name);
    const bool expects_lto = options_.optimises && promises_lto(name);
    const FileAction action = expects_lto && kind == FileKind::LtoIr
                                  ? FileAction::Use
                                  : rule.actions[static_cast<size_t>(kind)];
    switch (action) {
    case FileAction::Use:
      break;
    case FileAction::Ignore:
      return;
    case FileAction::Distrust:
      all_say_what_they_use_ = false;
      return;
    case FileAction::Refuse:
      diag_.report(DiagId::WrongKind, {name, std::string(describe_file_kind(kind)),
                                       std::string(rule.ending), expects_lto ? "lto" : ""});
      return;
    }
    if (is_lost_ptx(name, kind)) {
      if (kind == FileKind::Ptx)
        add_code({.name = name, .form = DeviceCode::Form::Ptx, .bytes = bytes, .discarded = true});
      return;
    }
  }
  use(name, bytes, kind, Place::Given);
}

void InputCollector::add_file(const std::string &name, const MappedFile &file, bool whole) {
  file_ = &file;
  whole_ = whole;
  add(name, file.bytes(), file.identity());
  whole_ = false;
  file_ = nullptr;
}

// Before sm_90, nvlink compiles PTX files with this ending, reports the errors, and drops the code;
// it also drops cubins and fatbins with such a name (Q084).
bool InputCollector::is_lost_ptx(const std::string &name, FileKind kind) const {
  const bool is_code =
      kind == FileKind::DeviceObject || kind == FileKind::Fatbin || kind == FileKind::Ptx;
  return rules_.loses_ptx_files && !target_.has_unified_symbols && is_code &&
         name_ending(name) == "ptx";
}

void InputCollector::use(const std::string &name, ByteSpan bytes, FileKind kind, Place place) {
  switch (kind) {
  case FileKind::DeviceObject:
    use_device_object(name, bytes);
    break;
  case FileKind::DeviceImage:
    leave_out({name, std::string(why_not_relocatable(bytes)), bytes, {}, true});
    break;
  case FileKind::HostObject:
  case FileKind::HostImage:
    if (promises_device_code(name) && place == Place::Given)
      use_unknown(name, kind, place);
    else if (kind == FileKind::HostObject)
      use_host_object(name, bytes, place);
    else
      pass_over_image(name, bytes);
    break;
  case FileKind::Fatbin:
    tell_missing_host(name);
    if (use_fatbin(name, bytes, place, DiagId::BadFatbin)) {
      const bool lto = out_.code.back().form == DeviceCode::Form::Lto;
      all_say_what_they_use_ &= rules_.trusts_lto_files && lto;
      if (!lto) // such a file is not registered by a host program
        add_file_module(name);
    } else if (rules_.distrusts_foreign_fatbins && !options_.registers_modules) {
      all_say_what_they_use_ = false;
    }
    break;
  case FileKind::Archive:
    use_archive(name, bytes);
    break;
  case FileKind::Ptx:
    all_say_what_they_use_ = false;
    tell_missing_host(name);
    add_code({.name = name, .form = DeviceCode::Form::Ptx, .bytes = bytes});
    add_file_module(name);
    break;
  case FileKind::LtoIr:
    use_lto_file(name, bytes);
    break;
  case FileKind::Unknown:
  case FileKind::Count_:
    use_unknown(name, FileKind::Unknown, place);
    break;
  }
}

// Executables and shared libraries are normal inputs of a host link. Their device code is already
// linked, which is reported if there is no other device code.
void InputCollector::pass_over_image(const std::string &name, ByteSpan bytes) {
  if (rules_.silent)
    return;
  const elf::FileType type = elf_file_type(bytes);
  constexpr const char *kWrongType =
      "ELF header, e_type: {:#x} is not an object, executable or shared library";
  Result<elf::ElfView> view = elf::ElfView::open_sections(bytes);
  if (!view) // the header may still be valid
    view = elf::ElfView::open_tolerant(bytes);
  if (type != elf::FileType::Executable && type != elf::FileType::Shared)
    diag_.report(DiagId::BadInput, {name, fmt::format(kWrongType, static_cast<u32>(type))});
  else if (view && view->header().phnum == 0)
    diag_.report(DiagId::BadInput,
                 {name, "ELF header, e_phnum: a program or library has segments"});
  else if (view && view->find(".nv_fatbin"))
    out_.skipped.push_back({name, std::string(kLinked)});
}

void InputCollector::use_lto_file(const std::string &name, ByteSpan bytes) {
  all_say_what_they_use_ &= options_.optimises && rules_.trusts_lto_files;
  if (!options_.optimises) {
    diag_.report(DiagId::LtoCode, {name}).advise(std::string(kLinkWithLto));
    return;
  }
  add_code({.name = name, .form = DeviceCode::Form::Lto, .bytes = bytes});
}

// A file without device code is an error if its name promises device code.
void InputCollector::use_unknown(const std::string &name, FileKind kind, Place place) {
  if (promises_device_code(name))
    diag_.report(DiagId::WrongKind,
                 {name, std::string(describe_file_kind(kind)), std::string(name_ending(name))});
  else if (place == Place::Given)
    leave_out(promises_source(name) ? SkippedCode{name, std::string(kIsSource), {}, {}, true}
                                    : SkippedCode{name, std::string(kNoDeviceCode)});
}

void InputCollector::add_code(DeviceCode code) {
  code.system = is_system(code.name);
  code.messages_before = diag_.all().size();
  code.archive_length = archive_length_;
  code.module = module_;
  code.in_host_object = in_host_object_;
  out_.code.push_back(std::move(code));
  const DeviceCode &added = out_.code.back();
  if (!options_.optimises || added.form == DeviceCode::Form::Lto || added.system || added.discarded)
    return;
  const bool own = dialect_.name.empty(); // nvlink names each member of an archive
  const std::string name(added.name, 0, own && archive_length_ != 0 ? archive_length_ : -1);
  const char *how = added.form == DeviceCode::Form::Ptx ? "compiled by itself" : "linked as it is";
  if (std::exchange(not_optimised_, name) != name || !own)
    diag_.report(DiagId::NotOptimised, {name, how});
}

void InputCollector::use_device_object(const std::string &name, ByteSpan bytes) {
  all_say_what_they_use_ = false;
  const bool unusual = bytes.size() <= elf::kIdentData ||
                       bytes[elf::kIdentClass] != static_cast<u8>(elf::ElfClass::Elf64) ||
                       bytes[elf::kIdentData] != elf::kDataLittleEndian;
  if (rules_.drops_cut_files && (unusual || (!whole_ && is_cut(bytes))))
    return;
  tell_missing_host(name);
  add_code({.name = name, .bytes = bytes});
  add_file_module(name);
}

// Adds the modules of a host object; outputs of `ld -r` have several. nvlink lists the first module
// of each file in the order of the files, then all others in reverse order.
void InputCollector::add_host_modules(const std::string &name, const HostObject &object) {
  bool first = true;
  for (const elf::ModuleId &module : object.modules) {
    if (module.defined || module.id == kNoModule)
      continue;
    (first ? out_.modules : further_).push_back({name, std::string(module.id), is_system(name)});
    if (first)
      module_ = module.id;
    first = false;
  }
}

// The lists of the device runtime library name its own kernels and are ignored.
void InputCollector::note_host_references(const std::string &name, const HostObject &object) {
  all_say_what_they_use_ &= object.lists_kernels;
  for (const auto &[list, patterns] : object.references) {
    some_use_kernels_ |=
        list->kind == elf::HostReferenceKind::Kernel && !patterns.empty() && !is_system(name);
    std::vector<std::string> &all = patterns_of(references_, *list);
    all.insert(all.end(), patterns.begin(), patterns.end());
  }
}

void InputCollector::use_host_object(const std::string &name, ByteSpan bytes, Place place) {
  const Result<HostObject> object = read_host_object(bytes);
  if (!object) {
    if (place == Place::Given || !rules_.drops_cut_files)
      diag_.report(DiagId::BadHostObject, {name, object.error().text()});
    return;
  }
  note_host_references(name, *object);
  for (const elf::ModuleId &module : object->modules)
    if (module.defined)
      defined_.emplace(module.id, name);
  if (!object->has_segment) {
    if (!object->has_all_names && !rules_.silent)
      diag_.report(DiagId::BadInput, {name, "section table: there are sections without names"});
    else if (object->has_traces)
      warn(DiagId::NothingToLink, {name, "its device code has no .nvFatBinSegment"});
    return;
  }
  if (object->linkable.empty()) {
    if (object->finished.empty())
      diag_.report(DiagId::BadHostObject, {name, "has .nvFatBinSegment but no fatbin"});
    const bool linked = std::ranges::any_of(object->modules, &elf::ModuleId::defined);
    const std::string_view why = linked ? kLinkedByItself : kWholeProgram;
    for (const ByteSpan fatbin : object->finished)
      out_.skipped.push_back({name, std::string(why), {}, {}, false, fatbin});
    return;
  }
  add_host_modules(name, *object);
  in_host_object_ = true;
  for (const ByteSpan fatbin : object->linkable) {
    (void)use_fatbin(name, fatbin, place, DiagId::BadHostObject);
    if (rules_.first_container_only)
      break;
  }
  in_host_object_ = false;
  module_.clear();
}

std::string InputCollector::target_name() const {
  return options_.virtual_target.empty() ? std::string(target_.name) : options_.virtual_target;
}

std::vector<FatbinEntry> InputCollector::usable_entries(const FatbinContainer &container) const {
  std::vector<FatbinEntry> out = container.entries;
  if (!options_.virtual_target.empty())
    std::erase_if(out, [](const FatbinEntry &entry) { return entry.kind != FatbinKind::Ptx; });
  return out;
}

// nvlink -dlto prefers link-time-optimisation code to all other code, even if it is for an older
// target. Later releases link objects of more targets; such an object is used if nothing else fits.
const FatbinEntry *InputCollector::choose(const FatbinContainer &container,
                                          const std::vector<FatbinEntry> &usable) const {
  if (options_.optimises)
    if (const FatbinEntry *lto = choose_lto_member(container.entries, target_))
      return lto;
  if (const FatbinEntry *entry = choose_member(usable, target_, dialect_.release))
    return entry;
  Release newest = dialect_.release;
  newest.toolkit = dialect_.newest_toolkit;
  return choose_member(usable, target_, newest);
}

// nvlink 13.3 and later report such an input if the host program is to register all modules.
void InputCollector::tell_missing_host(const std::string &name) {
  if (rules_.tells_missing_host && options_.registers_modules)
    diag_.report(DiagId::NoHostCode, {name});
}

// Uses the member of a fatbin for the target. Returns false if there is none.
bool InputCollector::use_fatbin(const std::string &name, ByteSpan bytes, Place place,
                                DiagId damaged) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(
      bytes, rules_.first_container_only ? FatbinReading::AsNvlink : FatbinReading::Strict);
  if (!containers) {
    const bool version = containers.error().field == "version";
    diag_.report(version ? DiagId::BadFatbin : damaged, {name, containers.error().text()});
    return false;
  }
  bool any = false;
  for (const FatbinContainer &container : *containers) {
    const std::vector<FatbinEntry> usable = usable_entries(container);
    if (const FatbinEntry *entry = choose(container, usable)) {
      add_code(
          {.name = name, .form = form_of(entry->kind), .bytes = entry->payload, .entry = *entry});
      any = true;
    } else if (choose_lto_member(container.entries, target_)) {
      diag_.report(DiagId::LtoCode, {name}).advise(std::string(kLinkWithLto));
      return false;
    } else {
      skip_container(name, container);
      const bool noteworthy =
          place == Place::Given || (!rules_.silent && is_for_no_target(container));
      if (noteworthy && options_.warn_about_targets)
        diag_
            .report(DiagId::NoCodeForTarget, {name, target_name(), list_members(container.entries)})
            .advise(fmt::format("compile it for {} too, with nvcc's -gencode", target_name()));
    }
  }
  return any;
}

void InputCollector::skip_container(const std::string &name, const FatbinContainer &container) {
  const std::string why =
      fmt::format("it has no code for {}, only {}", target_.name, list_members(container.entries));
  for (const FatbinEntry &entry : container.entries)
    if (entry.kind == FatbinKind::Elf)
      out_.skipped.push_back({name, why, {}, entry, false});
}

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

// Returns false where nvlink stops reading the archive.
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
  Result<MappedFile> file = options_.files->open(path, FileType::Regular);
  if (!file) {
    diag_.report(DiagId::CannotOpenMember,
                 {fmt::format("{}:{}", archive, member), file.error().text(), path,
                  file.error().message == kIsFolder ? "folder" : ""});
    return std::nullopt;
  }
  return out_.members.emplace_back(OpenMember{path, std::move(*file)}).file.bytes();
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

// Drops modules that an earlier device link has linked, if its image is among the inputs (Q088).
// nvlink does so only if it registers modules, as under nvcc; else the modules are linked again.
void InputCollector::settle_linked_modules() {
  const auto is_taken = [this](const DeviceCode &code) {
    return !code.module.empty() && defined_.contains(code.module);
  };
  for (const DeviceCode &code : out_.code | std::views::filter(is_taken)) {
    const std::string &taker = defined_.find(code.module)->second;
    if (options_.registers_modules)
      out_.skipped.push_back({code.name,
                              "a device link has already taken it, whose result is in " + taker,
                              code.bytes, code.entry, false});
    else
      warn(DiagId::LinkedTwice, {code.name, taker}, std::string(kLinkOnce));
  }
  if (options_.registers_modules)
    std::erase_if(out_.code, is_taken);
}

CollectedInputs InputCollector::take() {
  settle_linked_modules();
  const auto is_defined = [this](const HostModule &module) { return defined_.contains(module.id); };
  std::erase_if(out_.modules, is_defined);
  if (!rules_.first_container_only) // otherwise only the first module of a file matters
    std::erase_if(further_, is_defined);
  out_.modules.insert(out_.modules.end(), further_.rbegin(), further_.rend());
  if (all_say_what_they_use_ && some_use_kernels_)
    out_.host = std::move(references_);
  return std::move(out_);
}

namespace {

// Only archives can contain device code, so only one file name is tried; there are no default
// folders.
std::optional<std::string> find_file(const std::string &file,
                                     const std::vector<std::string> &folders,
                                     const FileSource &files) {
  for (const std::string &folder : folders) {
    const bool slash = folder.ends_with('/');
    std::string path = folder + (slash ? "" : "/") + file;
    if (files.ask(FileQuestion::IsFile, path))
      return path;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_library(const std::string &name,
                                        const std::vector<std::string> &folders,
                                        const FileSource &files) {
  return find_file("lib" + name + ".a", folders, files);
}

bool has_shared_library(const std::string &name, const std::vector<std::string> &folders,
                        const FileSource &files) {
  return find_file("lib" + name + ".so", folders, files).has_value();
}

bool is_host_library(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {"c",       "dl", "gcc",    "gcc_s", "m",
                                                      "pthread", "rt", "stdc++", "util"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

} // namespace culink
