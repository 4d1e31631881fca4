# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls the driver completes, barriers, warp-wide operations, atomics, matrix instructions."""

from program import Step
from toolchain import HEADERS_FULL


def add_printf(program, dice):
    for _ in range(dice.between(1, 2)):
        program.offer(Step('printf("%s %%d\\n", x);' % program.unique("value")))
    if dice.chance(0.3):
        program.offer(Step('printf("%f %s %lld\\n", x * 0.5, "text", (long long)x);'))


def add_malloc(program, dice):
    program.offer(Step("{ int *heap = (int *)malloc(%d); if (heap) { heap[x & 3] = x; x += heap[x & 3]; "
                       "} free(heap); }" % dice.pick([16, 64, 4096])))


def add_assert(program, dice):
    program.offer(Step("device_assert(x != %d);" % dice.between(-99999, -9999)))
    if dice.chance(0.3):
        program.offer(Step("if (x == -123456) __trap();"))


def add_barriers(program, dice):
    """Named barriers: their number is an attribute that callers inherit."""
    for _ in range(dice.between(1, 3)):
        number = dice.between(0, 15)
        program.offer(Step(dice.pick([
            'asm volatile("bar.sync %d;" ::: "memory");' % number,
            'asm volatile("bar.sync %d, 32;" ::: "memory");' % number,
            'asm volatile("{ .reg .pred q; setp.ne.s32 q, %%0, 0; bar.red.popc.u32 %%0, %d, q; }" '
            ': "+r"(x));' % number])))
    if dice.chance(0.15):
        program.offer(Step('asm volatile("bar.sync %0;" :: "r"(x & 15) : "memory");'))


def add_warp(program, dice):
    steps = ['asm volatile("shfl.sync.idx.b32 %0, %0, 3, 31, 0xffffffff;" : "+r"(x));',
             'asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");',
             'asm volatile("match.any.sync.b32 %0, %0, 0xffffffff;" : "+r"(x));',
             'asm volatile("{ .reg .pred q; setp.ne.s32 q, %0, 0; vote.sync.ballot.b32 %0, q, '
             '0xffffffff; }" : "+r"(x));',
             '{ unsigned mask; asm volatile("activemask.b32 %0;" : "=r"(mask)); x += mask; }']
    for text in dice.sample(steps, dice.between(1, 3)):
        program.offer(Step(text))


def add_atomics(program, dice):
    name = program.unique("counter")
    dice.pick(program.cuda_files).declare("__device__ unsigned %s[4];" % name)
    declare = "extern __device__ unsigned %s[4];" % name
    for operation in dice.sample(["atom.global.add.u32", "atom.global.sys.add.u32",
                                  "atom.global.cas.b32", "red.global.max.u32"], 2):
        address = "&%s[x & 3]" % name
        if operation.startswith("red"):
            text = 'asm volatile("%s [%%0], %%1;" :: "l"(%s), "r"(x) : "memory");' % (operation, address)
        else:
            extra = ", 5" if "cas" in operation else ""
            text = ('asm volatile("%s %%0, [%%1], %%0%s;" : "+r"(x) : "l"(%s) : "memory");'
                    % (operation, extra, address))
        program.offer(Step(text, None, [declare]))
    program.offer(Step('asm volatile("membar.sys;" ::: "memory");'))


def add_matrix(program, dice):
    """mma.sync of the oldest target; newer shapes are in features/hopper.py."""
    program.offer(Step(
        '{ float m0 = 0, m1 = 1, m2 = 2, m3 = 3; asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.'
        'f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(m0), "+f"(m1), "+f"(m2), "+f"(m3)'
        ' : "r"(x), "r"(x + 1), "r"(x ^ 5)); x += (int)(m0 + m3); }'))
    if dice.chance(0.5):
        program.offer(Step('asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) '
                           ': "r"((x & 3) * 16));'))


def add_cooperative_groups(program, dice):
    """The real header, in a file of its own because it is slow to parse."""
    file = program.add_file("groups", "cuda")
    file.headers = HEADERS_FULL
    file.declare("#include <cooperative_groups.h>")
    kernel = program.unique("groups_kernel")
    reduce = program.unique("group_sum")
    file.define("""namespace cg = cooperative_groups;
__device__ __noinline__ int %s(cg::thread_group group, int *room, int value) {
  const int lane = group.thread_rank();
  for (int width = group.size() / 2; width > 0; width /= 2) {
    room[lane] = value;
    group.sync();
    if (lane < width) value += room[lane + width];
    group.sync();
  }
  return value;
}""" % reduce)
    lines = ["  x += %s(block, room, x);" % reduce,
             "  x += cg::tiled_partition<32>(block).shfl_down(x, 3);",
             "  cg::this_grid().sync(); x += cg::this_grid().thread_rank();",
             "  x += cg::coalesced_threads().any(x);",
             "  x += %s(cg::tiled_partition<8>(block), room, x);" % reduce]
    body = "\n".join(dice.sample(lines, dice.between(1, 4)))
    file.define("__global__ void %s(int *p, int x) {\n  __shared__ int room[256];\n"
                "  auto block = cg::this_thread_block();\n%s\n  p[threadIdx.x] = x + room[0];\n}"
                % (kernel, body))
    program.kernels.append(kernel)
