// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Part of the installed API; layers include it by this name.
#include "culink/host_references.h"
