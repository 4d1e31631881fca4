// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of the file format are part of the installed API; inside the project they belong to
// elf. Readable names: names.h.
#pragma once

#include "culink/elf_constants.h" // IWYU pragma: export
