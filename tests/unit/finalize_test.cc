// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A script that copies a recorded answer stands for nvlink.
#include "compilers/finalize/finalize.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "program_script.h"
#include "recorded_answers.h"

namespace culink {
namespace {

class FinalizeWithScript : public ::testing::Test {
protected:
  FinalizeWithScript() : calls(::testing::TempDir() + "calls-" + std::to_string(::getpid())) {
    std::remove(calls.c_str());
  }
  ~FinalizeWithScript() override { std::remove(calls.c_str()); }

  // The words are -arch=..., the object, -o, the output; or some more, and the output.
  [[nodiscard]] std::string copying() const {
    return "echo \"$*\" >> '" + calls + "'; for last; do :; done; cp '" +
           recorded_path("steps.answer") + "' \"$last\"";
  }
  [[nodiscard]] std::vector<std::string> calls_made() const {
    std::ifstream file(calls);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
      lines.push_back(line);
    return lines;
  }
  std::vector<FinalizedObject> run(const std::string &script,
                                   const std::vector<std::vector<u8>> &objects) {
    const ProgramScript program(script);
    FinalizerEngine engine;
    engine.nvlink = program.path();
    engine.folder = ::testing::TempDir();
    FinalizeRequest request;
    request.target = "sm_100";
    for (const std::vector<u8> &object : objects)
      request.objects.push_back({"an object", object});
    return Finalizer(engine, 2)(request, diag);
  }

  std::string calls;
  Diagnostics diag;
};

TEST_F(FinalizeWithScript, ObjectsGoThroughTheEngine) {
  const std::vector<FinalizedObject> objects = run(copying(), {recorded_bytes("steps.cubin")});
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_EQ(objects[0].functions.size(), 3u);
  ASSERT_EQ(calls_made().size(), 1u);
  EXPECT_EQ(calls_made()[0].find("-arch=sm_100 "), 0u);
}

TEST_F(FinalizeWithScript, EqualObjectsAreFinalizedOnce) {
  std::vector<u8> other = recorded_bytes("steps.cubin");
  other.push_back(0); // another file with the same functions
  const std::vector<u8> object = recorded_bytes("steps.cubin");
  const std::vector<FinalizedObject> objects = run(copying(), {object, other, object, object});
  ASSERT_EQ(objects.size(), 4u);
  EXPECT_EQ(calls_made().size(), 2u);
  for (const FinalizedObject &result : objects)
    EXPECT_EQ(result.functions.size(), 3u);
}

TEST_F(FinalizeWithScript, FailuresNameTheObject) {
  EXPECT_TRUE(run("echo it is broken; exit 3", {recorded_bytes("steps.cubin")}).empty());
  ASSERT_EQ(diag.all().size(), 1u);
  EXPECT_EQ(diag.all()[0].id, DiagId::FinalizerFailed);
  EXPECT_EQ(diag.all()[0].arguments[0], "an object");
  EXPECT_NE(diag.all()[0].arguments[1].find("ended with 3: it is broken"), std::string::npos);
}

TEST_F(FinalizeWithScript, FailuresAreOneWarningWhereTheCodeWillDoAsItIs) {
  const ProgramScript program("exit 3");
  FinalizerEngine engine;
  engine.nvlink = program.path();
  engine.folder = ::testing::TempDir();
  const std::vector<u8> steps = recorded_bytes("steps.cubin"),
                        doubles = recorded_bytes("doubles.cubin");
  for (const bool sound : {false, true})
    for (const bool required : {false, true}) {
      FinalizeRequest request;
      request.target = "sm_100";
      request.objects = {{"an object", steps}, {"another one", doubles}};
      request.sound_as_compiled = sound;
      request.required = required;
      Diagnostics told;
      EXPECT_TRUE(Finalizer(engine, 2)(request, told).empty());
      const bool warning = sound && !required;
      EXPECT_EQ(told.failed(), !warning);
      EXPECT_EQ(told.all().size(), warning ? 1u : 2u);
      EXPECT_EQ(told.all()[0].hint.find("--code=mercury") != std::string::npos, sound);
    }
}

TEST_F(FinalizeWithScript, WhatItFailsOnIsTriedWithoutTheRest) {
  const std::string second = "[ -e '" + calls + "' ] || { echo > '" + calls + "'; exit 1; }; ";
  const ProgramScript program(second + copying());
  FinalizerEngine engine;
  engine.nvlink = program.path();
  engine.folder = ::testing::TempDir();
  const std::vector<u8> bytes = recorded_bytes("steps.cubin");
  const elf::ElfView view = elf::ElfView::open(bytes).value();
  FinalizeRequest request;
  request.target = "sm_100";
  request.objects.push_back({"an object", bytes});
  for (const elf::Section &section : view.sections())
    if (section.name.starts_with(".text.") && request.objects[0].wanted.empty())
      request.objects[0].wanted = {section.index};
  const std::vector<FinalizedObject> objects = Finalizer(engine, 2)(request, diag);
  ASSERT_EQ(objects.size(), 1u);
  EXPECT_FALSE(objects[0].functions.empty());
  EXPECT_EQ(calls_made().size(), 2u);
}

TEST_F(FinalizeWithScript, FunctionsThatAreNotNeededAreNotHandedOver) {
  const std::string handed = calls + ".cubin";
  const ProgramScript program("[ -e '" + handed + "' ] || cp \"$2\" '" + handed + "'; exit 1");
  FinalizerEngine engine;
  engine.nvlink = program.path();
  engine.folder = ::testing::TempDir();
  const std::vector<u8> bytes = recorded_bytes("doubles.cubin");
  const elf::ElfView view = elf::ElfView::open(bytes).value();
  FinalizeRequest request;
  request.target = "sm_100";
  request.objects.push_back(
      {"an object", bytes, {view.find(".text.__cuda_sm20_div_rn_f64_full")->index}});
  EXPECT_TRUE(Finalizer(engine, 2)(request, diag).empty());
  const MappedFile file = MappedFile::open(handed).value();
  const elf::ElfView first_try = elf::ElfView::open(file.bytes()).value();
  EXPECT_TRUE(first_try.find(".text.__cuda_sm20_div_rn_f64_full"));
  EXPECT_FALSE(first_try.find(".text._Z7doublesPd"));
  std::remove(handed.c_str());
}

TEST_F(FinalizeWithScript, OneFailureLeavesNothing) {
  EXPECT_TRUE(
      run(copying(), {recorded_bytes("steps.cubin"), recorded_bytes("doubles.cubin")}).empty());
  EXPECT_EQ(diag.all().size(), 1u); // the answer is not one for that object
}

TEST_F(FinalizeWithScript, ObjectsWhoseHalvesDisagreeAreNotHandedOver) {
  std::vector<u8> object = recorded_bytes("steps.cubin");
  const elf::ElfView view = elf::ElfView::open(object).value();
  for (const elf::Section &section : view.sections())
    if (section.name.starts_with(".nv.capmerc."))
      object[section.offset + 8] += 32; // instructions
  EXPECT_TRUE(run(copying(), {object}).empty());
  ASSERT_EQ(diag.all().size(), 1u);
  EXPECT_NE(diag.all()[0].arguments[1].find(".nv.capmerc.text."), std::string::npos);
  EXPECT_TRUE(calls_made().empty());
}

TEST_F(FinalizeWithScript, BrokenObjectsAreNotHandedOver) {
  std::vector<u8> broken = recorded_bytes("steps.cubin");
  broken.resize(broken.size() / 2);
  EXPECT_TRUE(run(copying(), {broken}).empty());
  EXPECT_TRUE(diag.failed());
  EXPECT_TRUE(calls_made().empty());
}

} // namespace
} // namespace culink
