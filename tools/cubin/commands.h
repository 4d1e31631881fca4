// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command.h"

namespace culink::tools {

// The commands of cubin. Each adds its options to the command line, reads it, and returns the exit
// status of the program.
int dump_command(Command &command);
int disasm_command(Command &command);
int usage_command(Command &command);
int size_command(Command &command);
int callgraph_command(Command &command);
int diff_command(Command &command);
int report_command(Command &command);
int verify_command(Command &command);
int check_command(Command &command);
int text_command(Command &command);
int assemble_command(Command &command);
int list_command(Command &command);
int extract_command(Command &command);
int pack_command(Command &command);
int prune_command(Command &command);

} // namespace culink::tools
