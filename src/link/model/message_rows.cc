// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all messages: id, severity, a name for machines, culink's wording, and for culink
// --explain and docs/message-list.md what it means and what to do about it. nvlink's wording is in
// driver/options/messages.cc.
#include "link/model/diagnostics.h"

#include <algorithm>
#include <array>

namespace culink {

namespace {

constexpr std::array<DiagRow, static_cast<size_t>(DiagId::Count_)> kRows = {{
    // Single inputs: files that cannot be read, code for other targets, objects of other releases,
    // remarks of compilers and finalizers.
    {DiagId::CannotOpenInput, Severity::Error, "cannot-open-input", "{0}: {1}",
     "An input does not exist, is a folder, or may not be read.",
     "Check its name. If a build makes it, let the link depend on it."},
    {DiagId::BadInput, Severity::Error, "bad-input", "{0}: {1}",
     "An input is damaged or contradicts itself; the message names section and field. nvlink may "
     "link such a file, into a program that does something else. Also said of the file of --replay "
     "and of the folder of the cache.",
     "Compile it again; `cubin verify FILE` lists all that is wrong with a cubin. If a compiler "
     "writes such files, please report it with --repro=FILE.tar."},
    {DiagId::BadHostObject, Severity::Error, "bad-host-object", "{0}: {1}",
     "A host object has device code that cannot be read.",
     "Compile it again. objcopy and strip may have cut the sections that hold the device code."},
    {DiagId::BadFatbin, Severity::Error, "bad-fatbin", "{0}: {1}",
     "A fatbin is damaged, or has a version that is not known.",
     "Make it again; `cubin list FILE` shows what can be read of it."},
    {DiagId::BadPayload, Severity::Error, "bad-payload", "{0}: {1}",
     "Packed code in a fatbin cannot be unpacked: it is damaged, packed in an unknown way, or "
     "would become far larger than any code does.",
     "Compile the file again."},
    {DiagId::BadArchive, Severity::Error, "bad-archive", "{0}: {1}",
     "An archive is damaged or cut.", "Make it again with ar."},
    {DiagId::CannotOpenMember, Severity::Error, "cannot-open-member", "{0}: {1}",
     "A thin archive holds only the names of its members, and one of them is not there or may not "
     "be read.",
     "Build the member again and leave it where it was, or make an archive that holds its members: "
     "ar without T."},
    {DiagId::NotAnObject, Severity::Error, "not-an-object", "{0}: {1}",
     "The member of a fatbin that fits the target is not a 64-bit ELF file.",
     "Compile the file again."},
    {DiagId::PtxRefused, Severity::Error, "ptx-refused", "{0}: {1}",
     "ptxas does not compile PTX among the inputs; its own words follow.",
     "Correct the PTX. If it is of a newer release than ptxas, name a newer toolkit with --cuda, "
     "or a newer ptxas with --ptxas."},
    {DiagId::PtxRemarks, Severity::Info, "ptx-remarks", "{0}: messages of the PTX compiler",
     "What ptxas says about PTX that it has compiled.",
     "Nothing has to be done; -disable-infos hides it."},
    {DiagId::WrongKind, Severity::Error, "wrong-kind", "{0}: is {1}, but its name ends in '.{2}'",
     "A file is not what its name promises, such as a host object x.cubin.",
     "Give the file that was meant, or give it another name: contents count where the name "
     "promises nothing."},
    {DiagId::NothingToLink, Severity::Warning, "nothing-to-link", "{0}: ignored, {1}",
     "An input has no code that could be linked: it is empty, something else than a device object, "
     "host object, archive or PTX, or already linked.",
     "Leave it out, or give the objects it was made of, compiled with nvcc -rdc=true."},
    {DiagId::NoCodeForTarget, Severity::Warning, "no-code-for-target",
     "{0}: ignored, no code for {1}; there is {2}",
     "An input has no code for the target of the link and is left out. What it has is in the "
     "message.",
     "Compile it for the target, too (nvcc -gencode), or link for a target that it has (-arch). "
     "-Werror makes this an error, -suppress-arch-warning is silent."},
    {DiagId::NoKernels, Severity::Warning, "no-kernels",
     "the output has no kernels: {0} is not linked, because {1}",
     "Nothing in the output can be launched, because the inputs that would have kernels were left "
     "out. The program would fail when it runs, with cudaErrorInvalidDeviceFunction or "
     "cudaErrorNoKernelImageForDevice.",
     "`cubin list` shows what each input has. Compile with -rdc=true and for the target of the "
     "link."},
    {DiagId::LinkedTwice, Severity::Warning, "linked-twice",
     "{0}: linked again, although {1} has the result of a device link that took it",
     "A device link has taken the code of an object before, and its result is among the inputs. A "
     "program that has both results has its kernels and variables twice: the host sets one copy of "
     "a variable, kernels of the other link read the other one.",
     "Leave the earlier result out and link all objects once, or say "
     "--register-link-binaries=FILE, as nvcc does: then code that an earlier link took is left "
     "alone."},
    {DiagId::NoHostCode, Severity::Info, "no-host-code", "{0}: has no host code",
     "A device object or fatbin is linked for a host program that registers its modules, but has "
     "no host code that would do so. Said as nvlink 13.3 and later do, under --emulate.",
     "Nothing has to be done if the program finds its kernels by name."},
    {DiagId::LtoCode, Severity::Error, "lto-code",
     "{0}: has only code for link-time optimisation, which -dlto compiles",
     "An input has only the intermediate code of nvcc -dlto, which has to be compiled when it is "
     "linked.",
     "Give -dlto to the link, too, or compile the input without -dlto."},
    {DiagId::LibraryNotFound, Severity::Warning, "library-not-found", "library '{0}' not found",
     "A library of -l is in none of the folders of -L. The link goes on, as with nvlink, because a "
     "library for the host alone is no loss.",
     "If it has device code, name its folder with -L. --fatal-missing-library makes this an "
     "error."},
    {DiagId::LibraryMissing, Severity::Error, "library-missing", "library '{0}' not found",
     "A library of -l is in none of the folders of -L, and --fatal-missing-library is given.",
     "Name its folder with -L."},
    {DiagId::ObjectAfterRuntime, Severity::Error, "object-after-runtime",
     "{0}: follows the device runtime library {1}, which was not needed before it",
     "With --emulate: nvlink links libcudadevrt only if something before it needs it, and stops at "
     "an object that comes behind it.",
     "Put -lcudadevrt last, or link without --emulate, where the order does not matter."},
    {DiagId::NotRelocatable, Severity::Error, "not-relocatable",
     "{0}: not a relocatable device object: e_type is {1}",
     "A cubin is already linked, or was compiled as a whole program: there is nothing left in it "
     "that could be linked with other files.",
     "Compile it with nvcc -rdc=true -cubin, or ptxas -c."},
    {DiagId::OnlyLinkedCode, Severity::Error, "only-linked-code",
     "nothing to link: {0} is left out, because {1}",
     "All inputs are source text, already linked, or compiled without -rdc=true, so that the "
     "output would be empty.",
     "Give the objects they were made of; compile with nvcc -rdc=true or -dc. To look at linked "
     "code, use cubin."},
    {DiagId::PartialProgram, Severity::Warning, "partial-program",
     "{0}: not compiled with -ewp, but linked with {1}, which claims to be the whole program",
     "One input was compiled as the whole program (nvcc -ewp), but there are others beside it.",
     "Compile all of them with -rdc=true and none with -ewp."},
    {DiagId::WrongArchitecture, Severity::Error, "wrong-architecture",
     "{0}: built for {1}, not for {2}",
     "An object was compiled for another target, whose machine code does not run on that of the "
     "link.",
     "Compile it for the target, or link with the -arch that the hint names."},
    {DiagId::AcceleratedObject, Severity::Error, "accelerated-object",
     "{0}: built for one chip (sm_{1}a), not for {2}",
     "An object was compiled for exactly one chip (sm_90a and the like), but the link is for a "
     "target that other chips run, too. nvlink 13.1 and later refuse this.",
     "Link with the -arch that the hint names, or compile for the plain target."},
    {DiagId::NoAddressSize, Severity::Warning, "no-address-size",
     "{0}: e_flags do not say that addresses have 64 bits",
     "The header of an object does not say that addresses have 64 bits, as CUDA 12's do.",
     "Compile it again if it was made or changed by a tool of your own."},
    {DiagId::WrongAbi, Severity::Error, "wrong-abi",
     "{0}: has version {1} of the device ABI, which this linker does not know",
     "The header of an object names a version of the device ABI that is not known: the file is "
     "damaged, or of a later CUDA.",
     "Compile it again with CUDA 11.8 to 13.5, or get a newer culink."},
    {DiagId::TwoKindsOfCode, Severity::Error, "two-kinds-of-code",
     "{0}: e_flags claim both machine code and a Mercury capsule",
     "The header of an object says that it has machine code alone, and that it has Mercury code.",
     "Compile it again; the file is damaged."},
    {DiagId::NewerToolkit, Severity::Warning, "newer-toolkit",
     "{0}: made by CUDA {1}, newer than CUDA {2} which this linker knows",
     "An object was made by a release of CUDA that came after this culink. What is new in it is "
     "kept as it is, but nobody has compared such links.",
     "Get a newer culink, or try the program; --check compares the output with the inputs as far "
     "as they are known, -Werror refuses such links."},
    {DiagId::OlderDialect, Severity::Warning, "older-dialect",
     "{0}: made by CUDA {1}, newer than CUDA {2} which --dialect asks for",
     "--dialect asks for the conventions of a release that is older than an input.",
     "Drop --dialect, or name the release of the newest input; what the input needs stays in the "
     "output either way."},
    {DiagId::TooNewToolkit, Severity::Error, "too-new-toolkit",
     "{0}: made by CUDA {1}, newer than CUDA {2}",
     "With --emulate: this nvlink refuses objects of later releases than its own.",
     "Emulate a newer nvlink, or link without --emulate."},
    {DiagId::ForeignWholeProgram, Severity::Error, "foreign-whole-program",
     "{0}: compiled with -ewp by CUDA {1}, which only nvlink {1} links",
     "With --emulate: an object that an older nvcc -ewp compiled, which this nvlink does not link.",
     "Compile it again, or link without --emulate."},
    {DiagId::OldObject, Severity::Error, "old-object",
     "{0}: must be recompiled with CUDA 12.0 or newer: {1}",
     "An object was made by a release of CUDA that knew the target not at all or not in this form, "
     "or its header does not say by which.",
     "Compile it with CUDA 12.0 or newer."},
    {DiagId::SectionLeftOut, Severity::Warning, "section-left-out",
     "{0}: section '{1}' of type {2} is not carried into the output",
     "An object has records about a whole module that no known compiler writes. They are not part "
     "of the output.",
     "Nothing has to be done if nobody reads them there; else link them in another way."},
    {DiagId::UnknownAttribute, Severity::Warning, "unknown-attribute",
     "{0}: attributes of .nv.info that this linker does not know: {1}",
     "An object has attributes in .nv.info that are not known. They are copied as they are; a "
     "number of a symbol in one would be that of another symbol afterwards.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::UnknownCompat, Severity::Warning, "unknown-compat",
     "{0}: attributes of .nv.compat that this linker does not know: {1}",
     "An object has attributes in .nv.compat that are not known. Where inputs differ, the value of "
     "the first one stays.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::NewerNote, Severity::Warning, "newer-note", "{0}: newer than this linker: {1}",
     "An object has a newer version of .note.nv.cuinfo or .note.nv.tkinfo than is known. Known "
     "fields are read, the others copied.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::UnknownSection, Severity::Warning, "unknown-section",
     "{0}: sections of types that this linker does not know: {1}",
     "An object has sections of types that are not known. They are copied as they are.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::UnknownMercury, Severity::Warning, "unknown-mercury",
     "{0}: Mercury code with {1}, so that the output has machine code only and runs on {2} only",
     "An object for sm_100 or later has Mercury code with something that is not known. The output "
     "gets machine code alone, which is correct, but runs on one target only.",
     "Get a newer culink if the output has to run on later chips."},
    {DiagId::MixedVirtualTargets, Severity::Warning, "mixed-virtual-targets",
     "inputs were compiled from PTX of compute_{0} and of compute_{1}",
     "Inputs were compiled from PTX of different virtual targets (-extrawarn asks for this). The "
     "output is marked with the lowest, which code that asks for its version at run time may see.",
     "Compile all files with the same -gencode arch=compute_NN."},
    {DiagId::LimitedToOneTarget, Severity::Warning, "limited-to-one-target",
     "the output will run on sm_{0} only: {1} has no Mercury code",
     "An input has machine code alone, without the Mercury code that lets an output for sm_100 and "
     "later run on other chips of its family.",
     "Compile that input so that it has Mercury code, which is ptxas' default, if the output has "
     "to run elsewhere, too."},
    {DiagId::MissingIsaClass, Severity::Warning, "missing-isa-class",
     "{1}: its .nv.compat has no ISA_CLASS, so that the output is for sm_{0} only",
     "An object does not say in .nv.compat on which chips its code runs, so that only the target "
     "itself is sure.",
     "Compile it again if it was made or changed by a tool of your own."},
    {DiagId::NoMercuryCode, Severity::Error, "no-mercury-code",
     "{0}: has no Mercury code, so that the output cannot have any",
     "--code=mercury or exact asks for Mercury code, but an input has machine code alone.",
     "Compile that input again, or link with --code=sass."},
    {DiagId::NoFinalizer, Severity::Info, "no-finalizer",
     "no finalizer found: the output has machine code only and runs on {0} only",
     "No libnvJitLink or nvlink was found to schedule code for sm_100 and later again. The output "
     "has the machine code of ptxas, which is correct, but runs on one target only.",
     "Name a toolkit with --cuda or CUDA_HOME if the output has to run on later chips; --code=sass "
     "says that it is meant so."},
    {DiagId::FinalizerMissing, Severity::Error, "finalizer-missing",
     "--code=exact needs a finalizer, but none was found",
     "--code=exact needs libnvJitLink or nvlink of a CUDA toolkit, and neither was found.",
     "Name the toolkit with --cuda or CUDA_HOME, or the file with --finalizer, or link with "
     "--code=sass."},
    {DiagId::FinalizerFailed, Severity::Error, "finalizer-failed", "{0}: cannot be finalized: {1}",
     "The engine that schedules code for sm_100 and later again does not take a kernel; its own "
     "words follow.",
     "--code=mercury and --code=sass link without it. Please report it with --repro=FILE.tar if "
     "nvlink links the same files."},
    {DiagId::NotScheduled, Severity::Warning, "not-scheduled",
     "{0}: cannot be finalized, so that all code stays as it was compiled: {1}",
     "The engine that schedules code for sm_100 and later again does not take a kernel; its own "
     "words follow. The output has the code of ptxas in both forms, as with --code=mercury. It is "
     "correct, but not nvlink's byte for byte.",
     "--code=mercury says that it is meant so. Please report it with --repro=FILE.tar if nvlink "
     "links the same files."},
    {DiagId::NotFinalized, Severity::Error, "not-finalized",
     "{0}: the finalizer has not given back the code of '{1s}'",
     "The engine that schedules code again has lost a function.",
     "--code=sass links without it. Please report it with --repro=FILE.tar."},
    {DiagId::ForeignEngine, Severity::Error, "foreign-engine",
     "the finalizer is of CUDA {0}, but --emulate asks for the code of {1}",
     "--emulate asks for the bytes of one release, but the engine that schedules code for sm_100 "
     "and later is of another one and would make others.",
     "Name the toolkit of that release with --cuda."},
    {DiagId::OtherEngine, Severity::Warning, "other-engine",
     "the finalizer is of CUDA {0}, so that the code is not that of nvlink {1}, whose conventions "
     "the output follows",
     "The engine that schedules code for sm_100 and later is of another release than the one whose "
     "conventions the output follows. The program is the same, its bytes may not be.",
     "Name the toolkit of that release with --cuda if the bytes matter."},
    // The program that all inputs make together: symbols, limits of the device, relocations.
    {DiagId::UndefinedReference, Severity::Error, "undefined-reference", "undefined symbol: {0s}",
     "Live device code refers to a function or variable that no input defines. Where an input has "
     "it for another target, has given it to an earlier device link, or was compiled without "
     "-rdc=true, the message says so.",
     "Add the object or library that defines it (-lcudadevrt for the device runtime); declare it "
     "as it is defined, with the same parameters, namespace and `extern \"C\"`; compile with "
     "-rdc=true and for the target of the link. `cubin list FILE` shows what a file has, "
     "--trace-symbol who refers to it."},
    {DiagId::MultipleDefinition, Severity::Error, "multiple-definition", "duplicate symbol: {0s}",
     "Two inputs define the same symbol. Often one file was given twice, or an object beside the "
     "library that has it.",
     "Leave one out; make the function inline or static, or the variable `extern` in all files but "
     "one."},
    {DiagId::SizeMismatch, Severity::Error, "size-mismatch",
     "size of '{0s}' differs: {1} and {2} bytes",
     "A variable has different sizes in two files, so that one of them would reach behind it.",
     "Declare it in one header that both files include, and compile both again."},
    {DiagId::SpaceMismatch, Severity::Error, "space-mismatch",
     "memory space of '{0s}' differs: {1} and {2}",
     "A variable is in different memories in two files, such as __constant__ and __device__; or "
     "`extern __shared__` has a size in one of them and none in the other.",
     "Declare it in one header that both files include, and compile both again."},
    {DiagId::ManagedMismatch, Severity::Error, "managed-mismatch",
     "'{0s}' is __managed__ in one file and not in another",
     "A variable is __managed__ in one file, and __device__ in another.",
     "Declare it in one header that both files include, and compile both again."},
    {DiagId::PrototypeMismatch, Severity::Error, "prototype-mismatch",
     "prototype of '{0s}' differs: {1} and {2}",
     "A function is called with other parameters than it is defined with, which only `extern "
     "\"C\"` and hand-written PTX can do.",
     "Declare it as it is defined."},
    {DiagId::NotAKernelEverywhere, Severity::Error, "not-a-kernel-everywhere",
     "'{0s}' is a __global__ function in one file and not in another",
     "A function is __global__ in one file and __device__ in another.",
     "Declare it as it is defined, or give one of them another name."},
    {DiagId::CommonLargerThanDefinition, Severity::Error, "common-too-large",
     "common symbol '{0s}' has {1} bytes, its definition only {2}",
     "A tentative definition (.common in PTX) is larger than the definition that counts, so that "
     "code would reach behind the variable.",
     "Give both the same size."},
    {DiagId::ParameterBankMismatch, Severity::Error, "parameter-bank-mismatch",
     "parameters of kernel '{0s}' differ: {1} and {2} bytes",
     "Two definitions of a kernel have parameters of different sizes.",
     "Two files have different versions of one template or inline kernel: compile them with the "
     "same headers and options."},
    {DiagId::TooMuchConstant, Severity::Error, "too-much-constant",
     "too much __constant__ data: {0} bytes in bank {1}, the limit is {2}",
     "All __constant__ variables of the program together are larger than the bank that holds them. "
     "The largest are named.",
     "Move large ones to __device__ memory, or remove those that nothing uses: -Map lists all."},
    {DiagId::TooMuchBankOfFunction, Severity::Error, "too-much-bank-of-function",
     "too much constant data of '{0s}': {1} bytes in bank {2}, the limit is {3}",
     "The constant bank of one function, such as that of its parameters, is too large.",
     "Pass less by value: put large parameters into memory and pass a pointer."},
    {DiagId::TooManyCompilerConstants, Severity::Error, "too-many-compiler-constants",
     "too many compiler-generated constants in '{0s}' and what it calls: {1} bytes in bank {2}, "
     "the limit is {3}",
     "The numbers that the compiler has put aside for a kernel and all functions that it reaches "
     "do not fit into one bank. The functions that take most are named.",
     "Compile these with -Xptxas --disable-optimizer-constants, or let the kernel call fewer of "
     "them. `cubin usage` shows the sizes."},
    {DiagId::TooMuchShared, Severity::Error, "too-much-shared",
     "kernel '{0s}' uses too much shared memory: {1} bytes, the limit is {2}",
     "The __shared__ variables of a kernel, and of the functions that it reaches, are larger than "
     "static shared memory may be. The largest are named.",
     "Make the large ones dynamic (`extern __shared__`, and its size at the launch), which may "
     "take more."},
    {DiagId::TooMuchDebugShared, Severity::Error, "too-much-debug-shared",
     "variables in '.nv_debug.shared' take too much shared memory: {0} bytes, the limit is {1}",
     "With --emulate: nvlink counts the shared variables of all kernels together if -g or "
     "--preserve-relocs is given, and they are too large.",
     "Link without --emulate, where the limit is that of each kernel."},
    {DiagId::TooManyImages, Severity::Error, "too-many-images",
     "kernel '{0s}' has too many {1}: {2}, the limit is {3}",
     "A program uses more texture, sampler or surface references than a kernel can have. Each of "
     "the program counts, also where no code uses it.",
     "Use texture and surface objects, which need no references."},
    {DiagId::StackLimit, Severity::Error, "stack-limit",
     "kernel '{0s}' needs {1} bytes of stack but may use {2}",
     "A kernel was compiled for a stack of a certain size, but what it calls needs more.",
     "Raise the limit of the kernel, or reduce local arrays and the depth of its calls; "
     "-dump-callgraph shows these."},
    {DiagId::RegisterLimit, Severity::Error, "register-limit",
     "kernel '{0s}' may use {1} registers but calls '{2s}', which needs {3}",
     "A kernel was compiled for a number of registers (__launch_bounds__, -maxrregcount), but "
     "calls a function of another file that needs more. The calls that lead there are shown.",
     "Compile the function with -maxrregcount of that number, or raise the limit of the kernel."},
    {DiagId::DriverRegisters, Severity::Error, "driver-registers",
     "'{0s}' changes registers that its callers rely on: it needs {1}, the driver's function at "
     "most {2}",
     "The program defines a function that is otherwise the driver's, such as malloc. Its callers "
     "in other files keep values in registers that the driver's function would leave alone.",
     "Give it another name, compile it together with its callers, or with -maxrregcount=32."},
    {DiagId::NoRegisterCount, Severity::Error, "no-register-count",
     "no register count for function '{0s}'",
     "An object does not say how many registers a function needs; it would run with none.",
     "Compile it again: the file is damaged, or made by a tool that leaves out EIATTR_REGCOUNT."},
    {DiagId::NotAToolsPatch, Severity::Error, "not-a-tools-patch",
     "'{0s}' was not compiled for --link-as-tools-patch: it lacks TOOLS_PATCH_FUNC",
     "--link-as-tools-patch links functions that tools put into programs, and this one was not "
     "compiled to be such a function.",
     "Compile it with ptxas -astoolspatch, or drop the option."},
    {DiagId::UnknownStackSize, Severity::Warning, "unknown-stack-size",
     "stack size of kernel '{0s}' cannot be determined: its calls are recursive",
     "Device functions call each other in a cycle, or may do so through pointers, so that nobody "
     "can tell how much stack the kernel needs. The cycle is shown.",
     "Set enough with cudaDeviceSetLimit(cudaLimitStackSize, ...), or turn the recursion into a "
     "loop. -suppress-stack-size-warning is silent."},
    {DiagId::MixedCtaGroups, Severity::Error, "mixed-cta-groups",
     "kernel '{0s}' uses .cta_group::1 and .cta_group::2 at once, which is not allowed",
     "A kernel and what it calls use tensor memory both for one block and for pairs of blocks "
     "(.cta_group::1 and ::2), which the hardware does not allow.",
     "Use one of them in all functions that the kernel reaches."},
    {DiagId::KernelsOfOneName, Severity::Error, "kernels-of-one-name",
     "several kernels are called '{0s}'",
     "Two kernels of the output have one name, of which at least one is local to its file. The "
     "driver looks for kernels by name and could find the wrong one.",
     "Give one of them another name; nvcc does so by itself for `static` kernels."},
    {DiagId::DeletedSymbol, Severity::Error, "deleted-symbol",
     "relocation against '{0s}', which is not part of the output",
     "Something that stays in the output refers to what is left out of it: an input contradicts "
     "itself, or, with --emulate, nvlink gives up in this case.",
     "Link without --emulate if it is given; else compile the input again."},
    {DiagId::DeletedConstants, Severity::Error, "deleted-constants",
     "'{0s}' has compiler constants, but the definition that overrides it has none",
     "With --emulate and -r: nvlink gives up where a definition without compiler constants "
     "overrides one that has some.",
     "Link without --emulate."},
    {DiagId::DeletedParameter, Severity::Error, "deleted-parameter",
     "'{0s}' is a parameter of a kernel that is discarded",
     "A texture, sampler or surface is a parameter of a kernel that is left out, and another "
     "kernel uses the same symbol for a parameter of its own.",
     "Keep that kernel, too (-kernels-used, -ignore-host-info), or give the parameters different "
     "names."},
    {DiagId::DeletedCommon, Severity::Error, "deleted-common",
     "weak definition of '{0s}' follows a common symbol",
     "With --emulate: nvlink gives up where a weak definition of a variable is read after a common "
     "symbol.",
     "Link without --emulate, or give the file with the weak definition first."},
    {DiagId::UnsupportedRelocation, Severity::Error, "unsupported-relocation",
     "{0}: relocation {1} at {2} against '{3s}' cannot be applied",
     "An object asks for a change in code or data of a kind that is not known, or in relation to "
     "something that the output does not have.",
     "Compile it again with a release of CUDA that culink knows (culink --version). Please report "
     "it with --repro=FILE.tar."},
    {DiagId::RelocationOutsideSection, Severity::Error, "relocation-outside-section",
     "{0}: relocation {1} at {2} is outside the section",
     "An object asks for a change behind the end of a section.",
     "Compile it again: the file is damaged. (ptxas writes such files for `.u32` arrays of "
     "addresses, which take eight bytes each.)"},
    {DiagId::RelocationOutOfRange, Severity::Error, "relocation-out-of-range",
     "{0}: relocation {1} at {2} against '{3s}': {4} does not fit, the field takes {5}",
     "An address or a size is larger than the place in the code or data that it is written to. "
     "nvlink cuts such values off.",
     "Use 64-bit types for addresses in tables; reduce the variable if it is an offset into memory "
     "of the device."},
    {DiagId::UnifiedWithoutIndex, Severity::Error, "unified-without-index",
     "unified functions or variables need an index file: {0}",
     "An object has unified functions or variables, whose places are in an index that is made for "
     "a whole system.",
     "No tool of CUDA 13 is known to make such an index; do without them."},
    {DiagId::EmptyIndex, Severity::Error, "empty-index",
     "{0}: empty, not an index of unified functions and variables", "The file of -uidx is empty.",
     "Leave -uidx out."},
    {DiagId::NotAnIndex, Severity::Error, "not-an-index",
     "{0}: not an index of unified functions and variables",
     "The file of -uidx is not an index; no tool is known to make one.", "Leave -uidx out."},
    {DiagId::PreserveRelocsIncomplete, Severity::Warning, "preserve-relocs-incomplete",
     "--preserve-relocs does not keep every relocation for {0}",
     "With --preserve-relocs outputs for this target list most resolved relocations, as those of "
     "nvlink do, but not all.",
     "Nothing has to be done, unless a tool relies on all of them."},
    {DiagId::TooLargeForField, Severity::Error, "too-large-for-field",
     "{0} is too large: {1}, the largest value that can be stored is {2}",
     "Something is larger than the field of the output that holds its size: the stack of a kernel, "
     "or a list of its records.",
     "Reduce it: local arrays for the stack, the number of functions that one kernel reaches for "
     "its records."},
    // The command line, link-time optimisation, files that are written, the linker itself.
    {DiagId::UnknownTarget, Severity::Error, "unknown-target", "unknown target '{0}'",
     "-arch names no target that is known.",
     "The hint lists the targets; a newer culink may know more."},
    {DiagId::UnknownEmulation, Severity::Error, "unknown-emulation", "cannot emulate '{0}'",
     "--emulate names no linker whose bytes culink can write.",
     "The hint lists those that there are."},
    {DiagId::UnknownDialect, Severity::Error, "unknown-dialect",
     "unknown release '{0}' for option '--dialect'",
     "--dialect names no release of CUDA that is known.", "The hint lists those that there are."},
    {DiagId::NoInput, Severity::Error, "no-input", "no input files",
     "With --emulate: nvlink refuses a link without inputs.",
     "Name inputs, or link without --emulate, where this is a warning."},
    {DiagId::EmptyLink, Severity::Warning, "empty-link", "no input files; the output is empty",
     "The link has no inputs. An empty cubin is written, for builds in which that happens.",
     "Name inputs if there should be some: a list of a build system may be empty."},
    {DiagId::UnknownOption, Severity::Error, "unknown-option", "unknown option '-{0}'",
     "There is no such option.",
     "The hint has what may have been meant; `culink --help` lists all options. Options of nvcc "
     "are not those of a linker."},
    {DiagId::NoCommand, Severity::Error, "no-command",
     "'{0}' is no file, and culink has no commands",
     "The first word looks like a command, but culink has only options.",
     "The hint has the command that was meant."},
    {DiagId::NoSuchSymbol, Severity::Error, "no-such-symbol", "{0}: no input has a symbol '{1}'",
     "A name that --why-live or --trace-symbol asks for is that of no symbol of the inputs.",
     "The hint lists names that are alike; `*` stands for any text, and names may be those of the "
     "source or of the object."},
    {DiagId::NoSuchKernel, Severity::Warning, "no-such-kernel", "{0}: no kernel is called '{1}'",
     "-kernels-used names a kernel that no input has. The output has the others that it names, or "
     "none.",
     "The hint lists names that are alike; `cubin usage FILE` shows those of a file. -Werror makes "
     "this an error."},
    {DiagId::ArgumentExpected, Severity::Error, "argument-expected", "option '{0}' needs a value",
     "The last word is an option whose value is missing.",
     "Give the value, as the next word or after '='."},
    {DiagId::NoArgumentExpected, Severity::Error, "no-argument-expected",
     "option '{0}' takes no value", "An option that takes no value was given one.",
     "Leave it out."},
    {DiagId::NotANumber, Severity::Error, "not-a-number", "'{0}' is not a number",
     "The value of an option has to be a number.", "Give a number."},
    {DiagId::NumberOutOfRange, Severity::Error, "number-out-of-range",
     "{0} does not fit into 32 bits", "The value of an option is too large a number.",
     "Give a smaller number."},
    {DiagId::NotABoolean, Severity::Error, "not-a-boolean", "'{0}' is neither true nor false",
     "The value of an option has to be true or false.", "Give one of these words."},
    {DiagId::BadOptionValue, Severity::Error, "bad-option-value",
     "invalid value '{0}' for option '{1}'", "An option does not take this value.",
     "The hint lists values that it takes, those first that are alike."},
    {DiagId::StrayQuote, Severity::Error, "stray-quote", "unterminated quote in '{0}'",
     "A word of an option file, or a list, has a quote without its second.",
     "Add it, or write a backslash before one that is meant as a character."},
    {DiagId::OptionRedefined, Severity::Warning, "option-redefined",
     "option '{0}' is given twice with different values; the last one is used",
     "An option was given twice with different values.",
     "Leave one out; build systems often add one of their own."},
    {DiagId::TooManyOptionFiles, Severity::Error, "too-many-option-files",
     "too many option files, or nested too deeply: '{0}'",
     "Option files name each other in a circle, or there are more of them than any link needs.",
     "Look for a file that names itself."},
    {DiagId::CannotOpenOptionFile, Severity::Error, "cannot-open-option-file",
     "option file '{0}': {1}",
     "A file of -optf or @file does not exist, may not be read or is not a text.",
     "Check its name; relative names start from the current folder."},
    {DiagId::ConflictingOptions, Severity::Error, "conflicting-options",
     "options '{0}' and '{1}' cannot be used together", "Two options ask for opposite things.",
     "Leave one out."},
    {DiagId::OptionNeedsOption, Severity::Error, "option-needs-option",
     "option '{0}' requires '{1}'", "An option has a meaning only together with another one.",
     "Give both, or none."},
    {DiagId::MissingTarget, Severity::Error, "missing-target",
     "missing option '-arch': the target, for example -arch=sm_90",
     "A link has to know its target.",
     "Add -arch=sm_NN: that of the GPU, or the one that the objects were compiled for (`cubin list "
     "FILE`)."},
    {DiagId::MissingOutput, Severity::Error, "missing-output",
     "missing option '-o': the output file", "A link has to know where its output goes.",
     "Add -o FILE; -o - is standard output."},
    {DiagId::NvvmPathMissing, Severity::Error, "nvvm-path-missing",
     "option '-dlto' requires '-nvvmpath'", "With --emulate: nvlink's -dlto needs -nvvmpath.",
     "Add -nvvmpath=TOOLKIT/nvvm, or link without --emulate."},
    {DiagId::NvvmNotThere, Severity::Error, "nvvm-not-there", "{0}: lib64/libnvvm.so not found",
     "With --emulate: nvlink's -dlto needs libnvvm in that folder.",
     "Name the folder nvvm of a CUDA toolkit, or link without --emulate."},
    {DiagId::LtoIgnored, Severity::Warning, "lto-ignored",
     "option '{0}' is ignored: no input has code for link-time optimisation",
     "-dlto was given, but no input has code for link-time optimisation.",
     "Compile with nvcc -dlto, too (or -gencode code=lto_NN), or drop -dlto."},
    {DiagId::SplitIgnored, Severity::Info, "split-ignored",
     "options '{0}' and '{1}' exclude each other; '{2}' is used",
     "Two options for dividing the compilation exclude each other.", "Leave one out."},
    {DiagId::NotOptimised, Severity::Info, "not-optimised",
     "{0}: has no code for link-time optimisation and is {1}",
     "An input of a link with -dlto has machine code or PTX alone. It is linked, but not optimised "
     "together with the others.",
     "Compile it with nvcc -dlto, too, if its speed matters."},
    {DiagId::MixedModuleOptions, Severity::Error, "mixed-module-options",
     "{2}: compiled with another value of '{0}' than {1}, so they cannot be optimised together",
     "Two inputs were compiled for link-time optimisation with options that exclude each other.",
     "Compile all files with the same options."},
    {DiagId::OptionForAll, Severity::Info, "option-for-all",
     "some inputs were compiled with '{0}'; all of them are now compiled with '{1}'",
     "Inputs of a link with -dlto were compiled with different options, of which one has to be "
     "taken for all.",
     "Compile all files with the same options if that matters."},
    {DiagId::NoLtoCompiler, Severity::Error, "no-lto-compiler",
     "{0}: has code for link-time optimisation, but no libnvJitLink was found to compile it",
     "Code for link-time optimisation is compiled by libnvJitLink, and none was found.",
     "Install it with the CUDA toolkit or `pip install nvidia-nvjitlink`, and name the folder with "
     "--cuda or CUDA_HOME."},
    {DiagId::LtoFailed, Severity::Error, "lto-failed", "{0}: {1} cannot compile it",
     "libnvJitLink does not compile the code for link-time optimisation; its own words follow.",
     "It has to be as new as the nvcc that made the code: name another toolkit with --cuda."},
    {DiagId::LtoRemarks, Severity::Info, "lto-remarks", "{0}: messages of the compiler",
     "What the optimiser says about the code.", "Nothing has to be done; -disable-infos hides it."},
    {DiagId::NothingToEmit, Severity::Error, "nothing-to-emit",
     "no PTX to write: no input has code for link-time optimisation",
     "-emit-ptx writes the optimised program as PTX, but no input has code to be optimised.",
     "Compile with nvcc -dlto."},
    {DiagId::RuntimeExpected, Severity::Error, "runtime-expected",
     "nvlink wants the device runtime library behind objects that it optimises (-lcudadevrt)",
     "With --emulate: nvlink -dlto demands libcudadevrt behind the objects that it optimises.",
     "Add -lcudadevrt at the end, or link without --emulate."},
    {DiagId::InputsWithScript, Severity::Error, "inputs-with-script",
     "'{0}': option '-ghls' takes no input files",
     "-ghls writes a script for the host's linker and links nothing.", "Leave the inputs out."},
    {DiagId::NoHostScript, Severity::Error, "no-host-script", "no host linker script for {0}: {1}",
     "The script for the host's linker cannot be made.",
     "-ghls=lcs-abs asks the installed ld for its own; -ghls=lcs-aug needs none."},
    {DiagId::VirtualLtoTarget, Severity::Error, "virtual-lto-target",
     "code cannot be linked for '{0}'", "-arch=lto_NN names a kind of code, not a chip.",
     "Link with -arch=sm_NN -dlto."},
    {DiagId::HostInfoIgnored, Severity::Info, "host-info-ignored",
     "-use-host-info has no effect beside -kernels-used or -variables-used",
     "-kernels-used and -variables-used say what stays; what host code refers to does not count "
     "then.",
     "Leave -use-host-info out."},
    {DiagId::NoEffect, Severity::Info, "no-effect", "option '{0}' has no effect: {1}",
     "An option does nothing in this link.", "Leave it out."},
    {DiagId::CompiledFromPtx, Severity::Info, "compiled-from-ptx", "{0}: compiled from PTX",
     "-v: the input had PTX and no code for the target.", "Nothing has to be done."},
    {DiagId::ResourceUsage, Severity::Info, "resource-usage", "{0}",
     "-v with --error-format=json: the memory of the program, or what a kernel of it needs.",
     "Nothing has to be done."},
    {DiagId::CallGraphLine, Severity::Info, "call-graph", "{0}",
     "-dump-callgraph with --error-format=json: a line of the call graph.",
     "Nothing has to be done."},
    {DiagId::OverMemoryLimit, Severity::Error, "over-memory-limit",
     "{0}: {1}, which is more than --memory-limit allows ({2})",
     "The link needs more memory than --memory-limit allows.",
     "Raise the limit. If the input named is small, it may be hostile: look at it with `cubin list "
     "--quick`."},
    {DiagId::OutOfMemory, Severity::Error, "out-of-memory",
     "out of memory in step '{0}'; the largest input is {1}",
     "The system gives the link no more memory.",
     "Make fewer links at the same time, or link on a machine with more."},
    {DiagId::OutputsCollide, Severity::Error, "outputs-collide",
     "'{0}' and '{1}' would write to one file",
     "Two options would write to one file, and one output would be lost.",
     "Give them different names; %a in the name of a map or report stands for the target."},
    {DiagId::OutputOverFile, Severity::Error, "output-over-file", "'{0}' would overwrite '{1}'",
     "An option would write to a file that the link reads.", "Give the output another name."},
    {DiagId::OutputOverInput, Severity::Error, "output-over-input",
     "'{0}' would overwrite the input '{1}'",
     "An option would write to an input, under whatever name.", "Give the output another name."},
    {DiagId::CannotWriteOutput, Severity::Error, "cannot-write-output", "{0}: {1}",
     "An output cannot be written: the folder is not there, may not be written to, or the disk is "
     "full. All outputs are as before.",
     "Make the folder, or room on the disk."},
    {DiagId::CannotWriteTimes, Severity::Error, "cannot-write-times", "{0}: cannot write",
     "The table of -time cannot be written.", "Make its folder, or name another file."},
    {DiagId::NoToolchain, Severity::Error, "no-toolchain",
     "cannot make the toolchain folder '{0}': {1}",
     "The folder of --make-toolchain cannot be made.",
     "Name a folder that is new, empty or was made so before, and the toolkit with --cuda."},
    {DiagId::NoJitFolder, Severity::Error, "no-jit-folder",
     "cannot make {0} a folder with libnvJitLink: {1}",
     "The folder of --make-jit-folder cannot be made.",
     "Name a folder that is new, empty or was made so before; culink's libraries have to be "
     "installed beside it."},
    {DiagId::CacheTrouble, Severity::Warning, "cache-trouble", "cache: {0}",
     "The cache of compilers' answers cannot be used as asked. The link is made without it.",
     "Check --cache-dir and --cache-remote, or say --no-cache."},
    {DiagId::Cancelled, Severity::Error, "cancelled", "the link was cancelled",
     "The program that uses the library, or a signal, has ended the link.", "Link again."},
    {DiagId::CopiedFlaw, Severity::Warning, "copied-flaw",
     "{0}: a flaw that is copied to the output: {1}",
     "An input breaks a rule that the link does not depend on, and the output has the same flaw.",
     "`cubin verify FILE` shows it; compile the file again."},
    {DiagId::Contradiction, Severity::Bug, "contradiction", "{0}: {1}; this is a bug in culink",
     "culink has checked its own output and found it wrong. Nothing was written.",
     "Please report it: `--repro=FILE.tar` stores the link in a file."},
    {DiagId::CheckFinding, Severity::Error, "check-finding", "the output is not sound: {0}",
     "--check has compared the output with the inputs, and something in it does not follow from "
     "them. Nothing was written.",
     "Please report it: `--repro=FILE.tar` stores the link in a file."},
    {DiagId::CheckFailed, Severity::Warning, "check-failed",
     "the output may be another program than its inputs: {0}",
     "culink compares the outputs of small links with their inputs, and something in this one does "
     "not follow from them. Most likely an input contradicts itself, as no compiler's does.",
     "Compile the inputs again, or look at them with `cubin verify`; `--check` makes it an error. "
     "If they come from a compiler as they are, please report it: `--repro=FILE.tar` stores the "
     "link in a file."},
}};

constexpr bool rows_are_in_order() {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<size_t>(kRows[i].id) != i)
      return false;
  return true;
}
static_assert(rows_are_in_order());

} // namespace

std::span<const DiagRow> diag_rows() {
  return kRows;
}

const DiagRow &diag_row(DiagId id) {
  return kRows[static_cast<size_t>(id)];
}

const DiagRow *find_diag_row(std::string_view key) {
  const auto *const row =
      std::find_if(kRows.begin(), kRows.end(), [key](const DiagRow &r) { return r.key == key; });
  return row == kRows.end() ? nullptr : row;
}

} // namespace culink
