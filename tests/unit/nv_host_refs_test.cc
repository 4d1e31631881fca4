// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/records/nv_host_refs.h"

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink::elf {
namespace {

TEST(NvHostRefs, EveryListIsFoundByItsName) {
  struct Expected {
    std::string_view section;
    HostReferenceKind kind;
    bool internal;
  };
  for (const Expected &row : {Expected{".nvHRKE", HostReferenceKind::Kernel, false},
                              Expected{".nvHRKI", HostReferenceKind::Kernel, true},
                              Expected{".nvHRDE", HostReferenceKind::Device, false},
                              Expected{".nvHRDI", HostReferenceKind::Device, true},
                              Expected{".nvHRCE", HostReferenceKind::Constant, false},
                              Expected{".nvHRCI", HostReferenceKind::Constant, true}}) {
    const HostReferenceList *list = host_reference_list(row.section);
    ASSERT_TRUE(list) << row.section;
    EXPECT_EQ(list->kind, row.kind);
    EXPECT_EQ(list->internal, row.internal);
  }
  EXPECT_FALSE(host_reference_list(".nvHR"));
  EXPECT_FALSE(host_reference_list(".nvHRXX"));
}

TEST(NvHostRefs, ReadsNamesEndedByNul) {
  const std::string_view text("_Z1kPi\0_Z*x\0\0", 13);
  const NameList list = decode_names(as_bytes(text));
  EXPECT_TRUE(list.violations.empty());
  EXPECT_EQ(list.names, (std::vector<std::string_view>{"_Z1kPi", "_Z*x", ""}));
  EXPECT_EQ(as_text(encode_names(list)), text);
}

TEST(NvHostRefs, KeepsAnUnterminatedName) {
  const std::string_view text("ab\0cd", 5);
  const NameList list = decode_names(as_bytes(text));
  EXPECT_EQ(list.names.size(), 1u);
  EXPECT_EQ(as_text(list.rest), "cd");
  EXPECT_EQ(list.violations.at(0).offset, 3u);
  EXPECT_EQ(as_text(encode_names(list)), text);
}

TEST(NvHostRefs, TellsDefinedModulesFromOthers) {
  EXPECT_TRUE(module_id("def _a_cu_1").defined);
  EXPECT_EQ(module_id("def _a_cu_1").id, "_a_cu_1");
  EXPECT_FALSE(module_id("default_cu").defined);
  EXPECT_EQ(module_id("default_cu").id, "default_cu");
}

} // namespace
} // namespace culink::elf
