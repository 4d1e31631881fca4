// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/finalize/harvest.h"

#include <gtest/gtest.h>

#include "elf/records/nv_capmerc.h"
#include "recorded_answers.h"
#include "support/bytes.h"

namespace culink {
namespace {

const FinalizedFunction *function_named(const FinalizedObject &object, std::string_view part) {
  for (const FinalizedFunction &function : object.functions)
    if (function.name.find(part) != std::string_view::npos)
      return &function;
  return nullptr;
}

class HarvestOfDebugCode : public ::testing::Test {
protected:
  HarvestOfDebugCode()
      : bytes(recorded_bytes("steps.cubin")), view(elf::ElfView::open(bytes).value()),
        object(harvest_functions(view, recorded_bytes("steps.answer")).value()) {}

  std::vector<u8> bytes;
  elf::ElfView view;
  FinalizedObject object;
};

TEST_F(HarvestOfDebugCode, HasEveryFunction) {
  EXPECT_EQ(object.functions.size(), 3u);
  for (const char *name : {"steps", "helper", "lonely"}) {
    const FinalizedFunction *function = function_named(object, name);
    ASSERT_NE(function, nullptr) << name;
    EXPECT_FALSE(function->text.empty());
    EXPECT_TRUE(elf::decode_capsule(function->capsule).violations.empty());
    EXPECT_FALSE(function->info.empty());
  }
}

TEST_F(HarvestOfDebugCode, FramesHaveTheirLength) {
  for (const FinalizedFunction &function : object.functions) {
    ASSERT_EQ(function.debug.frames.size(), 1u) << function.name;
    const auto &[cie, fde] = function.debug.frames[0];
    for (const ByteSpan record : {cie, fde}) {
      ASSERT_GE(record.size(), 36u) << function.name;
      EXPECT_EQ(load_le<u32>(record.data()), 0xffffffffu);
      EXPECT_EQ(load_le<u64>(record.data() + 4) + 12, record.size());
    }
    EXPECT_EQ(load_le<u64>(cie.data() + 12), ~u64{0});
    EXPECT_EQ(load_le<u64>(fde.data() + 28), function.text.size()); // address range
  }
}

TEST_F(HarvestOfDebugCode, LineSequencesGoFromAddressToEnd) {
  for (const FinalizedFunction &function : object.functions)
    for (const auto &parts : {function.debug.lines, function.debug.sass_lines}) {
      ASSERT_EQ(parts.size(), 1u) << function.name;
      const ByteSpan lines = parts[0];
      ASSERT_GE(lines.size(), 14u) << function.name;
      EXPECT_EQ(lines[0], 0u); // extended operation
      EXPECT_EQ(lines[2], 2u); // set the address
      const std::vector<u8> end(lines.end() - 3, lines.end());
      EXPECT_EQ(end, (std::vector<u8>{0, 1, 1})) << function.name;
    }
}

TEST_F(HarvestOfDebugCode, RegisterRecordsStartWithTheName) {
  for (const FinalizedFunction &function : object.functions) {
    ASSERT_EQ(function.debug.registers.size(), 1u) << function.name;
    EXPECT_EQ(c_string_at(function.debug.registers[0], 0), function.name);
  }
}

// Gives one section the name of another.
void rename_as(std::vector<u8> &file, u32 section, u32 other) {
  const u64 table = load_le<u64>(file.data() + 40); // e_shoff
  const auto name_of = [&](u32 index) { return file.data() + table + u64{index} * 64; };
  store_le<u32>(name_of(section), load_le<u32>(name_of(other)));
}

u32 code_of(const std::vector<u8> &file, std::string_view function) {
  return elf::ElfView::open(file)->find(".text." + std::string(function))->index;
}

// Of two functions of one name the engine has left the first out.
TEST(Harvest, WantedFunctionsAreFoundAmongThoseOfOneName) {
  std::vector<u8> object = recorded_bytes("steps.cubin"), answer = recorded_bytes("steps.answer");
  const u32 first = code_of(object, "_Z6helperi"), second = code_of(object, "_Z6lonelyi");
  const u32 kernel = code_of(object, "_Z5stepsPi");
  ASSERT_LT(first, second);
  rename_as(object, first, second);
  rename_as(answer, code_of(answer, "_Z6helperi"), 1); // no name of code
  const elf::ElfView view = elf::ElfView::open(object).value();
  const u32 wanted[] = {second, kernel};
  const Result<FinalizedObject> found = harvest_functions(view, answer, wanted);
  ASSERT_TRUE(found) << found.error().text();
  const FinalizedFunction *function = function_named(*found, "lonely");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->section, second);
  const u32 both[] = {first, second, kernel};
  EXPECT_FALSE(harvest_functions(view, answer, both));
}

// A later copy has replaced an earlier one: the first frame speaks for both (Q106).
TEST(Harvest, FramesOfBothCopiesAreFoundInOrder) {
  const MappedFile file = MappedFile::open(recorded_path("../golden/frames_of_weak_definitions/"
                                                         "replaced.expected"))
                              .value();
  const Result<FinalizedObject> object = harvest_debug({file.bytes().begin(), file.bytes().end()});
  ASSERT_TRUE(object.ok());
  const FinalizedFunction *copy = function_named(*object, "copy");
  ASSERT_NE(copy, nullptr);
  ASSERT_EQ(copy->debug.frames.size(), 2u);
  EXPECT_GT(copy->debug.frames[0].fde.size(), 40u);
  EXPECT_EQ(copy->debug.frames[1].fde.size(), 40u); // no instructions
  EXPECT_EQ(function_named(*object, "first")->debug.frames.size(), 1u);
  EXPECT_FALSE(harvest_debug({1, 2, 3}).ok());
}

TEST_F(HarvestOfDebugCode, AnswersCutAnywhereAreErrorsOrSound) {
  const std::vector<u8> answer = recorded_bytes("steps.answer");
  for (size_t size = 0; size < answer.size(); size += 509)
    EXPECT_FALSE(
        harvest_functions(view, std::vector<u8>(answer.begin(), answer.begin() + size)).ok());
}

TEST_F(HarvestOfDebugCode, AnswersOfOtherObjectsAreErrors) {
  const Result<FinalizedObject> wrong = harvest_functions(view, recorded_bytes("doubles.answer"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().text().find("finalizer"), std::string::npos);
}

TEST(Harvest, CodeForAnotherFamilyMemberIsFollowed) {
  const std::vector<u8> bytes = recorded_bytes("doubles.cubin");
  const elf::ElfView view = elf::ElfView::open(bytes).value();
  const FinalizedObject object = harvest_functions(view, recorded_bytes("doubles.answer")).value();
  const FinalizedFunction *function = function_named(object, "doubles");
  ASSERT_NE(function, nullptr);
  ASSERT_FALSE(function->moved.is_identity());
  const elf::Section *old = nullptr;
  for (const elf::Section &section : view.sections())
    if (section.name == ".text." + std::string(function->name))
      old = &section;
  ASSERT_NE(old, nullptr);
  EXPECT_GT(function->text.size(), old->size);
  EXPECT_EQ(function->moved.offset(old->size), function->text.size());
  // Relocated instructions are still the same ones.
  const elf::Section *table = view.find(".rela.text." + std::string(function->name));
  ASSERT_NE(table, nullptr);
  const elf::RelocationTable relocations = view.relocations(*table);
  ASSERT_GT(relocations.size(), 0u);
  for (u32 i = 0; i < relocations.size(); ++i) {
    const u64 offset = relocations[i].offset / 16 * 16;
    EXPECT_EQ(load_le<u16>(old->data.data() + offset),
              load_le<u16>(function->text.data() + function->moved.offset(offset)));
  }
}

} // namespace
} // namespace culink
