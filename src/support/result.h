// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result and Error are part of the installed API; inside the project they belong to base.
#pragma once

#include "culink/result.h" // IWYU pragma: export
