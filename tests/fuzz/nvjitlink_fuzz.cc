// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input through nvJitLink's functions, alone and twice. Codes, logs and results agree with each
// other. Inputs that would start a compiler are left to other tests.
#include "driver/nvjitlink/abi.h"

#include <array>
#include <string>
#include <vector>

#include "../robustness/link_laws.h"
#include "input/file_kind.h"
#include "round_trip.h"
#include "targets.h"

using namespace culink;

namespace {

void link_input(const std::string &arch, ByteSpan input, int copies) {
  std::array<const char *, 2> options = {arch.c_str(), input.size() % 2 ? "-r" : "-verbose"};
  nvJitLinkHandle handle = nullptr;
  fuzz::require(nvJitLinkCreate(&handle, options.size(), options.data()) == 0);
  int refused = 0;
  for (int i = 0; i < copies; ++i)
    refused |= nvJitLinkAddData(handle, 10, input.data(), input.size(), "input");
  const int completed = nvJitLinkComplete(handle);
  size_t errors = 0, size = 0;
  fuzz::require(nvJitLinkGetErrorLogSize(handle, &errors) == 0);
  fuzz::require((completed == 0 && refused == 0) == (errors == 0));
  std::string log(errors, ' ');
  fuzz::require(nvJitLinkGetErrorLog(handle, log.data()) == 0);
  fuzz::require((nvJitLinkGetLinkedCubinSize(handle, &size) == 0) == (completed == 0));
  std::vector<u8> cubin(size);
  if (completed == 0)
    fuzz::require(nvJitLinkGetLinkedCubin(handle, cubin.data()) == 0);
  fuzz::require(nvJitLinkDestroy(&handle) == 0 && !handle);
}

} // namespace

int fuzz::nvjitlink_fuzz(const u8 *data, size_t size) {
  const ByteSpan input(data, size);
  const FileKind kind = file_kind(input);
  if (kind != FileKind::DeviceObject && kind != FileKind::DeviceImage && kind != FileKind::Unknown)
    return 0;
  const std::string target = robustness::target_of(input);
  if (target.starts_with("sm_1"))
    return 0;
  const std::string arch = "-arch=" + (target.empty() ? "sm_90" : target);
  link_input(arch, input, 1);
  link_input(arch, input, 2);
  return 0;
}
