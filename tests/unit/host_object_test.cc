// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/host_object.h"

#include <gtest/gtest.h>

#include "host_file.h"

namespace culink {
namespace {

using test::Bytes;
using test::bytes_of;
using test::HostFile;

using Patterns = std::vector<std::string_view>;

Patterns patterns_in(const HostObject &object, std::string_view section) {
  Patterns out;
  for (const HostObject::References &references : object.references)
    if (references.list->section == section)
      out.insert(out.end(), references.patterns.begin(), references.patterns.end());
  return out;
}

TEST(HostObject, finds_what_nvcc_put_there) {
  HostFile file = test::rdc_object("_abc_4_a_cu_f", bytes_of("fatbin"),
                                   std::string_view("_Z1kv*\0_Z1lv*\0", 14));
  file.with(".nv_fatbin", "other");
  for (const Bytes &bytes : {file.build64(), file.build32()}) {
    const Result<HostObject> object = read_host_object(bytes);
    ASSERT_TRUE(object) << object.error().text();
    EXPECT_TRUE(object->has_segment);
    ASSERT_EQ(object->linkable.size(), 1u);
    EXPECT_EQ(as_text(object->linkable[0]), "fatbin");
    ASSERT_EQ(object->finished.size(), 1u);
    ASSERT_EQ(object->modules.size(), 1u);
    EXPECT_EQ(object->modules[0].id, "_abc_4_a_cu_f");
    EXPECT_FALSE(object->modules[0].defined);
    EXPECT_TRUE(object->lists_kernels);
    EXPECT_EQ(patterns_in(*object, ".nvHRKE"), (Patterns{"_Z1kv*", "_Z1lv*"}));
    EXPECT_TRUE(patterns_in(*object, ".nvHRKI").empty());
  }
}

TEST(HostObject, plain_objects_have_nothing) {
  const Bytes bytes = HostFile().with(".text", "code").build64();
  const Result<HostObject> object = read_host_object(bytes);
  ASSERT_TRUE(object);
  EXPECT_FALSE(object->has_segment);
  EXPECT_FALSE(object->lists_kernels);
  EXPECT_TRUE(object->linkable.empty());
}

TEST(HostObject, an_empty_list_is_a_list_and_no_bytes_are_none) {
  const auto lists = [](std::string_view bytes) {
    return read_host_object(HostFile().with(".nvHRKE", bytes).build64())->lists_kernels;
  };
  EXPECT_TRUE(lists(std::string_view("\0", 1)));
  EXPECT_FALSE(lists(""));
}

TEST(HostObject, lists_joined_by_ld_are_read_to_their_end) {
  HostFile file;
  file.with("__nv_module_id", std::string_view("_a\0\0\0def _b\0", 12))
      .with(".nvHRKI", std::string_view("x*\0\0y*\0", 7));
  const Bytes bytes = file.build64();
  const Result<HostObject> object = read_host_object(bytes);
  ASSERT_TRUE(object);
  ASSERT_EQ(object->modules.size(), 2u);
  EXPECT_EQ(object->modules[1].id, "_b");
  EXPECT_TRUE(object->modules[1].defined);
  EXPECT_EQ(patterns_in(*object, ".nvHRKI"), (Patterns{"x*", "y*"}));
}

TEST(HostObject, big_endian_is_refused_by_name) {
  HostFile file = test::rdc_object("_a", bytes_of("x"));
  file.data = 2;
  const Result<HostObject> object = read_host_object(file.build64());
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().text().find("big-endian"), std::string::npos);
}

TEST(HostObject, any_machine_and_any_type_is_read) {
  for (const u16 machine : {3, 40, 62, 183, 243}) {
    HostFile file = test::rdc_object("_a", bytes_of("x"));
    file.machine = machine;
    EXPECT_TRUE(read_host_object(file.build64())) << machine;
  }
  HostFile library = test::rdc_object("_a", bytes_of("x"));
  library.type = 3; // ET_DYN
  EXPECT_TRUE(read_host_object(library.build64()));
}

TEST(HostObject, cut_files_are_refused) {
  const Bytes good = test::rdc_object("_a", bytes_of("x")).build64();
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_host_object(ByteSpan(good).first(size))) << size;
}

} // namespace
} // namespace culink
