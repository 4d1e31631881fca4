// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vocabulary types are part of the installed API; inside the project they belong to base.
#pragma once

#include "culink/types.h" // IWYU pragma: export
