// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin disasm: the instructions of any file with device code, from the nvdisasm of an installed
// toolkit, annotated with facts from the file. nvdisasm gets the code of one target at a time, from
// memory; it is killed after a time limit.
#include "command.h"

#include <chrono>
#include <string>
#include <unistd.h>
#include <vector>

#include "compilers/toolkit/find_tools.h"
#include "device_code.h"
#include "inspect/dump/disassembly.h"
#include "support/process.h"

namespace culink::tools {

namespace {

std::string find_nvdisasm(const std::string &cuda) {
  for (const std::string &folder : toolkit_program_folders(cuda))
    if (std::string found = program_in(folder, "nvdisasm"); !found.empty())
      return found;
  return cuda.empty() ? program_in_path("nvdisasm") : "";
}

// Returns the output of nvdisasm.
Result<std::string> listing_of(const std::string &program, ByteSpan cubin,
                               const std::vector<u32> &symbols) {
  constexpr std::chrono::seconds kLimit{300};
  constexpr size_t kMostOutput = size_t{16} << 20;
  const Result<MemoryFile> file = MemoryFile::create(cubin);
  if (!file)
    return file.error();
  std::vector<std::string> words = {program, "-c"};
  std::string list;
  for (const u32 symbol : symbols)
    list += (list.empty() ? "" : ",") + std::to_string(symbol);
  if (!list.empty())
    words.insert(words.end(), {"-fun", list});
  words.push_back(file->path());
  Result<ProcessResult> run = run_process(words, {&*file}, kLimit);
  if (!run)
    return run.error();
  if (run->late)
    return Error{"nvdisasm", "", "takes more than five minutes"};
  if (run->status != 0)
    return Error{"nvdisasm", "",
                 describe_exit(run->status) + ": " + run->output.substr(0, run->output.find('\n'))};
  if (run->output.size() >= kMostOutput)
    return Error{"nvdisasm", "", "prints more than 16 MB; --function chooses some of the code"};
  return std::move(run->output);
}

} // namespace

int disasm_command(Command &command) {
  CodeArguments code;
  CodeSelection functions;
  std::string program, cuda;
  add_code_arguments(command, code);
  command.add({
      {"function", "<pattern>", "Only functions of these names; * stands for any characters",
       &functions.kernels},
      {"nvdisasm", "<program>", "The program; else that of the toolkit", &program},
      {"cuda", "<folder>", "The folder of the toolkit", &cuda},
  });
  if (!command.parse())
    return command.status();
  if (program.empty())
    program = find_nvdisasm(cuda);
  if (program.empty()) {
    print_error("nvdisasm", "not found: it is part of the CUDA toolkit, and of the Python package "
                            "nvidia-cuda-nvdisasm");
    return 1;
  }
  const text::FunctionFilter wanted = [&](std::string_view name) {
    return functions.takes_kernel(name) && code.selection.takes_kernel(name);
  };
  const bool all = functions.kernels.empty() && code.selection.kernels.empty();
  TextOut out(STDOUT_FILENO);
  bool clean = true, any = false;
  const auto look = [&](const Image &image) -> std::function<void()> {
    const std::vector<u32> symbols =
        all ? std::vector<u32>() : text::function_symbols(*image.view, wanted);
    if (!all && symbols.empty())
      return {};
    Result<std::string> listing = listing_of(program, image.bytes, symbols);
    if (listing)
      listing = text::annotate_disassembly(*image.view, *listing, wanted);
    return [&, image, listing = std::move(listing)] {
      any = true;
      if (is_there(image.name, listing))
        out.put(image.name + ":\n" + *listing);
      else
        clean = false;
    };
  };
  clean = for_each_image(code, look) && clean;
  if (!any && clean) {
    print_error("disasm", "there is no such function");
    return 1;
  }
  return finish_output(out) && clean ? 0 : 1;
}

} // namespace culink::tools
