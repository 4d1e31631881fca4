// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about the command line, link-time optimisation, files that are written, and the linker
// itself; and the way from an id to its row.
#include "model/meanings.h"

#include <array>

namespace culink {

namespace {

constexpr auto kCommandMeanings = std::to_array<MessageMeaning>({
    {DiagId::UnknownTarget, "-arch names no target that is known.",
     "The hint lists the targets; a newer culink may know more."},
    {DiagId::UnknownEmulation, "--emulate names no linker whose bytes culink can write.",
     "The hint lists those that there are."},
    {DiagId::UnknownDialect, "--dialect names no release of CUDA that is known.",
     "The hint lists those that there are."},
    {DiagId::NoInput, "With --emulate: nvlink refuses a link without inputs.",
     "Name inputs, or link without --emulate, where this is a warning."},
    {DiagId::EmptyLink,
     "The link has no inputs. An empty cubin is written, for builds in which that happens.",
     "Name inputs if there should be some: a list of a build system may be empty."},
    {DiagId::UnknownOption, "There is no such option.",
     "The hint has what may have been meant; `culink --help` lists all options. Options of nvcc "
     "are not those of a linker."},
    {DiagId::NoCommand, "The first word looks like a command, but culink has only options.",
     "The hint has the command that was meant."},
    {DiagId::NoSuchSymbol,
     "A name that --why-live or --trace-symbol asks for is that of no symbol of the inputs.",
     "The hint lists names that are alike; `*` stands for any text, and names may be those of the "
     "source or of the object."},
    {DiagId::NoSuchKernel,
     "-kernels-used names a kernel that no input has. The output has the others that it names, or "
     "none.",
     "The hint lists names that are alike; `cubin usage FILE` shows those of a file. -Werror makes "
     "this an error."},
    {DiagId::ArgumentExpected, "The last word is an option whose value is missing.",
     "Give the value, as the next word or after '='."},
    {DiagId::NoArgumentExpected, "An option that takes no value was given one.", "Leave it out."},
    {DiagId::NotANumber, "The value of an option has to be a number.", "Give a number."},
    {DiagId::NumberOutOfRange, "The value of an option is too large a number.",
     "Give a smaller number."},
    {DiagId::NotABoolean, "The value of an option has to be true or false.",
     "Give one of these words."},
    {DiagId::BadOptionValue, "An option does not take this value.",
     "The hint lists values that it takes, those first that are alike."},
    {DiagId::StrayQuote, "A word of an option file, or a list, has a quote without its second.",
     "Add it, or write a backslash before one that is meant as a character."},
    {DiagId::OptionRedefined, "An option was given twice with different values.",
     "Leave one out; build systems often add one of their own."},
    {DiagId::TooManyOptionFiles,
     "Option files name each other in a circle, or there are more of them than any link needs.",
     "Look for a file that names itself."},
    {DiagId::CannotOpenOptionFile,
     "A file of -optf or @file does not exist, may not be read or is not a text.",
     "Check its name; relative names start from the current folder."},
    {DiagId::ConflictingOptions, "Two options ask for opposite things.", "Leave one out."},
    {DiagId::OptionNeedsOption, "An option has a meaning only together with another one.",
     "Give both, or none."},
    {DiagId::MissingTarget, "A link has to know its target.",
     "Add -arch=sm_NN: that of the GPU, or the one that the objects were compiled for (`cubin list "
     "FILE`)."},
    {DiagId::MissingOutput, "A link has to know where its output goes.",
     "Add -o FILE; -o - is standard output."},
    {DiagId::NvvmPathMissing, "With --emulate: nvlink's -dlto needs -nvvmpath.",
     "Add -nvvmpath=TOOLKIT/nvvm, or link without --emulate."},
    {DiagId::NvvmNotThere, "With --emulate: nvlink's -dlto needs libnvvm in that folder.",
     "Name the folder nvvm of a CUDA toolkit, or link without --emulate."},
    {DiagId::LtoIgnored, "-dlto was given, but no input has code for link-time optimisation.",
     "Compile with nvcc -dlto, too (or -gencode code=lto_NN), or drop -dlto."},
    {DiagId::SplitIgnored, "Two options for dividing the compilation exclude each other.",
     "Leave one out."},
    {DiagId::NotOptimised,
     "An input of a link with -dlto has machine code or PTX alone. It is linked, but not optimised "
     "together with the others.",
     "Compile it with nvcc -dlto, too, if its speed matters."},
    {DiagId::MixedModuleOptions,
     "Two inputs were compiled for link-time optimisation with options that exclude each other.",
     "Compile all files with the same options."},
    {DiagId::OptionForAll,
     "Inputs of a link with -dlto were compiled with different options, of which one has to be "
     "taken for all.",
     "Compile all files with the same options if that matters."},
    {DiagId::NoLtoCompiler,
     "Code for link-time optimisation is compiled by libnvJitLink, and none was found.",
     "Install it with the CUDA toolkit or `pip install nvidia-nvjitlink`, and name the folder with "
     "--cuda or CUDA_HOME."},
    {DiagId::LtoFailed,
     "libnvJitLink does not compile the code for link-time optimisation; its own words follow.",
     "It has to be as new as the nvcc that made the code: name another toolkit with --cuda."},
    {DiagId::LtoRemarks, "What the optimiser says about the code.",
     "Nothing has to be done; -disable-infos hides it."},
    {DiagId::NothingToEmit,
     "-emit-ptx writes the optimised program as PTX, but no input has code to be optimised.",
     "Compile with nvcc -dlto."},
    {DiagId::RuntimeExpected,
     "With --emulate: nvlink -dlto demands libcudadevrt behind the objects that it optimises.",
     "Add -lcudadevrt at the end, or link without --emulate."},
    {DiagId::InputsWithScript, "-ghls writes a script for the host's linker and links nothing.",
     "Leave the inputs out."},
    {DiagId::NoHostScript, "The script for the host's linker cannot be made.",
     "-ghls=lcs-abs asks the installed ld for its own; -ghls=lcs-aug needs none."},
    {DiagId::VirtualLtoTarget, "-arch=lto_NN names a kind of code, not a chip.",
     "Link with -arch=sm_NN -dlto."},
    {DiagId::HostInfoIgnored,
     "-kernels-used and -variables-used say what stays; what host code refers to does not count "
     "then.",
     "Leave -use-host-info out."},
    {DiagId::NoEffect, "An option does nothing in this link.", "Leave it out."},
    {DiagId::CompiledFromPtx, "-v: the input had PTX and no code for the target.",
     "Nothing has to be done."},
    {DiagId::ResourceUsage,
     "-v with --error-format=json: the memory of the program, or what a kernel of it needs.",
     "Nothing has to be done."},
    {DiagId::CallGraphLine, "-dump-callgraph with --error-format=json: a line of the call graph.",
     "Nothing has to be done."},
    {DiagId::OverMemoryLimit, "The link needs more memory than --memory-limit allows.",
     "Raise the limit. If the input named is small, it may be hostile: look at it with `cubin list "
     "--quick`."},
    {DiagId::OutOfMemory, "The system gives the link no more memory.",
     "Make fewer links at the same time, or link on a machine with more."},
    {DiagId::OutputsCollide, "Two options would write to one file, and one output would be lost.",
     "Give them different names; %a in the name of a map or report stands for the target."},
    {DiagId::OutputOverFile, "An option would write to a file that the link reads.",
     "Give the output another name."},
    {DiagId::OutputOverInput, "An option would write to an input, under whatever name.",
     "Give the output another name."},
    {DiagId::CannotWriteOutput,
     "An output cannot be written: the folder is not there, may not be written to, or the disk is "
     "full. All outputs are as before.",
     "Make the folder, or room on the disk."},
    {DiagId::CannotWriteTimes, "The table of -time cannot be written.",
     "Make its folder, or name another file."},
    {DiagId::NoToolchain, "The folder of --make-toolchain cannot be made.",
     "Name a folder that is new, empty or was made so before, and the toolkit with --cuda."},
    {DiagId::NoJitFolder, "The folder of --make-jit-folder cannot be made.",
     "Name a folder that is new, empty or was made so before; culink's libraries have to be "
     "installed beside it."},
    {DiagId::CacheTrouble,
     "The cache of compilers' answers cannot be used as asked. The link is made without it.",
     "Check --cache-dir and --cache-remote, or say --no-cache."},
    {DiagId::Cancelled, "The program that uses the library, or a signal, has ended the link.",
     "Link again."},
    {DiagId::CopiedFlaw,
     "An input breaks a rule that the link does not depend on, and the output has the same flaw.",
     "`cubin verify FILE` shows it; compile the file again."},
    {DiagId::Contradiction,
     "culink has checked its own output and found it wrong. Nothing was written.",
     "Please report it: `--repro=FILE.tar` stores the link in a file."},
    {DiagId::CheckFinding,
     "--check has compared the output with the inputs, and something in it does not follow from "
     "them. Nothing was written.",
     "Please report it: `--repro=FILE.tar` stores the link in a file."},
    {DiagId::CheckFailed,
     "culink compares the outputs of small links with their inputs, and something in this one does "
     "not follow from them. Most likely an input contradicts itself, as no compiler's does.",
     "Compile the inputs again, or look at them with `cubin verify`; `--check` makes it an error. "
     "If "
     "they come from a compiler as they are, please report it: `--repro=FILE.tar` stores the link "
     "in "
     "a file."},
});
static_assert(are_in_order(kCommandMeanings, DiagId::UnknownTarget));

} // namespace

std::span<const MessageMeaning> meanings_of_commands() {
  return kCommandMeanings;
}

const MessageMeaning &message_meaning(DiagId id) {
  const auto number = static_cast<size_t>(id);
  const size_t programs = meanings_of_inputs().size();
  const size_t commands = programs + meanings_of_programs().size();
  if (number < programs)
    return meanings_of_inputs()[number];
  return number < commands ? meanings_of_programs()[number - programs]
                           : meanings_of_commands()[number - commands];
}

} // namespace culink
