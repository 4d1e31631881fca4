// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/report/nvlink_reports.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(Registration, has_a_line_for_each_module) {
  EXPECT_EQ(registration_text({}, "/"), "#define NUM_PRELINKED_OBJECTS 0\n");
  EXPECT_EQ(registration_text({{"a.o", "_1234_4_a_cu_f"}, {"b.o", "_5678_4_b_cu_g"}}, "/src"),
            "#define NUM_PRELINKED_OBJECTS 2\n"
            "DEFINE_REGISTER_FUNC(_1234_4_a_cu_f)\n"
            "DEFINE_REGISTER_FUNC(_5678_4_b_cu_g)\n");
}

TEST(Registration, names_files_without_a_host_part_by_their_path) {
  EXPECT_EQ(registration_text({{"./sub/a-1.cubin", ""}, {"/x/b.fatbin", ""}}, "/src/me"),
            "#define NUM_PRELINKED_OBJECTS 2\n"
            "DEFINE_REGISTER_FUNC(_src_me___sub_a_1_cubin)\n"
            "DEFINE_REGISTER_FUNC(_x_b_fatbin)\n");
}

// Q085
TEST(Registration, of_a_target_that_needs_the_runtime_library_stays) {
  const std::vector<LinkedModule> modules = {{"a.o", "_a"}, {"libcudadevrt.a", "_rt", false}};
  EXPECT_EQ(registration_text(modules, "/"),
            "#define NUM_PRELINKED_OBJECTS 1\nDEFINE_REGISTER_FUNC(_a)\n");
  const std::string other = registration_text({{"a.o", "_a"}, {"libcudadevrt.a", "_rt"}}, "/");
  EXPECT_TRUE(keeps_registration(modules, "/", other, false));
  EXPECT_FALSE(keeps_registration(modules, "/", "something old", false));
  EXPECT_TRUE(keeps_registration(modules, "/", "something old", true)) << "as nvlink does";
  EXPECT_FALSE(keeps_registration({{"a.o", "_a"}}, "/", other, true)) << "no unused module";
}

} // namespace
} // namespace culink
