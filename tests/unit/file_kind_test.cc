// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/file_kind.h"

#include <gtest/gtest.h>

#include <set>

#include "host_file.h"

namespace culink {
namespace {

using test::Bytes;
using test::HostFile;

FileKind kind_of(std::string_view text) {
  return file_kind(as_bytes(text));
}

FileKind elf_kind(u16 machine, u16 type, u8 data = 1) {
  HostFile file;
  file.machine = machine;
  file.type = type;
  Bytes bytes = file.build64();
  bytes[5] = data;
  if (data == 2) {
    std::swap(bytes[16], bytes[17]);
    std::swap(bytes[18], bytes[19]);
  }
  return file_kind(bytes);
}

TEST(FileKind, is_told_by_content) {
  EXPECT_EQ(kind_of("!<arch>\nx"), FileKind::Archive);
  EXPECT_EQ(kind_of("!<thin>\n"), FileKind::Archive);
  EXPECT_EQ(kind_of("\x50\xed\x55\xba"), FileKind::Fatbin);
  EXPECT_EQ(kind_of("BC\xc0\xde"), FileKind::LtoIr);
  EXPECT_EQ(kind_of("\xed\x43\x4e\x7f"), FileKind::LtoIr);
  EXPECT_EQ(kind_of("// a\n/* b */ .version 9.0"), FileKind::Ptx);
  EXPECT_EQ(kind_of("// .version"), FileKind::Unknown);
  EXPECT_EQ(kind_of("/* .version"), FileKind::Unknown);
  EXPECT_EQ(kind_of("\x7f"
                    "ELF"),
            FileKind::Unknown);
  EXPECT_EQ(kind_of(""), FileKind::Unknown);
  constexpr u16 kRel = 1, kExec = 2, kDyn = 3, kWholeProgram = 0xff00, kCuda = 190, kX86 = 62;
  EXPECT_EQ(elf_kind(kCuda, kRel), FileKind::DeviceObject);
  EXPECT_EQ(elf_kind(kCuda, kExec), FileKind::DeviceImage);
  EXPECT_EQ(elf_kind(kCuda, kDyn), FileKind::DeviceObject); // to be refused as one
  EXPECT_EQ(elf_kind(kCuda, kWholeProgram), FileKind::DeviceObject);
  EXPECT_EQ(elf_kind(kX86, kRel), FileKind::HostObject);
  EXPECT_EQ(elf_kind(kX86, kExec), FileKind::HostImage);
  EXPECT_EQ(elf_kind(kX86, kDyn), FileKind::HostImage);
  EXPECT_EQ(elf_kind(kX86, kRel, 2), FileKind::HostObject);
  EXPECT_EQ(elf_kind(kCuda, kRel, 2), FileKind::DeviceObject);
}

TEST(FileKind, every_kind_has_a_description_of_its_own) {
  std::set<std::string_view> all;
  for (size_t i = 0; i < kFileKindCount; ++i)
    all.insert(describe_file_kind(static_cast<FileKind>(i)));
  EXPECT_EQ(all.size(), kFileKindCount);
}

TEST(NameEnding, is_what_follows_the_last_dot_of_the_file_name) {
  EXPECT_EQ(name_ending("a.cubin"), "cubin");
  EXPECT_EQ(name_ending("dir.x/a.so.1"), "1");
  EXPECT_EQ(name_ending("dir.x/a"), "");
  EXPECT_EQ(name_ending(".o"), "o");
  EXPECT_EQ(name_ending("a."), "");
}

} // namespace
} // namespace culink
