// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX is compiled by the installed ptxas as a child process. Text and result are files in memory:
// nothing is left behind, whatever happens. ptxas records its options in the object, and nvlink's
// order is "-arch -m -c"; the names of the files are not recorded (with -g they are, and the tool
// note then differs from nvlink's, which compiles inside itself).
#include "input/compile_ptx.h"

#include "base/process.h"

namespace culink {

namespace {

void replace_all(std::string &text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

} // namespace

Result<CompiledPtx> compile_ptx(const PtxCompiler &compiler, std::string_view name,
                                std::string_view target, ByteSpan text) {
  if (compiler.path.empty())
    return Error{"", "", "is PTX, and there is no ptxas to compile it (--ptxas names one)"};
  const Result<MemoryFile> source = MemoryFile::create(text);
  const Result<MemoryFile> object = MemoryFile::create({});
  if (!source || !object)
    return source ? object.error() : source.error();
  std::vector<std::string> words = {compiler.path, "-arch", std::string(target), "-m", "64", "-c"};
  words.insert(words.end(), compiler.options.begin(), compiler.options.end());
  words.insert(words.end(), {source->path(), "-o", object->path()});
  Result<ProcessResult> run = run_process(words, {&*source, &*object});
  if (!run)
    return Error{"", compiler.path, run.error().text()};
  replace_all(run->output, source->path(), name);
  if (run->status != 0)
    return CompiledPtx{{}, std::move(run->output), run->status};
  Result<std::vector<u8>> cubin = object->read();
  if (!cubin)
    return cubin.error();
  return CompiledPtx{std::move(*cubin), std::move(run->output), 0};
}

} // namespace culink
