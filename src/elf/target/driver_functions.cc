// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions that a program may call without a definition in any input. Functions of the
// driver stay undefined in an executable, and the loader fills in their addresses. Functions of the
// device runtime library are defined by -lcudadevrt, which a message about an undefined one
// recommends. The passes for undefined and live functions use these lists.
//
// What may surprise: the names follow no rule. cudaGraphLaunch is a driver function and
// cudaEventRecord a library function; cudaEventRecordWithFlags is declared in NVIDIA's headers and
// defined nowhere. The lists were found by calling every function that the headers declare for
// device code and linking it with nvlink (tests/diff/run_names.py repeats this). Only names that
// begin with __cuda_syscall are accepted with any suffix.
#include "elf/target/driver_functions.h"

#include <algorithm>
#include <array>

namespace culink::arch {
namespace {

constexpr std::string_view kDriverPrefix = "__cuda_syscall";
constexpr std::string_view kCxxPrefix = "_Z"; // prefix of mangled names

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

// By character: true if the name of a driver function begins with it. Few characters do, which
// makes the lookup of every function of a program fast.
constexpr std::array<bool, 256> kDriverInitials = [] {
  std::array<bool, 256> out{};
  out[static_cast<unsigned char>(kDriverPrefix[0])] = true;
  for (const std::string_view name : kDriverFunctions)
    out[static_cast<unsigned char>(name[0])] = true;
  return out;
}();

// The symbol of this function stays in the output even if only discarded code calls it.
constexpr std::string_view kAlwaysListed = "__cuda_syscall_32f3056bbb";

// Functions of the device runtime library without their prefix. Each exists as cudaX, for code of
// the first version of dynamic parallelism, and as __cudaCDP2X, for the second.
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

// Names are sorted; only names with the same first character are compared.
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
      name.starts_with(kCxxPrefix)) // the most frequent case
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
