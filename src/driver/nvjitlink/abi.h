// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of nvJitLink and their numbers, as in its documentation. Programs that use them
// include NVIDIA's header; this one is for the library itself. Each function also exists under the
// names of releases (__nvJitLinkCreate_13_0 and so on), which the build adds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace culink::jit {

// The values that functions return.
enum class Code : int {
  Success = 0,
  UnrecognizedOption = 1,
  MissingArch = 2,
  InvalidInput = 3,
  PtxCompile = 4,
  NvvmCompile = 5,
  Internal = 6,
  UnrecognizedInput = 8,
  Finalize = 9,
  NullInput = 10,
  IncompatibleOptions = 11,
  IncorrectInputType = 12,
  UnrecognizedArch = 16,
  UnsupportedArch = 17,
  LtoNotEnabled = 18,
};

// The kind of an input, as the client declares it.
enum class InputKind : int {
  None = 0,
  Cubin = 1,
  Ptx = 2,
  LtoIr = 3,
  Fatbin = 4,
  Object = 5,
  Library = 6,
  Index = 7,
  Any = 10,
};

class Session;

// A release of nvJitLink.
struct Release {
  unsigned major;
  unsigned minor;
};

// Returns the newest release for which this library has all functions.
[[nodiscard]] Release release_of_library();

} // namespace culink::jit

#pragma GCC visibility push(default)
extern "C" {

using nvJitLinkHandle = culink::jit::Session *;

int nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options);
int nvJitLinkDestroy(nvJitLinkHandle *handle);
int nvJitLinkAddData(nvJitLinkHandle handle, int kind, const void *data, size_t size,
                     const char *name);
int nvJitLinkAddFile(nvJitLinkHandle handle, int kind, const char *path);
int nvJitLinkComplete(nvJitLinkHandle handle);
int nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size);
int nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin);
int nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size);
int nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx);
int nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle, size_t *size);
int nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *ltoir);
int nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size);
int nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log);
int nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size);
int nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log);
int nvJitLinkVersion(unsigned int *major, unsigned int *minor);

// Not a symbol of nvJitLink: it lets a search for NVIDIA's library skip this one.
extern const char culink_stand_in_for_nvJitLink[];
}
#pragma GCC visibility pop
