// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin assemble: refuses a document with anything wrong in it, naming file, line and key. The
// output appears whole or not at all.
#include "command.h"

#include <string>

#include "support/bytes.h"
#include "support/mapped_file.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

namespace culink::tools {

namespace {

struct AssembleArguments {
  std::string file;
  std::string output;
};

int run_assemble(const AssembleArguments &arguments) {
  const bool from_pipe = arguments.file == "-";
  const std::string name = from_pipe ? "<stdin>" : arguments.file;
  const Result<MappedFile> input = MappedFile::open(from_pipe ? "/dev/stdin" : arguments.file);
  if (!input) {
    print_error(name, input.error());
    return 1;
  }
  if (overwrites(arguments.output, arguments.file))
    return 1;
  const Result<text::Node> document = text::read_yaml(as_text(input->bytes()));
  if (!document) {
    print_error(name, document.error());
    return 1;
  }
  const Result<std::vector<u8>> image = text::assemble(*document);
  if (!image) {
    print_error(name, image.error());
    return 1;
  }
  return write_output(arguments.output, *image) ? 0 : 1;
}

} // namespace

int assemble_command(Command &command) {
  AssembleArguments arguments;
  command.add({
      required(
          {"FILE", "", "YAML, as `cubin text` writes it; - is standard input", &arguments.file}),
      required(
          {"output,o", "<file>", "The cubin to write; - is standard output", &arguments.output}),
  });
  return command.parse() ? run_assemble(arguments) : command.status();
}

} // namespace culink::tools
