// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about single inputs: files that cannot be read, code for other targets, objects of other
// releases, and what compilers and finalizers say.
#include "model/meanings.h"

#include <array>

namespace culink {

namespace {

constexpr auto kInputMeanings = std::to_array<MessageMeaning>({
    {DiagId::CannotOpenInput, "An input does not exist, is a folder, or may not be read.",
     "Check its name. If a build makes it, let the link depend on it."},
    {DiagId::BadInput,
     "An input is damaged or contradicts itself; the message names section and field. nvlink may "
     "link such a file, into a program that does something else. Also said of the file of --replay "
     "and of the folder of the cache.",
     "Compile it again; `cubin verify FILE` lists all that is wrong with a cubin. If a compiler "
     "writes such files, please report it with --repro=FILE.tar."},
    {DiagId::BadHostObject, "A host object has device code that cannot be read.",
     "Compile it again. objcopy and strip may have cut the sections that hold the device code."},
    {DiagId::BadFatbin, "A fatbin is damaged, or has a version that is not known.",
     "Make it again; `cubin list FILE` shows what can be read of it."},
    {DiagId::BadPayload,
     "Packed code in a fatbin cannot be unpacked: it is damaged, packed in an unknown way, or "
     "would become far larger than any code does.",
     "Compile the file again."},
    {DiagId::BadArchive, "An archive is damaged or cut.", "Make it again with ar."},
    {DiagId::CannotOpenMember,
     "A thin archive holds only the names of its members, and one of them is not there or may not "
     "be read.",
     "Build the member again and leave it where it was, or make an archive that holds its members: "
     "ar without T."},
    {DiagId::NotAnObject, "The member of a fatbin that fits the target is not a 64-bit ELF file.",
     "Compile the file again."},
    {DiagId::PtxRefused, "ptxas does not compile PTX among the inputs; its own words follow.",
     "Correct the PTX. If it is of a newer release than ptxas, name a newer toolkit with --cuda, "
     "or a newer ptxas with --ptxas."},
    {DiagId::PtxRemarks, "What ptxas says about PTX that it has compiled.",
     "Nothing has to be done; -disable-infos hides it."},
    {DiagId::WrongKind, "A file is not what its name promises, such as a host object x.cubin.",
     "Give the file that was meant, or give it another name: contents count where the name "
     "promises nothing."},
    {DiagId::NothingToLink,
     "An input has no code that could be linked: it is empty, something else than a device object, "
     "host object, archive or PTX, or already linked.",
     "Leave it out, or give the objects it was made of, compiled with nvcc -rdc=true."},
    {DiagId::NoCodeForTarget,
     "An input has no code for the target of the link and is left out. What it has is in the "
     "message.",
     "Compile it for the target, too (nvcc -gencode), or link for a target that it has (-arch). "
     "-Werror makes this an error, -suppress-arch-warning is silent."},
    {DiagId::NoKernels,
     "Nothing in the output can be launched, because the inputs that would have kernels were left "
     "out. The program would fail when it runs, with cudaErrorInvalidDeviceFunction or "
     "cudaErrorNoKernelImageForDevice.",
     "`cubin list` shows what each input has. Compile with -rdc=true and for the target of the "
     "link."},
    {DiagId::LinkedTwice,
     "A device link has taken the code of an object before, and its result is among the inputs. "
     "A program that has both results has its kernels and variables twice: the host sets one copy "
     "of a variable, kernels of the other link read the other one.",
     "Leave the earlier result out and link all objects once, or say "
     "--register-link-binaries=FILE, as nvcc does: then code that an earlier link took is left "
     "alone."},
    {DiagId::NoHostCode,
     "A device object or fatbin is linked for a host program that registers its modules, but has "
     "no host code that would do so. Said as nvlink 13.3 and later do, under --emulate.",
     "Nothing has to be done if the program finds its kernels by name."},
    {DiagId::LtoCode,
     "An input has only the intermediate code of nvcc -dlto, which has to be compiled when it is "
     "linked.",
     "Give -dlto to the link, too, or compile the input without -dlto."},
    {DiagId::LibraryNotFound,
     "A library of -l is in none of the folders of -L. The link goes on, as with nvlink, because a "
     "library for the host alone is no loss.",
     "If it has device code, name its folder with -L. --fatal-missing-library makes this an "
     "error."},
    {DiagId::LibraryMissing,
     "A library of -l is in none of the folders of -L, and --fatal-missing-library is given.",
     "Name its folder with -L."},
    {DiagId::ObjectAfterRuntime,
     "With --emulate: nvlink links libcudadevrt only if something before it needs it, and stops at "
     "an object that comes behind it.",
     "Put -lcudadevrt last, or link without --emulate, where the order does not matter."},
    {DiagId::NotRelocatable,
     "A cubin is already linked, or was compiled as a whole program: there is nothing left in it "
     "that could be linked with other files.",
     "Compile it with nvcc -rdc=true -cubin, or ptxas -c."},
    {DiagId::OnlyLinkedCode,
     "All inputs are source text, already linked, or compiled without -rdc=true, so that the "
     "output "
     "would be empty.",
     "Give the objects they were made of; compile with nvcc -rdc=true or -dc. To look at linked "
     "code, use cubin."},
    {DiagId::PartialProgram,
     "One input was compiled as the whole program (nvcc -ewp), but there are others beside it.",
     "Compile all of them with -rdc=true and none with -ewp."},
    {DiagId::WrongArchitecture,
     "An object was compiled for another target, whose machine code does not run on that of the "
     "link.",
     "Compile it for the target, or link with the -arch that the hint names."},
    {DiagId::AcceleratedObject,
     "An object was compiled for exactly one chip (sm_90a and the like), but the link is for a "
     "target that other chips run, too. nvlink 13.1 and later refuse this.",
     "Link with the -arch that the hint names, or compile for the plain target."},
    {DiagId::NoAddressSize,
     "The header of an object does not say that addresses have 64 bits, as CUDA 12's do.",
     "Compile it again if it was made or changed by a tool of your own."},
    {DiagId::WrongAbi,
     "The header of an object names a version of the device ABI that is not known: the file is "
     "damaged, or of a later CUDA.",
     "Compile it again with CUDA 11.8 to 13.5, or get a newer culink."},
    {DiagId::TwoKindsOfCode,
     "The header of an object says that it has machine code alone, and that it has Mercury code.",
     "Compile it again; the file is damaged."},
    {DiagId::NewerToolkit,
     "An object was made by a release of CUDA that came after this culink. What is new in it is "
     "kept as it is, but nobody has compared such links.",
     "Get a newer culink, or try the program; --check compares the output with the inputs as far "
     "as they are known, -Werror refuses such links."},
    {DiagId::OlderDialect,
     "--dialect asks for the conventions of a release that is older than an input.",
     "Drop --dialect, or name the release of the newest input; what the input needs stays in the "
     "output either way."},
    {DiagId::TooNewToolkit,
     "With --emulate: this nvlink refuses objects of later releases than its own.",
     "Emulate a newer nvlink, or link without --emulate."},
    {DiagId::ForeignWholeProgram,
     "With --emulate: an object that an older nvcc -ewp compiled, which this nvlink does not link.",
     "Compile it again, or link without --emulate."},
    {DiagId::OldObject,
     "An object was made by a release of CUDA that knew the target not at all or not in this form, "
     "or its header does not say by which.",
     "Compile it with CUDA 12.0 or newer."},
    {DiagId::SectionLeftOut,
     "An object has records about a whole module that no known compiler writes. They are not part "
     "of the output.",
     "Nothing has to be done if nobody reads them there; else link them in another way."},
    {DiagId::UnknownAttribute,
     "An object has attributes in .nv.info that are not known. They are copied as they are; a "
     "number of a symbol in one would be that of another symbol afterwards.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::UnknownCompat,
     "An object has attributes in .nv.compat that are not known. Where inputs differ, the value of "
     "the first one stays.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::NewerNote,
     "An object has a newer version of .note.nv.cuinfo or .note.nv.tkinfo than is known. Known "
     "fields are read, the others copied.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::UnknownSection,
     "An object has sections of types that are not known. They are copied as they are.",
     "Get a newer culink. -Werror refuses such links."},
    {DiagId::UnknownMercury,
     "An object for sm_100 or later has Mercury code with something that is not known. The output "
     "gets machine code alone, which is correct, but runs on one target only.",
     "Get a newer culink if the output has to run on later chips."},
    {DiagId::MixedVirtualTargets,
     "Inputs were compiled from PTX of different virtual targets (-extrawarn asks for this). The "
     "output is marked with the lowest, which code that asks for its version at run time may see.",
     "Compile all files with the same -gencode arch=compute_NN."},
    {DiagId::LimitedToOneTarget,
     "An input has machine code alone, without the Mercury code that lets an output for sm_100 and "
     "later run on other chips of its family.",
     "Compile that input so that it has Mercury code, which is ptxas' default, if the output has "
     "to run elsewhere, too."},
    {DiagId::MissingIsaClass,
     "An object does not say in .nv.compat on which chips its code runs, so that only the target "
     "itself is sure.",
     "Compile it again if it was made or changed by a tool of your own."},
    {DiagId::NoMercuryCode,
     "--code=mercury or exact asks for Mercury code, but an input has machine code alone.",
     "Compile that input again, or link with --code=sass."},
    {DiagId::NoFinalizer,
     "No libnvJitLink or nvlink was found to schedule code for sm_100 and later again. The output "
     "has the machine code of ptxas, which is correct, but runs on one target only.",
     "Name a toolkit with --cuda or CUDA_HOME if the output has to run on later chips; --code=sass "
     "says that it is meant so."},
    {DiagId::FinalizerMissing,
     "--code=exact needs libnvJitLink or nvlink of a CUDA toolkit, and neither was found.",
     "Name the toolkit with --cuda or CUDA_HOME, or the file with --finalizer, or link with "
     "--code=sass."},
    {DiagId::FinalizerFailed,
     "The engine that schedules code for sm_100 and later again does not take a kernel; its own "
     "words follow.",
     "--code=mercury and --code=sass link without it. Please report it with --repro=FILE.tar if "
     "nvlink links the same files."},
    {DiagId::NotScheduled,
     "The engine that schedules code for sm_100 and later again does not take a kernel; its own "
     "words follow. The output has the code of ptxas in both forms, as with --code=mercury. It is "
     "correct, but not nvlink's byte for byte.",
     "--code=mercury says that it is meant so. Please report it with --repro=FILE.tar if nvlink "
     "links the same files."},
    {DiagId::NotFinalized, "The engine that schedules code again has lost a function.",
     "--code=sass links without it. Please report it with --repro=FILE.tar."},
    {DiagId::ForeignEngine,
     "--emulate asks for the bytes of one release, but the engine that schedules code for sm_100 "
     "and later is of another one and would make others.",
     "Name the toolkit of that release with --cuda."},
    {DiagId::OtherEngine,
     "The engine that schedules code for sm_100 and later is of another release than the one whose "
     "conventions the output follows. The program is the same, its bytes may not be.",
     "Name the toolkit of that release with --cuda if the bytes matter."},
});
static_assert(are_in_order(kInputMeanings, DiagId::CannotOpenInput));

} // namespace

std::span<const MessageMeaning> meanings_of_inputs() {
  return kInputMeanings;
}

} // namespace culink
