// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "culink/cubin_reader.h"
#include "text/dump/dump_sink.h"

namespace culink::text {

// Tells `sink` the usage of one file. With `demangled`, C++ names as in the source.
void print_usage(std::string_view file, const ModuleUsage &usage, bool demangled, DumpSink &sink);

} // namespace culink::text
