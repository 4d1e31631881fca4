// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions that a program may call without any input defining them. Those of the driver
// stay undefined in an executable, and the loader puts in their addresses. Those of the device
// runtime library are defined as soon as -lcudadevrt is on the command line, which is what a
// message about an undefined one should say. The passes that look for undefined and for live
// functions ask.
//
// What may surprise: the names follow no rule. cudaGraphLaunch is the driver's, and
// cudaEventRecord the library's; cudaEventRecordWithFlags is declared in NVIDIA's headers and
// defined nowhere. The lists were found by calling every function that the headers declare for
// device code and letting nvlink link it (tests/diff/run_names.py does so again). Only names that
// begin with
// __cuda_syscall are taken whatever follows.
#include "elf/target/driver_functions.h"

#include <algorithm>
#include <array>

namespace culink::arch {
namespace {

constexpr std::string_view kDriverPrefix = "__cuda_syscall";
constexpr std::string_view kCxxPrefix = "_Z"; // of mangled names

constexpr std::array<std::string_view, 33> kDriverFunctions = {"__assertfail",
                                                               "__profile",
                                                               "cnpCtxSynchronize",
                                                               "cnpDeviceGetAttribute",
                                                               "cnpDeviceGetName",
                                                               "cnpEventCreate",
                                                               "cnpEventDestroy",
                                                               "cnpEventRecord",
                                                               "cnpFuncGetAttribute",
                                                               "cnpGetCacheConfig",
                                                               "cnpGetDevice",
                                                               "cnpGetDeviceCount",
                                                               "cnpGetLastError",
                                                               "cnpGetLimit",
                                                               "cnpGetParameterBuffer",
                                                               "cnpGetParameterBufferV2",
                                                               "cnpGetSharedMemConfig",
                                                               "cnpLaunchDevice",
                                                               "cnpLaunchDeviceV2",
                                                               "cnpSetLastError",
                                                               "cnpStreamCreate",
                                                               "cnpStreamDestroy",
                                                               "cnpStreamWaitEvent",
                                                               "cudaGraphKernelNodeSetEnabled",
                                                               "cudaGraphKernelNodeSetGridDim",
                                                               "cudaGraphKernelNodeSetParam",
                                                               "cudaGraphKernelNodeUpdatesApply",
                                                               "cudaGraphLaunch",
                                                               "cudaGraphSetConditional",
                                                               "free",
                                                               "malloc",
                                                               "vfprintf",
                                                               "vprintf"};
static_assert(std::is_sorted(kDriverFunctions.begin(), kDriverFunctions.end()));
static_assert(std::none_of(kDriverFunctions.begin(), kDriverFunctions.end(),
                           [](std::string_view name) { return name.starts_with(kCxxPrefix); }));

// By character: whether the name of a function of the driver begins with it. Few do, and each
// function of a program is looked for.
constexpr std::array<bool, 256> kDriverInitials = [] {
  std::array<bool, 256> out{};
  out[static_cast<unsigned char>(kDriverPrefix[0])] = true;
  for (const std::string_view name : kDriverFunctions)
    out[static_cast<unsigned char>(name[0])] = true;
  return out;
}();

// The symbol of this one stays in the output even if only discarded code calls it.
constexpr std::string_view kAlwaysListed = "__cuda_syscall_32f3056bbb";

// Functions of the device runtime library without their prefix: each exists as cudaX, which code
// for the first version of dynamic parallelism calls, and as __cudaCDP2X for the second.
constexpr std::array<std::string_view, 42> kRuntimeFunctions = {
    "DeviceGetAttribute",
    "DeviceGetCacheConfig",
    "DeviceGetLimit",
    "DeviceGetSharedMemConfig",
    "EventCreateWithFlags",
    "EventDestroy",
    "EventRecord",
    "EventRecord_ptsz",
    "Free",
    "FuncGetAttributes",
    "GetDevice",
    "GetDeviceCount",
    "GetErrorName",
    "GetErrorString",
    "GetLastError",
    "GetParameterBuffer",
    "GetParameterBufferV2",
    "LaunchDevice",
    "LaunchDeviceV2",
    "LaunchDeviceV2_ptsz",
    "LaunchDevice_ptsz",
    "Malloc",
    "Memcpy2DAsync",
    "Memcpy2DAsync_ptsz",
    "Memcpy3DAsync",
    "Memcpy3DAsync_ptsz",
    "MemcpyAsync",
    "MemcpyAsync_ptsz",
    "Memset2DAsync",
    "Memset2DAsync_ptsz",
    "Memset3DAsync",
    "Memset3DAsync_ptsz",
    "MemsetAsync",
    "MemsetAsync_ptsz",
    "OccupancyMaxActiveBlocksPerMultiprocessor",
    "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "PeekAtLastError",
    "RuntimeGetVersion",
    "StreamCreateWithFlags",
    "StreamDestroy",
    "StreamWaitEvent",
    "StreamWaitEvent_ptsz"};
static_assert(std::is_sorted(kRuntimeFunctions.begin(), kRuntimeFunctions.end()));

constexpr std::array<std::string_view, 7> kOtherRuntimeFunctions = {
    "__cudaDeviceSynchronizeDeprecationAvoidance",
    "cudaCGGetIntrinsicHandle",
    "cudaCGGetRank",
    "cudaCGGetSize",
    "cudaCGSynchronize",
    "cudaCGSynchronizeGrid",
    "cudaDeviceSynchronize"};
static_assert(std::is_sorted(kOtherRuntimeFunctions.begin(), kOtherRuntimeFunctions.end()));

// Names are sorted; only those with the same first character are compared.
template <size_t N>
bool contains(const std::array<std::string_view, N> &names, std::string_view name) {
  if (name.empty())
    return false;
  const auto same =
      std::ranges::equal_range(names, name[0], {}, [](std::string_view one) { return one[0]; });
  return std::binary_search(same.begin(), same.end(), name);
}

} // namespace

bool is_driver_function(std::string_view name) {
  if (name.empty() || !kDriverInitials[static_cast<unsigned char>(name[0])] ||
      name.starts_with(kCxxPrefix)) // as most do
    return false;
  return name.starts_with(kDriverPrefix) || contains(kDriverFunctions, name);
}

bool is_always_listed(std::string_view name) {
  return name == kAlwaysListed;
}

bool is_runtime_function(std::string_view name) {
  for (const std::string_view prefix : {"__cudaCDP2", "cuda"})
    if (name.starts_with(prefix) && contains(kRuntimeFunctions, name.substr(prefix.size())))
      return true;
  return contains(kOtherRuntimeFunctions, name);
}

} // namespace culink::arch
