// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_notes.h"

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink::elf {
namespace {

using Bytes = std::vector<u8>;

const Bytes kCuinfo = {12,  0,   0,   0,   8,   0,   0,   0, 0xe8, 3, 0,    0, 'N',  'V', 'I', 'D',
                       'I', 'A', ' ', 'C', 'o', 'r', 'p', 0, 2,    0, 0x5a, 0, 0x82, 0,   0,   0};

TEST(NvNotes, ReadsCuinfo) {
  const NoteSection section = decode_notes(kCuinfo);
  EXPECT_TRUE(section.violations.empty());
  ASSERT_EQ(section.notes.size(), 1u);
  EXPECT_EQ(section.notes[0].type, kNoteCudaInfo);
  EXPECT_EQ(section.notes[0].name, kNoteOwner);
  EXPECT_EQ(section.notes[0].owner(), "NVIDIA Corp");
  const Result<CudaInfo> info = decode_cuda_info(section.notes[0].desc);
  ASSERT_TRUE(info);
  EXPECT_EQ(*info, (CudaInfo{2, 90, 130}));
  EXPECT_TRUE(std::ranges::equal(encode_cuda_info(*info), section.notes[0].desc));
  EXPECT_EQ(encode_notes(section), kCuinfo);
}

TEST(NvNotes, ReadsCuver) {
  const Bytes desc = {1, 0, 100, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const Result<CudaInfo> info = decode_cuda_info(desc);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->version, 1);
  EXPECT_EQ(info->virtual_arch, 100);
  EXPECT_EQ(info->toolkit, 0u);
  EXPECT_EQ(info->words, (std::array<u32, 2>{1, 1}));
  EXPECT_EQ(encode_cuda_info(*info), desc);
  const Bytes other = {2, 0, 100, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_FALSE(decode_cuda_info(other)); // that size is version 1's
}

TEST(NvNotes, ToolsNameTheirToolkit) {
  EXPECT_EQ(toolkit_of_version("Cuda compilation tools, release 12.9, V12.9.86"), 129u);
  EXPECT_EQ(toolkit_of_version("release 13.0"), 130u);
  for (const char *text : {"", "0.1.0", "release", "release 12", "release x.1", "release 12.x",
                           "release 123.4", "release 12.10"})
    EXPECT_EQ(toolkit_of_version(text), 0u) << text;
}

TEST(NvNotes, ReadsSeveralToolkitNotes) {
  const Bytes linker =
      encode_toolkit_info({2, "", "nvlink", "V13.0.88", "Build 1", "-arch sm_90 "});
  const Bytes compiler = encode_toolkit_info({2, "a.o", "ptxas", "V13.0.88", "Build 1", "-c  "});
  EXPECT_EQ(linker.size() % 4, 0u);
  NoteSection section;
  section.notes = {{kNoteToolkitInfo, kNoteOwner, linker},
                   {kNoteToolkitInfo, kNoteOwner, compiler}};
  const Bytes bytes = encode_notes(section);
  const NoteSection read = decode_notes(bytes);
  EXPECT_TRUE(read.violations.empty());
  ASSERT_EQ(read.notes.size(), 2u);
  const Result<ToolkitInfo> second = decode_toolkit_info(read.notes[1].desc);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->object, "a.o");
  EXPECT_EQ(second->tool, "ptxas");
  EXPECT_EQ(second->options, "-c  ");
  EXPECT_EQ(encode_notes(read), bytes);
}

TEST(NvNotes, RefusesBrokenToolkitInfo) {
  Bytes desc = encode_toolkit_info({2, "", "nvlink", "V", "B", "o"});
  EXPECT_FALSE(decode_toolkit_info(ByteSpan(desc).first(20)));
  Bytes outside = desc;
  outside[8] = 0xff;
  EXPECT_EQ(decode_toolkit_info(outside).error().text(),
            "tkinfo, string 1: 0xff lies outside the descriptor");
  Bytes moved = desc;
  moved[8] = 2; // the tool's name starts one byte late
  EXPECT_FALSE(decode_toolkit_info(moved));
}

TEST(NvNotes, KeepsWhatIsNoNote) {
  for (const u64 size : {3u, 12u, 20u, 25u, 31u}) {
    const Bytes bytes(kCuinfo.begin(), kCuinfo.begin() + static_cast<std::ptrdiff_t>(size));
    const NoteSection section = decode_notes(bytes);
    EXPECT_EQ(section.violations.size(), 1u) << size;
    EXPECT_EQ(section.rest.size(), size);
    EXPECT_EQ(encode_notes(section), bytes);
  }
  Bytes huge = kCuinfo;
  store_le<u32>(huge.data() + 4, 0xfffffffe);
  EXPECT_EQ(decode_notes(huge).violations.size(), 1u);
}

TEST(NvNotes, KeepsANoteWithOddPaddingRaw) {
  Bytes bytes = {1, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0};
  EXPECT_EQ(decode_notes(bytes).notes.size(), 1u);
  EXPECT_EQ(encode_notes(decode_notes(bytes)), bytes);
  bytes[17] = 1;
  const NoteSection section = decode_notes(bytes);
  EXPECT_TRUE(section.notes.empty());
  EXPECT_EQ(encode_notes(section), bytes);
}

// Only the fields that are known are read, and the whole is not taken apart.
TEST(NvNotes, ReadsWhatItKnowsOfALaterVersion) {
  const Bytes desc = {3, 0, 90, 0, 199, 0, 0, 0, 1, 2, 3, 4};
  const Note later{kNoteCudaInfo, kNoteOwner, desc};
  EXPECT_TRUE(is_later_note(later));
  EXPECT_FALSE(decode_cuda_info(desc));
  const Result<CudaInfo> info = read_cuda_info(later);
  ASSERT_TRUE(info);
  EXPECT_EQ(*info, (CudaInfo{.version = 3, .virtual_arch = 90, .toolkit = 199}));
  const Bytes known = {2, 0, 90, 0, 130, 0, 0, 0, 1, 2, 3, 4};
  EXPECT_FALSE(is_later_note({kNoteCudaInfo, kNoteOwner, known}));
  EXPECT_FALSE(read_cuda_info({kNoteCudaInfo, kNoteOwner, known}));
  EXPECT_TRUE(is_later_note({kNoteToolkitInfo, kNoteOwner, Bytes{3, 0, 0, 0}}));
  EXPECT_FALSE(is_later_note({kNoteToolkitInfo, kNoteOwner, Bytes{2, 0, 0, 0}}));
  EXPECT_FALSE(is_later_note({kNoteToolkitInfo, kNoteOwner, Bytes{3, 0}}));
}

} // namespace
} // namespace culink::elf
