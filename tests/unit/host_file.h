// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host objects and archives for tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elf/wire.h"
#include "fatbin_builder.h"

namespace culink::test {

struct HostSection {
  std::string name;
  Bytes data;
};

struct HostFile {
  std::vector<HostSection> sections;
  u16 type = 1;     // ET_REL
  u16 machine = 62; // x86-64
  u8 data = 1;      // little-endian
  u16 segments = 0; // as programs and libraries have; they are not written

  HostFile &with(std::string name, std::string_view text) {
    sections.push_back({std::move(name), bytes_of(text)});
    return *this;
  }
  HostFile &with(std::string name, Bytes bytes) {
    sections.push_back({std::move(name), std::move(bytes)});
    return *this;
  }

  // Header, data, names, section table.
  template <typename Ehdr, typename Shdr> [[nodiscard]] Bytes build(u8 elf_class) const {
    Bytes out(sizeof(Ehdr));
    std::vector<Shdr> table(1);
    Bytes names(1);
    const auto add = [&](std::string_view name, const Bytes &bytes, u32 sh_type) {
      Shdr header{};
      header.sh_name = static_cast<u32>(names.size());
      put(names, name);
      names.push_back(0);
      header.sh_type = sh_type;
      pad_to(out, 8);
      header.sh_offset = static_cast<decltype(header.sh_offset)>(out.size());
      header.sh_size = static_cast<decltype(header.sh_size)>(bytes.size());
      header.sh_addralign = 1;
      out.insert(out.end(), bytes.begin(), bytes.end());
      table.push_back(header);
    };
    for (const HostSection &section : sections)
      add(section.name, section.data, 1);
    Bytes all_names = names;
    put(all_names, std::string_view(".shstrtab\0", 10));
    add(".shstrtab", all_names, 3);
    pad_to(out, 8);
    Ehdr header{};
    const u8 ident[] = {0x7f, 'E', 'L', 'F', elf_class, data, 1};
    std::copy(std::begin(ident), std::end(ident), header.e_ident);
    header.e_type = type;
    header.e_machine = machine;
    header.e_version = 1;
    header.e_shoff = static_cast<decltype(header.e_shoff)>(out.size());
    header.e_ehsize = sizeof(Ehdr);
    header.e_shentsize = sizeof(Shdr);
    header.e_phnum = segments;
    header.e_shnum = static_cast<u16>(table.size());
    header.e_shstrndx = static_cast<u16>(table.size() - 1);
    for (const Shdr &row : table)
      put(out, row);
    store_le(out.data(), header);
    return out;
  }
  [[nodiscard]] Bytes build64() const { return build<elf::wire::Ehdr64, elf::wire::Shdr64>(2); }
  [[nodiscard]] Bytes build32() const { return build<elf::wire::Ehdr32, elf::wire::Shdr32>(1); }
};

// An object as nvcc -rdc=true makes it.
inline HostFile rdc_object(std::string_view id, const Bytes &fatbin,
                           std::string_view kernels = std::string_view("\0", 1)) {
  HostFile out;
  out.with("__nv_module_id", std::string(id) + '\0')
      .with("__nv_relfatbin", fatbin)
      .with(".nvFatBinSegment", std::string(24, 'w'))
      .with(".nvHRKI", std::string_view("\0", 1))
      .with(".nvHRKE", kernels);
  return out;
}

// The header of an archive member.
inline Bytes member_header(std::string name, size_t size) {
  std::string out = std::move(name);
  out.resize(16, ' ');
  out += "0           0     0     644     ";
  std::string digits = std::to_string(size);
  digits.resize(10, ' ');
  return bytes_of(out + digits + "`\n");
}

inline void add_member(Bytes &archive, const std::string &name, const Bytes &data) {
  const Bytes header = member_header(name, data.size());
  archive.insert(archive.end(), header.begin(), header.end());
  archive.insert(archive.end(), data.begin(), data.end());
  if (archive.size() % 2 != 0)
    archive.push_back('\n');
}

inline Bytes archive_of(const std::vector<std::pair<std::string, Bytes>> &members) {
  Bytes out = bytes_of("!<arch>\n");
  for (const auto &[name, data] : members)
    add_member(out, name + "/", data);
  return out;
}

} // namespace culink::test
