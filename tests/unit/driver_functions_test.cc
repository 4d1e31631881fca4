// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/driver_functions.h"

#include <gtest/gtest.h>

namespace culink::arch {
namespace {

TEST(DriverFunctions, AreKnownByTheirWholeName) {
  for (const char *name : {"vprintf", "vfprintf", "malloc", "free", "__assertfail", "__profile",
                           "cnpGetLimit", "cudaGraphLaunch", "cudaGraphSetConditional"})
    EXPECT_TRUE(is_driver_function(name)) << name;
  for (const char *name : {"", "cnp", "cnpFoo", "vprintf2", "vprint", "_malloc", "cudaGraphLaunch2",
                           "cudaGetDevice", "printf"})
    EXPECT_FALSE(is_driver_function(name)) << name;
}

TEST(DriverFunctions, OnePrefixIsEnough) {
  EXPECT_TRUE(is_driver_function("__cuda_syscall"));
  EXPECT_TRUE(is_driver_function("__cuda_syscall_of_tomorrow"));
  EXPECT_FALSE(is_driver_function("__cuda_syscal"));
  EXPECT_FALSE(is_driver_function("_cuda_syscall"));
}

TEST(DriverFunctions, OneIsAlwaysListed) {
  EXPECT_TRUE(is_always_listed("__cuda_syscall_32f3056bbb"));
  EXPECT_FALSE(is_always_listed("__cuda_syscall_32f3056bb"));
  EXPECT_FALSE(is_always_listed("malloc"));
}

TEST(DriverFunctions, ThoseOfTheRuntimeLibraryExistInTwoVersions) {
  EXPECT_TRUE(is_runtime_function("cudaGetLastError"));
  EXPECT_TRUE(is_runtime_function("__cudaCDP2GetLastError"));
  EXPECT_TRUE(is_runtime_function("cudaDeviceSynchronize"));
  EXPECT_FALSE(is_runtime_function("__cudaCDP2DeviceSynchronize"));
  EXPECT_FALSE(is_runtime_function("cudaEventRecordWithFlags"));
  EXPECT_FALSE(is_runtime_function("cudaGraphLaunch"));
  EXPECT_FALSE(is_runtime_function("GetLastError"));
}

} // namespace
} // namespace culink::arch
