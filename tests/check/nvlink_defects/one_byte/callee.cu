// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Value {
  char bytes[5];
};
extern "C" __device__ int sum(Value value) {
  return value.bytes[0] + value.bytes[4];
}
