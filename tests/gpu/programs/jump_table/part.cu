// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int decide(int kind, int x) {
  int result = 0;
  switch (kind) {
  case 0:
    asm volatile("add.s32 %0, %1, 1;" : "=r"(result) : "r"(x));
    break;
  case 1:
    asm volatile("mul.lo.s32 %0, %1, 3;" : "=r"(result) : "r"(x));
    break;
  case 2:
    asm volatile("sub.s32 %0, %1, 9;" : "=r"(result) : "r"(x));
    break;
  case 3:
    asm volatile("div.s32 %0, %1, 2;" : "=r"(result) : "r"(x));
    break;
  case 4:
    asm volatile("rem.s32 %0, %1, 5;" : "=r"(result) : "r"(x));
    break;
  case 5:
    asm volatile("shl.b32 %0, %1, 3;" : "=r"(result) : "r"(x));
    break;
  case 6:
    asm volatile("xor.b32 %0, %1, 77;" : "=r"(result) : "r"(x));
    break;
  case 7:
    asm volatile("not.b32 %0, %1;" : "=r"(result) : "r"(x));
    break;
  case 8:
    asm volatile("mul.lo.s32 %0, %1, %1;" : "=r"(result) : "r"(x));
    break;
  case 9:
    asm volatile("neg.s32 %0, %1;" : "=r"(result) : "r"(x));
    break;
  }
  return result;
}
