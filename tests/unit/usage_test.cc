// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resource usage of the shipped example cubins. Register, stack and shared numbers of kernels are
// those cuobjdump -res-usage prints for the same files.
#include "inspect/dump/usage.h"
#include "inspect/reader/usage.h"

#include <string>

#include <gtest/gtest.h>

#include "support/mapped_file.h"

namespace culink::text {
namespace {

ModuleUsage usage_of(const char *path, MappedFile &file) {
  const Result<elf::ElfView> view = elf::ElfView::open(file.bytes());
  EXPECT_TRUE(view) << path;
  return view ? inspect::collect_usage(*view) : ModuleUsage{};
}

// Names in the usage point into the mapped file, so both stay together.
struct Example {
  MappedFile file;
  ModuleUsage usage;

  explicit Example(const char *path)
      : file(MappedFile::open(std::string(CULINK_SOURCE_DIR) + "/examples/" + path).value()),
        usage(usage_of(path, file)) {}

  const FunctionUsage &function(std::string_view name) const {
    for (const FunctionUsage &use : usage.functions)
      if (use.name == name)
        return use;
    ADD_FAILURE() << "no function " << name;
    static const FunctionUsage kNothing;
    return kNothing;
  }
};

TEST(Usage, linked_kernel_has_registers_stack_and_parameters) {
  const Example example("function_pointers/sm_90/linked.cubin");
  const FunctionUsage &kernel = example.function("_Z7measurePfi");
  EXPECT_TRUE(kernel.kernel);
  EXPECT_EQ(kernel.registers, 28u);
  EXPECT_EQ(kernel.min_stack, 72u);
  EXPECT_EQ(kernel.parameters, 12u);
  ASSERT_EQ(kernel.constants.size(), 1u);
  EXPECT_EQ(kernel.constants[0].bank, 0);
  EXPECT_EQ(kernel.constants[0].size, 540u);
  EXPECT_EQ(example.usage.global, 88u);
}

TEST(Usage, device_function_is_listed_without_kernel_facts) {
  const Example example("function_pointers/sm_90/linked.cubin");
  const FunctionUsage &function = example.function("_Z5applyPFffEfi");
  EXPECT_FALSE(function.kernel);
  EXPECT_EQ(function.registers, 28u);
  EXPECT_EQ(function.frame, 40u);
  EXPECT_FALSE(function.min_stack);
  EXPECT_FALSE(function.parameters);
}

TEST(Usage, shared_memory_barriers_and_constants_are_found) {
  const Example object("vector_math/sm_80/main.cubin");
  EXPECT_EQ(object.function("_Z6smoothPKfPfi").shared, 544u);
  EXPECT_EQ(object.function("_Z6smoothPKfPfi").barriers, 1u);
  const Example module("vector_math/sm_80/filter.cubin");
  EXPECT_EQ(module.usage.shared, 1024u); // of no kernel yet
  ASSERT_EQ(module.usage.constants.size(), 1u);
  EXPECT_EQ(module.usage.constants[0].bank, 3);
  EXPECT_EQ(module.usage.constants[0].size, 32u);
}

TEST(Usage, mercury_mirror_is_not_counted_twice) {
  const Example example("vector_math/sm_100/filter.cubin");
  EXPECT_EQ(example.usage.global, 8u);
  ASSERT_EQ(example.usage.constants.size(), 1u);
  EXPECT_EQ(example.usage.constants[0].size, 32u);
}

TEST(Usage, reserved_shared_memory_is_that_of_the_target) {
  EXPECT_EQ(Example("vector_math/sm_90/linked.cubin").usage.reserved_shared, 1024u);
  EXPECT_EQ(Example("vector_math/sm_80/linked.cubin").usage.reserved_shared, 0u);
}

TEST(Usage, prints_missing_numbers_as_such) {
  ModuleUsage usage;
  FunctionUsage &function = usage.functions.emplace_back();
  function.name = "_Z1fv";
  function.registers = 8;
  function.min_stack = kUnboundedStack;
  TextOut out;
  print_rows(make_rows(usage, "", nullptr, false, std::nullopt), {.demangled = true},
             *make_sink(Format::Text, out));
  EXPECT_NE(out.text().find("  function          8  unbounded      -  "), std::string::npos)
      << out.text();
  EXPECT_NE(out.text().find("f()"), std::string::npos);
}

} // namespace
} // namespace culink::text
