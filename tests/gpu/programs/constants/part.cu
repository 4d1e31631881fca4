// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__constant__ int scale = 1;
__constant__ int offsets[4] = {0, 100, 200, 300};
