// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about the program that all inputs make together: symbols, limits of the device and
// relocations.
#include "model/meanings.h"

#include <array>

namespace culink {

namespace {

constexpr auto kProgramMeanings = std::to_array<MessageMeaning>({
    {DiagId::UndefinedReference,
     "Live device code refers to a function or variable that no input defines. Where an input has "
     "it for another target, has given it to an earlier device link, or was compiled without "
     "-rdc=true, the message says so.",
     "Add the object or library that defines it (-lcudadevrt for the device runtime); declare it "
     "as it is defined, with the same parameters, namespace and `extern \"C\"`; compile with "
     "-rdc=true and for the target of the link. `cubin list FILE` shows what a file has, "
     "--trace-symbol who refers to it."},
    {DiagId::MultipleDefinition,
     "Two inputs define the same symbol. Often one file was given twice, or an object beside the "
     "library that has it.",
     "Leave one out; make the function inline or static, or the variable `extern` in all files but "
     "one."},
    {DiagId::SizeMismatch,
     "A variable has different sizes in two files, so that one of them would reach behind it.",
     "Declare it in one header that both files include, and compile both again."},
    {DiagId::SpaceMismatch,
     "A variable is in different memories in two files, such as __constant__ and __device__; or "
     "`extern __shared__` has a size in one of them and none in the other.",
     "Declare it in one header that both files include, and compile both again."},
    {DiagId::ManagedMismatch, "A variable is __managed__ in one file, and __device__ in another.",
     "Declare it in one header that both files include, and compile both again."},
    {DiagId::PrototypeMismatch,
     "A function is called with other parameters than it is defined with, which only `extern "
     "\"C\"` and hand-written PTX can do.",
     "Declare it as it is defined."},
    {DiagId::NotAKernelEverywhere,
     "A function is __global__ in one file and __device__ in another.",
     "Declare it as it is defined, or give one of them another name."},
    {DiagId::CommonLargerThanDefinition,
     "A tentative definition (.common in PTX) is larger than the definition that counts, so that "
     "code would reach behind the variable.",
     "Give both the same size."},
    {DiagId::ParameterBankMismatch,
     "Two definitions of a kernel have parameters of different sizes.",
     "Two files have different versions of one template or inline kernel: compile them with the "
     "same headers and options."},
    {DiagId::TooMuchConstant,
     "All __constant__ variables of the program together are larger than the bank that holds them. "
     "The largest are named.",
     "Move large ones to __device__ memory, or remove those that nothing uses: -Map lists all."},
    {DiagId::TooMuchBankOfFunction,
     "The constant bank of one function, such as that of its parameters, is too large.",
     "Pass less by value: put large parameters into memory and pass a pointer."},
    {DiagId::TooManyCompilerConstants,
     "The numbers that the compiler has put aside for a kernel and all functions that it reaches "
     "do not fit into one bank. The functions that take most are named.",
     "Compile these with -Xptxas --disable-optimizer-constants, or let the kernel call fewer of "
     "them. `cubin usage` shows the sizes."},
    {DiagId::TooMuchShared,
     "The __shared__ variables of a kernel, and of the functions that it reaches, are larger than "
     "static shared memory may be. The largest are named.",
     "Make the large ones dynamic (`extern __shared__`, and its size at the launch), which may "
     "take more."},
    {DiagId::TooMuchDebugShared,
     "With --emulate: nvlink counts the shared variables of all kernels together if -g or "
     "--preserve-relocs is given, and they are too large.",
     "Link without --emulate, where the limit is that of each kernel."},
    {DiagId::TooManyImages,
     "A program uses more texture, sampler or surface references than a kernel can have. Each of "
     "the program counts, also where no code uses it.",
     "Use texture and surface objects, which need no references."},
    {DiagId::StackLimit,
     "A kernel was compiled for a stack of a certain size, but what it calls needs more.",
     "Raise the limit of the kernel, or reduce local arrays and the depth of its calls; "
     "-dump-callgraph shows these."},
    {DiagId::RegisterLimit,
     "A kernel was compiled for a number of registers (__launch_bounds__, -maxrregcount), but "
     "calls a function of another file that needs more. The calls that lead there are shown.",
     "Compile the function with -maxrregcount of that number, or raise the limit of the kernel."},
    {DiagId::DriverRegisters,
     "The program defines a function that is otherwise the driver's, such as malloc. Its callers "
     "in other files keep values in registers that the driver's function would leave alone.",
     "Give it another name, compile it together with its callers, or with -maxrregcount=32."},
    {DiagId::NoRegisterCount,
     "An object does not say how many registers a function needs; it would run with none.",
     "Compile it again: the file is damaged, or made by a tool that leaves out EIATTR_REGCOUNT."},
    {DiagId::NotAToolsPatch,
     "--link-as-tools-patch links functions that tools put into programs, and this one was not "
     "compiled to be such a function.",
     "Compile it with ptxas -astoolspatch, or drop the option."},
    {DiagId::UnknownStackSize,
     "Device functions call each other in a cycle, or may do so through pointers, so that nobody "
     "can tell how much stack the kernel needs. The cycle is shown.",
     "Set enough with cudaDeviceSetLimit(cudaLimitStackSize, ...), or turn the recursion into a "
     "loop. -suppress-stack-size-warning is silent."},
    {DiagId::MixedCtaGroups,
     "A kernel and what it calls use tensor memory both for one block and for pairs of blocks "
     "(.cta_group::1 and ::2), which the hardware does not allow.",
     "Use one of them in all functions that the kernel reaches."},
    {DiagId::KernelsOfOneName,
     "Two kernels of the output have one name, of which at least one is local to its file. The "
     "driver looks for kernels by name and could find the wrong one.",
     "Give one of them another name; nvcc does so by itself for `static` kernels."},
    {DiagId::DeletedSymbol,
     "Something that stays in the output refers to what is left out of it: an input contradicts "
     "itself, or, with --emulate, nvlink gives up in this case.",
     "Link without --emulate if it is given; else compile the input again."},
    {DiagId::DeletedConstants,
     "With --emulate and -r: nvlink gives up where a definition without compiler constants "
     "overrides one that has some.",
     "Link without --emulate."},
    {DiagId::DeletedParameter,
     "A texture, sampler or surface is a parameter of a kernel that is left out, and another "
     "kernel uses the same symbol for a parameter of its own.",
     "Keep that kernel, too (-kernels-used, -ignore-host-info), or give the parameters different "
     "names."},
    {DiagId::UnsupportedRelocation,
     "An object asks for a change in code or data of a kind that is not known, or in relation to "
     "something that the output does not have.",
     "Compile it again with a release of CUDA that culink knows (culink --version). Please report "
     "it with --repro=FILE.tar."},
    {DiagId::RelocationOutsideSection, "An object asks for a change behind the end of a section.",
     "Compile it again: the file is damaged. (ptxas writes such files for `.u32` arrays of "
     "addresses, which take eight bytes each.)"},
    {DiagId::RelocationOutOfRange,
     "An address or a size is larger than the place in the code or data that it is written to. "
     "nvlink cuts such values off.",
     "Use 64-bit types for addresses in tables; reduce the variable if it is an offset into memory "
     "of the device."},
    {DiagId::UnifiedWithoutIndex,
     "An object has unified functions or variables, whose places are in an index that is made for "
     "a whole system.",
     "No tool of CUDA 13 is known to make such an index; do without them."},
    {DiagId::EmptyIndex, "The file of -uidx is empty.", "Leave -uidx out."},
    {DiagId::NotAnIndex, "The file of -uidx is not an index; no tool is known to make one.",
     "Leave -uidx out."},
    {DiagId::PreserveRelocsIncomplete,
     "With --preserve-relocs outputs for this target list most resolved relocations, as those of "
     "nvlink do, but not all.",
     "Nothing has to be done, unless a tool relies on all of them."},
    {DiagId::TooLargeForField,
     "Something is larger than the field of the output that holds its size: the stack of a kernel, "
     "or a list of its records.",
     "Reduce it: local arrays for the stack, the number of functions that one kernel reaches for "
     "its records."},
});
static_assert(are_in_order(kProgramMeanings, DiagId::UndefinedReference));

} // namespace

std::span<const MessageMeaning> meanings_of_programs() {
  return kProgramMeanings;
}

} // namespace culink
