// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "culink/host_references.h"
#include "elf/target/arch.h"
#include "input/archive.h"
#include "input/fatbin.h"
#include "input/host_object.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "support/mapped_file.h"

namespace culink {

// A piece of device code to link.
struct DeviceCode {
  using Form = CodeForm; // never Other

  std::string name; // for messages: "a.cubin", "lib.a:b.o"
  Form form = Form::Cubin;
  ByteSpan bytes;                   // as stored in the file
  std::optional<FatbinEntry> entry; // set if the code is in a fatbin; may be packed
  bool system = false;              // part of libcudadevrt
  u32 archive_length = 0; // length of the archive's name in `name`; 0: not from an archive
  bool discarded = false; // compiled only to report its errors
  bool in_host_object = false;
  bool optimised = false;           // PTX made from link-time-optimisation code
  std::optional<u32> split_compile; // the value recorded in link-time-optimisation code up to here
  std::string module;               // module id of the host object that contains the code
  size_t messages_before = 0;       // number of messages before this code was found
};

// A module that the host program registers by a function of its own, once it is linked.
struct HostModule {
  std::string name; // of the input
  std::string id;   // empty if the input has no host part and is registered by its path
  bool system = false;
};

// Device code of the inputs that is not linked. A message about an undefined symbol names it if
// it defines the symbol.
struct SkippedCode {
  std::string name; // of the input
  std::string why;
  ByteSpan bytes;                   // a cubin
  std::optional<FatbinEntry> entry; // or the code in a fatbin; may be packed
  bool by_mistake = false;          // a user error: linked already, or source text
  ByteSpan whole = {};              // or all fatbins of a program compiled as a whole
};

inline constexpr std::string_view kIsSource = "it is source text";
// An opened member of a thin archive.
struct OpenMember {
  std::string path;
  MappedFile file;
};

// The device code of the inputs, in order.
struct CollectedInputs {
  std::vector<SkippedCode> skipped;
  std::vector<DeviceCode> code;
  std::vector<HostModule> modules;
  // The kernels that host code refers to; nullopt if some host code may lack a list.
  std::optional<HostReferences> host;
  std::deque<OpenMember> members;
};

// Collects the device code in files, which are added one after the other. Reads headers only: code
// stays packed until the caller unpacks it.
class InputCollector {
public:
  struct Options {
    bool warn_about_targets = true;
    bool registers_modules = false; // some files only matter to nvlink then
    std::string virtual_target;     // "compute_90": only PTX is used, and the result is not linked
    bool optimises = false;         // prefer link-time-optimisation code; else an error
    const FileSource *files = &system_files(); // the source of members of thin archives
  };

  InputCollector(const arch::ArchInfo &target, const Dialect &dialect, Options options,
                 Diagnostics &diag)
      : target_(target), dialect_(dialect), rules_(dialect.input), options_(options), diag_(diag) {}

  // Reserves memory for that many files; most have one piece of code.
  void expect(size_t files) {
    out_.code.reserve(files);
    out_.modules.reserve(files);
  }

  // `identity` detects archives that are named twice. It is empty for bytes in memory; their
  // name is not a hint for their kind.
  void add(const std::string &name, ByteSpan bytes,
           std::optional<std::pair<u64, u64>> identity = {});

  // Adds a file, which must outlive the code found in it. Memory does not grow with its size.
  // `whole`: the file is known to be a complete device object.
  void add_file(const std::string &name, const MappedFile &file, bool whole = false);

  [[nodiscard]] CollectedInputs take();

private:
  // The origin of a file: given by name, or in an archive.
  enum class Place : u8 { Given, Member };

  void use(const std::string &name, ByteSpan bytes, FileKind kind, Place place);
  void use_host_object(const std::string &name, ByteSpan bytes, Place place);
  void pass_over_image(const std::string &name, ByteSpan bytes);
  void use_archive(const std::string &name, ByteSpan bytes);
  [[nodiscard]] bool use_archive_member(const std::string &archive, const ArchiveMember &member);
  void use_member(const std::string &archive, const std::string &member, ByteSpan bytes);
  [[nodiscard]] const FatbinEntry *choose(const FatbinContainer &container,
                                          const std::vector<FatbinEntry> &usable) const;
  [[nodiscard]] bool use_fatbin(const std::string &name, ByteSpan bytes, Place place,
                                DiagId damaged);
  void tell_missing_host(const std::string &name);
  void skip_container(const std::string &name, const FatbinContainer &container);
  void use_lto_file(const std::string &name, ByteSpan bytes);
  void use_unknown(const std::string &name, FileKind kind, Place place);
  void add_code(DeviceCode code);
  void use_device_object(const std::string &name, ByteSpan bytes);
  void add_file_module(const std::string &name) {
    out_.modules.push_back({name, "", is_system(name)});
  }
  void add_host_modules(const std::string &name, const HostObject &object);
  void note_host_references(const std::string &name, const HostObject &object);
  void warn(DiagId id, std::vector<std::string> arguments, std::string hint = {});
  void leave_out(SkippedCode code) {
    warn(DiagId::NothingToLink, {code.name, code.why});
    out_.skipped.push_back(std::move(code));
  }
  [[nodiscard]] std::optional<ByteSpan> open_thin_member(const std::string &archive,
                                                         const std::string &member);
  [[nodiscard]] FileKind kind_of(ByteSpan bytes) const;
  [[nodiscard]] std::string target_name() const;
  [[nodiscard]] std::vector<FatbinEntry> usable_entries(const FatbinContainer &container) const;
  void settle_linked_modules();
  [[nodiscard]] bool is_system(const std::string &name) const;
  [[nodiscard]] bool is_lost_ptx(const std::string &name, FileKind kind) const;

  const arch::ArchInfo &target_;
  const Dialect &dialect_;
  const InputRules &rules_;
  Options options_;
  Diagnostics &diag_;
  CollectedInputs out_;
  const MappedFile *file_ = nullptr; // the file that is being read, or null
  bool whole_ = false;               // it is a complete device object
  std::set<std::pair<u64, u64>> archives_;
  // Modules that an earlier device link has linked, by the input that holds its result.
  std::map<std::string, std::string, std::less<>> defined_;
  HostReferences references_;
  bool all_say_what_they_use_ = true;
  bool some_use_kernels_ = false;
  bool in_host_object_ = false;
  u32 archive_length_ = 0;          // length of the name of the archive that is being read
  std::string module_;              // module id of the host object that is being read
  std::string not_optimised_;       // the last input with a message that it is not optimised
  std::vector<HostModule> further_; // the second and later modules of each object
};

// True if a 64-bit ELF file ends before the parts that its header and section table name.
[[nodiscard]] bool is_cut(ByteSpan file);

// Returns the path of lib<name>.a in the first folder that has it.
[[nodiscard]] std::optional<std::string> find_library(const std::string &name,
                                                      const std::vector<std::string> &folders,
                                                      const FileSource &files = system_files());

// True if a library belongs to the host's C and C++ runtime. Build systems also pass these to
// device links, which may ignore them.
[[nodiscard]] bool is_host_library(std::string_view name);

// True if one of the folders has lib<name>.so: a library without code for a device link.
[[nodiscard]] bool has_shared_library(const std::string &name,
                                      const std::vector<std::string> &folders,
                                      const FileSource &files = system_files());

} // namespace culink
