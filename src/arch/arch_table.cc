// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/arch.h"
