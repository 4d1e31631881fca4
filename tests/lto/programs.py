# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small CUDA programs of two to five files for link-time optimisation.

What an optimiser can do across files is in them: functions of one file called in others, some small
enough to be inlined and some not, variables and constants that only one file writes, templates and
inline functions that several files have, functions that nobody calls, statics of equal names, and
kernels that the host does not launch. Every function works on integers, so that no option of
arithmetic changes what it computes.
"""

import os
import random


class Program:
    """The sources of one program; `features` names what they use beside the usual."""

    def __init__(self, seed):
        self.dice = random.Random(seed)
        self.count = self.dice.randint(2, 5)
        chances = (("printf", 0.3), ("children", 0.2), ("pointers", 0.3), ("shared", 0.5), ("asm", 0.3))
        self.features = {name for name, chance in chances if self.dice.random() < chance}
        self.files = [f"f{i}" for i in range(self.count)]

    def function(self, file, number):
        dice, name = self.dice, f"fn{file}_{number}"
        mark = dice.choice(["", "__noinline__ ", "__forceinline__ " if dice.random() < 0.2 else ""])
        lines = [f"__device__ {mark}int {name}(int x, int n) {{"]
        lines.append(f"  int sum = x * {dice.randint(2, 99)} + table{file}[n & 3];")
        for callee in self.callees(file, number):
            lines.append(f"  sum += {callee}(sum ^ {dice.randint(1, 50)}, n + {dice.randint(0, 3)});")
        if dice.random() < 0.5:
            lines.append(f"  for (int i = 0; i < n; ++i) sum = sum * {dice.randint(3, 31)} + (i ^ x);")
        if dice.random() < 0.4:
            lines.append(f"  counter{dice.randrange(file + 1)} += sum;")
        if "asm" in self.features and dice.random() < 0.4:
            lines.append('  asm("xor.b32 %0, %0, 21;" : "+r"(sum));')
        return lines + ["  return sum + shared_helper<" + str(dice.randint(1, 4)) + ">(n);", "}"]

    def callees(self, file, number):
        """Functions of earlier files, or earlier ones of the same: no recursion."""
        earlier = [f"fn{f}_{n}" for f in range(file) for n in range(2)] + [f"fn{file}_{n}" for n in range(number)]
        return self.dice.sample(earlier, min(len(earlier), self.dice.randint(0, 2)))

    def kernel(self, file, number):
        dice = self.dice
        lines = [f"__global__ void kernel{file}_{number}(int *out, int n) {{", "  int x = out[threadIdx.x] + local_twist(n);"]
        if "shared" in self.features:
            lines += ["  __shared__ int memory[64];", "  memory[threadIdx.x & 63] = x;", "  __syncthreads();",
                      "  x += memory[n & 63];"]
        for callee in dice.sample([f"fn{f}_{n}" for f in range(file + 1) for n in range(2)], dice.randint(1, 2)):
            lines.append(f"  x += {callee}(x, n);")
        if "pointers" in self.features:
            lines.append(f"  int (*choice)(int, int) = n > 5 ? fn{file}_0 : fn{file}_1;\n  x += choice(x, n);")
        if "printf" in self.features and dice.random() < 0.5:
            lines.append('  if (x == 77) printf("%d\\n", x);')
        if "children" in self.features and number == 0 and file == self.count - 1:
            lines.append(f"  if (threadIdx.x == 0) kernel{file}_1<<<1, 32>>>(out, n - 1);")
        return lines + ["  out[threadIdx.x] = x;", "}"]

    def host(self, file):
        """The last file launches some kernels and reads a variable."""
        launched = [f"kernel{f}_{n}" for f in range(self.count) for n in range(2) if self.dice.random() < 0.7]
        lines = [f"__global__ void {name}(int *out, int n);" for name in launched]
        lines += ["int main() {", "  int *out, value;", "  cudaMalloc(&out, 4096);"]
        lines += [f"  {name}<<<1, 32>>>(out, 7);" for name in launched]
        lines.append(f"  cudaMemcpyFromSymbol(&value, counter{file}, 4);")
        return lines + ["  return value == 12345;", "}"]

    def source(self, file):
        lines = (["#include <cstdio>"] if "printf" in self.features else []) + [
            "template <int N> __device__ int shared_helper(int x) { return x * N + (x >> N); }"]
        for other in range(file):
            lines.append(f"extern __device__ int counter{other};")
            lines += [f"__device__ int fn{other}_{n}(int, int);" for n in range(2)]
        lines += [f"__device__ int counter{file} = {file + 3};", f"__device__ int unused{file}[{file + 2}];",
                  f"__constant__ int table{file}[4] = {{{file}, 2, 3, 4}};",
                  f"static __device__ int local_twist(int x) {{ return x ^ {self.dice.randint(1, 99)}; }}"]
        for number in range(2):
            lines += self.function(file, number)
        lines.append(f"__device__ int nobody{file}(int x) {{ return x + unused{file}[x & 1]; }}")
        for number in range(2):
            lines += reversed_kernels(self, file, number)
        if file == self.count - 1:
            lines += self.host(file)
        return "\n".join(lines) + "\n"

    def write(self, folder):
        for number, name in enumerate(self.files):
            with open(os.path.join(folder, name + ".cu"), "w", encoding="utf-8") as out:
                out.write(self.source(number))


def reversed_kernels(program, file, number):
    """The kernel that is launched by another one comes first."""
    return program.kernel(file, 1 - number)
