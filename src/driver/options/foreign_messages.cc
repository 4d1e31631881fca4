// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What goes wrong in a device link is often said by another program, and later: the host's linker,
// the loader, the CUDA runtime. culink is not there when they say it, but can be asked what it
// means (--explain).
#include "driver/options/foreign_messages.h"

#include <array>

namespace culink {

namespace {

constexpr auto kForeignMessages = std::to_array<ForeignMessage>({
    {"*undefined*__cudaRegisterLinkedBinary*", "the host's linker",
     "Each object that was compiled with -rdc=true calls a function which only the device link "
     "defines. There was no device link, its result is not among the objects of the host link, or "
     "it was made without this object.",
     "Let nvcc link the program; or `nvcc -dlink *.o -o dlink.o` and dlink.o among the objects of "
     "the host link. CMake: CUDA_SEPARABLE_COMPILATION for the program, or "
     "CUDA_RESOLVE_DEVICE_SYMBOLS for a library that others link without nvcc."},
    {"*undefined*__fatbinwrap*", "the host's linker",
     "The result of a device link refers to every object that it took, and one of them is not "
     "among the objects of the host link.",
     "Give the same objects and libraries to both links."},
    {"*multiple definition*__cudaRegisterLinkedBinary*", "the host's linker",
     "Two device links took the same object: often one for a library and one for the program, "
     "which also links the library's objects.",
     "Link device code once, in the program. CMake: CUDA_RESOLVE_DEVICE_SYMBOLS OFF for static "
     "libraries that programs with device code use."},
    {"*invalid device function*", "the CUDA runtime",
     "A kernel was launched that the program's image for this GPU does not have: it was compiled "
     "for another target, no device link took its object, or a device link of its own took it.",
     "`cubin list PROGRAM` shows the targets, `cubin usage PROGRAM` the kernels; `culink ... "
     "--why-live=KERNEL` tells why one is there or not."},
    {"*no kernel image is available*", "the CUDA runtime",
     "The program has no code for this GPU, and no PTX that the driver could compile for it.",
     "`cubin list PROGRAM` shows what it has. Compile and link for the GPU: nvcc -arch=sm_NN, or "
     "one -gencode for each, in both commands."},
    {"*undefined symbol: __nvJitLink*", "the loader",
     "A program was built for a newer libnvJitLink than the one that the loader finds first.",
     "Put the folder of the newer one first in LD_LIBRARY_PATH; `culink --make-jit-folder DIR` "
     "makes one with culink's."},
    {"*relocation truncated to fit*", "the host's linker",
     "Device code makes the program so large that host code cannot reach across it.",
     "`cubin size PROGRAM` shows what fills it, `cubin prune` leaves targets out; `culink "
     "-ghls=lcs-aug` writes a script for the host's linker that puts device code at the end."},
    {"*Skipping incompatible*", "nvlink",
     "nvlink leaves out a library that is for another kind of host.",
     "culink has no such test: what a library has for the target is linked. `cubin list LIBRARY` "
     "shows it."},
});

} // namespace

std::span<const ForeignMessage> foreign_messages() {
  return kForeignMessages;
}

} // namespace culink
