// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin assemble: rejects a document with any error and names its file, line and key. The output is
// written completely or not at all.
#include "command.h"

#include <string>

#include "support/bytes.h"
#include "support/mapped_file.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

namespace culink::tools {

int assemble_command(Command &command) {
  std::string file, output;
  command.add({
      required({"FILE", "", "YAML, as `cubin text` writes it; - is standard input", &file}),
      required({"output,o", "<file>", "The cubin to write; - is standard output", &output}),
  });
  if (!command.parse())
    return command.status();
  const std::string name = file == "-" ? "<stdin>" : file;
  const Result<MappedFile> input = MappedFile::open(file == "-" ? "/dev/stdin" : file);
  if (!is_there(name, input) || overwrites(output, file))
    return 1;
  const Result<text::Node> document = text::read_yaml(as_text(input->bytes()));
  if (!is_there(name, document))
    return 1;
  const Result<std::vector<u8>> image = text::assemble(*document);
  return is_there(name, image) && write_output(output, *image) ? 0 : 1;
}

} // namespace culink::tools
