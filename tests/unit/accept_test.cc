// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/load_object.h"

#include <functional>

#include "broken_file.h"
#include "culink/linker.h"
#include "driver/options/dialects.h"

namespace culink {
namespace {

using test::BrokenFile;
using test::kObject;

constexpr u32 kNewFlags = 0x06005a04; // section 6 is the cuinfo note
constexpr u32 kOldFlags = 0x005a055a; // sm_90 from compute_90, 64 bit
constexpr u64 kOsAbi = 7, kAbi = 8;

void make_old(BrokenFile &file, u32 toolkit) {
  file.set<u8>(kOsAbi, 0x33);
  file.set<u8>(kAbi, 7);
  file.set<u32>(test::kEFlags, kOldFlags);
  file.set<u32>(test::kEVersion, toolkit);
}

// Where the three fields of the cuinfo note lie.
u64 cuinfo(const BrokenFile &file) {
  return file.data_of(".note.nv.cuinfo") + 24;
}

// Keys of what is said about the file, for a target and a dialect.
std::vector<std::string> said(const BrokenFile &file, const char *target = "sm_90",
                              const Dialect &dialect = own_dialect()) {
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  if (!view)
    return {view.error().text()};
  Diagnostics diag;
  const bool accepted = accept_object("a", *view, *arch::find_arch(target), dialect, diag);
  EXPECT_EQ(accepted, !diag.failed());
  std::vector<std::string> out;
  for (const Diagnostic &diagnostic : diag.all())
    out.emplace_back(diag_row(diagnostic.id).key);
  return out;
}

using Keys = std::vector<std::string>;

TEST(AcceptObject, takes_objects_of_toolkit_12_and_13) {
  BrokenFile file(kObject);
  EXPECT_EQ(file.get<u32>(test::kEFlags), kNewFlags);
  EXPECT_EQ(said(file), Keys{});
  for (const u32 toolkit : {120u, 124u, 129u}) {
    make_old(file, toolkit);
    EXPECT_EQ(said(file), Keys{});
    const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
    ASSERT_TRUE(view);
    EXPECT_EQ(identify_object(*view).toolkit, toolkit);
    EXPECT_EQ(identify_object(*view).virtual_sm, 90);
  }
}

TEST(AcceptObject, refuses_what_does_not_fit) {
  struct Row {
    const char *id;
    std::function<void(BrokenFile &)> change;
  };
  const std::vector<Row> rows = {
      {"wrong-abi", [](BrokenFile &f) { f.set<u8>(kAbi, 7); }},
      {"wrong-abi", [](BrokenFile &f) { f.set<u8>(kAbi, 9); }},
      {"wrong-architecture", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x06005004); }},
      {"wrong-architecture", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x06015a04); }},
      {"wrong-architecture", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x06005a02); }},
      {"two-kinds-of-code", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x06005a06); }},
      {"two-kinds-of-code", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x06005a07); }},
      {"old-object", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x05005a04); }},
      {"old-object", [](BrokenFile &f) { f.set<u32>(test::kEFlags, 0x00005a04); }},
      {"old-object", [](BrokenFile &f) { f.set<u16>(cuinfo(f), 1); }},
      {"old-object", [](BrokenFile &f) { f.set<u32>(cuinfo(f) + 4, 119); }},
      {"old-object", [](BrokenFile &f) { make_old(f, 118); }},
  };
  for (const Row &row : rows) {
    BrokenFile file(kObject);
    row.change(file);
    EXPECT_EQ(said(file), Keys{row.id});
    EXPECT_EQ(said(file, "sm_90", nvlink_13_0_88()), Keys{row.id});
  }
}

// Toolkit 11.8 knows sm_90, but not the final form of its objects.
TEST(AcceptObject, age_matters_for_few_targets) {
  BrokenFile file("vector_math/sm_80/main.cubin");
  for (const u32 toolkit : {118u, 80u, 1u, 0u}) {
    file.set<u32>(cuinfo(file) + 4, toolkit);
    EXPECT_EQ(said(file, "sm_80"), Keys{});
    EXPECT_EQ(said(file, "sm_80", nvlink_13_0_88()), Keys{});
    // What names no toolkit must not come into an output; the compiler has a note of its own.
    const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
    EXPECT_EQ(identify_object(*view).toolkit, toolkit >= 100 ? toolkit : 130);
  }
  file.set<u8>(kOsAbi, 0x33);
  file.set<u8>(kAbi, 7);
  file.set<u32>(test::kEFlags, 0x00500550);
  file.set<u32>(test::kEVersion, 118);
  EXPECT_EQ(said(file, "sm_80"), Keys{});
}

TEST(AcceptObject, says_how_old_an_object_is) {
  const auto age = [](const BrokenFile &file) {
    const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
    Diagnostics diag;
    EXPECT_FALSE(accept_object("a", *view, *arch::find_arch("sm_90"), own_dialect(), diag));
    return diagnostic_text(diag.all().front());
  };
  BrokenFile file(kObject);
  make_old(file, 118);
  EXPECT_EQ(age(file), "a: must be recompiled with CUDA 12.0 or newer: it was made by CUDA 11.8");
  make_old(file, 1);
  EXPECT_EQ(age(file),
            "a: must be recompiled with CUDA 12.0 or newer: its e_version, 1, names no toolkit");
  BrokenFile noted(kObject);
  noted.set<u16>(cuinfo(noted), 1);
  EXPECT_EQ(age(noted), "a: must be recompiled with CUDA 12.0 or newer: its .note.nv.cuinfo has "
                        "version 1");
}

TEST(AcceptObject, takes_the_file_types_that_compilers_write) {
  for (const u16 type : {1, 0xff00}) {
    BrokenFile file(kObject);
    file.set<u16>(test::kEType, type);
    EXPECT_EQ(said(file), Keys{});
  }
  for (const u16 type : {0, 3, 0xff01}) {
    BrokenFile file(kObject);
    file.set<u16>(test::kEType, type);
    EXPECT_EQ(said(file), Keys{"not-relocatable"});
    EXPECT_EQ(said(file, "sm_90", nvlink_13_0_88()), Keys{}); // Q142
  }
}

TEST(AcceptObject, old_objects_should_say_that_addresses_have_64_bits) {
  BrokenFile file(kObject);
  file.set<u8>(kOsAbi, 0x33);
  EXPECT_EQ(said(file), (Keys{"no-address-size", "wrong-abi"}));
  make_old(file, 124);
  file.set<u32>(test::kEFlags, kOldFlags & ~u32{0x400});
  EXPECT_EQ(said(file), Keys{"no-address-size"});
}

// All that nvlink took and did not: only these two bits count.
TEST(AcceptObject, other_bits_of_the_kind_of_code_do_not_matter) {
  for (u32 kind = 0; kind < 256; ++kind) {
    BrokenFile file(kObject);
    file.set<u32>(test::kEFlags, (kNewFlags & ~u32{0xff}) | kind);
    const u32 bits = kind & 6;
    EXPECT_EQ(said(file), bits == 6   ? Keys{"two-kinds-of-code"}
                          : bits == 2 ? Keys{"wrong-architecture"}
                                      : Keys{})
        << kind;
  }
}

TEST(AcceptObject, finds_the_note_where_its_number_does_not_fit) {
  BrokenFile file(kObject);
  file.set<u32>(test::kEFlags, 0xff005a04);
  EXPECT_EQ(said(file), Keys{});
}

TEST(AcceptObject, says_what_would_fit) {
  const BrokenFile file("vector_math/sm_80/main.cubin");
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  ASSERT_TRUE(view);
  for (const char *target : {"sm_80", "sm_86", "sm_87", "sm_88", "sm_89"})
    EXPECT_EQ(said(file, target), Keys{}) << target;
  Diagnostics diag;
  EXPECT_FALSE(accept_object("a", *view, *arch::find_arch("sm_87"), nvlink_13_0_88(), diag));
  EXPECT_EQ(diagnostic_text(diag.all().front()), "a: built for sm_80, not for sm_87");
  EXPECT_EQ(diag.all().front().hint,
            "sm_87 takes objects of sm_87; this one links with -arch=sm_80");
}

TEST(AcceptObject, links_newer_toolkits_with_one_warning) {
  BrokenFile newer(kObject);
  newer.set<u32>(cuinfo(newer) + 4, 140);
  BrokenFile second("vector_math/sm_90/filter.cubin");
  second.set<u32>(cuinfo(second) + 4, 141);
  LinkRequest request;
  request.target = "sm_90";
  request.inputs = {LinkInput::memory("a", newer.bytes()), LinkInput::memory("b", second.bytes())};
  const LinkResult result = link(request);
  ASSERT_TRUE(result.ok());
  ASSERT_EQ(result.messages.size(), 1u);
  EXPECT_EQ(result.messages[0].id, "newer-toolkit");
  EXPECT_EQ(result.messages[0].arguments[1], "14.0");
  EXPECT_EQ(result.messages[0].notes, Keys{"and 1 more files"});
  // The output is of the newest toolkit that took part.
  const Result<elf::ElfView> view = elf::ElfView::open(result.bytes);
  ASSERT_TRUE(view);
  EXPECT_EQ(identify_object(*view).toolkit, 141u);

  request.emulate = "nvlink-13.0.88";
  const LinkResult refused = link(request);
  EXPECT_FALSE(refused.ok());
  ASSERT_EQ(refused.messages.size(), 2u);
  EXPECT_EQ(refused.messages[0].text, "a: made by CUDA 14.0, newer than CUDA 13.0");
}

// The largest NUM_BARRIERS of the output, and whether its code still has a count in its flags.
std::pair<u32, bool> barriers_of(const LinkResult &result) {
  u32 most = 0;
  bool in_flags = false;
  const Result<elf::ElfView> view = elf::ElfView::open(result.bytes);
  EXPECT_TRUE(result.ok() && view);
  for (const elf::Section &section : view->sections()) {
    in_flags |= section.name.starts_with(".text.") && (section.flags & 0x07f00000) != 0;
    if (section.name.starts_with(".nv.info."))
      for (const elf::InfoRecord &record : elf::decode_info(section.data).records)
        if (record.attribute == elf::InfoAttribute::NumBarriers)
          most = std::max<u32>(most, record.value);
  }
  return {most, in_flags};
}

TEST(OldObjects, barriers_move_from_flags_to_records) {
  BrokenFile old(kObject);
  make_old(old, 124);
  // A kernel that has no record of its own and uses seven barriers.
  const u64 flags = old.header_of(".text._Z5totalPKfPfi") + test::kShFlags;
  old.set<u64>(flags, old.get<u64>(flags) | 7 << 20);
  const BrokenFile second("vector_math/sm_90/filter.cubin");
  LinkRequest request;
  request.target = "sm_90";
  request.inputs = {LinkInput::memory("a", old.bytes()), LinkInput::memory("b", second.bytes())};
  EXPECT_EQ(barriers_of(link(request)), std::make_pair(7u, false));
  // nvlink takes the callee's record for the kernel's, whose count stays in the flags (Q063).
  request.emulate = "nvlink-13.0.88";
  EXPECT_EQ(barriers_of(link(request)), std::make_pair(1u, true));
  // nvlink -r leaves the count where it is; ours is a record.
  request.options.relocatable = true;
  EXPECT_EQ(barriers_of(link(request)), std::make_pair(1u, true));
  request.emulate.clear();
  EXPECT_EQ(barriers_of(link(request)), std::make_pair(7u, false));
}

TEST(OldObjects, banks_without_the_link_flag_keep_their_function) {
  BrokenFile old(kObject);
  make_old(old, 120);
  for (const char *name : {".nv.constant0._Z5totalPKfPfi", ".nv.constant0._Z6smoothPKfPfi",
                           ".nv.info._Z5totalPKfPfi", ".nv.info._Z6smoothPKfPfi"}) {
    const u64 flags = old.header_of(name) + test::kShFlags;
    old.set<u64>(flags, old.get<u64>(flags) & ~elf::kFlagInfoLink);
  }
  const BrokenFile second("vector_math/sm_90/filter.cubin");
  LinkRequest request;
  request.target = "sm_90";
  request.inputs = {LinkInput::memory("a", old.bytes()), LinkInput::memory("b", second.bytes())};
  const auto flags_of_bank = [&request] {
    const LinkResult result = link(request);
    const Result<elf::ElfView> view = elf::ElfView::open(result.bytes);
    EXPECT_TRUE(result.ok() && view);
    const elf::Section *bank = view->find(".nv.constant0._Z5totalPKfPfi");
    EXPECT_EQ(view->sections()[bank->info].name, ".text._Z5totalPKfPfi");
    return bank->flags;
  };
  EXPECT_EQ(flags_of_bank(), elf::kFlagAlloc | elf::kFlagInfoLink);
  request.emulate = "nvlink-13.0.88"; // copies the flags (Q064)
  EXPECT_EQ(flags_of_bank(), elf::kFlagAlloc);
}

} // namespace
} // namespace culink
