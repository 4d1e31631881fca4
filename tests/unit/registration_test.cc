// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/registration.h"

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

} // namespace
} // namespace culink
