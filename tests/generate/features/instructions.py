# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions whose traces a linker carries along: sparse matrices, barriers in shared memory, bulk
copies, tensor memory, register budgets; in kernels, in functions and in weak functions of several
files. All are chosen by the preprocessor, so the files need PTX made for the very target."""

from features.hopper import SHARED_ADDRESS
from program import LEVEL_TEMPLATE, Step

NINETY_A = "defined(__CUDA_ARCH_FEAT_SM90_ALL)"
HUNDRED_A = ("(defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) || "
             "defined(__CUDA_ARCH_FEAT_SM110_ALL))")
GATE = '__shared__ unsigned long long gate[2]; unsigned to; asm("' + SHARED_ADDRESS + '" : "=r"(to) : "l"(&gate[x & 1])); '

# (condition, statements)
PIECES = [
    ("__CUDA_ARCH__ >= 800", '{ float m0 = 0, m1 = 1, m2 = 2, m3 = 3; asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.'
     'f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x0;" : "+f"(m0), "+f"(m1), "+f"(m2), "+f"(m3) : '
     '"r"(x), "r"(x + 1), "r"(x ^ 5), "r"(x), "r"(x + 2)); x += (int)(m0 + m3); }'),
    ("__CUDA_ARCH__ >= 800", '{ float m0 = 0, m1 = 1, m2 = 2, m3 = 3; asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.'
     'f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3}, %8, 0x1;" : "+f"(m0), "+f"(m1), "+f"(m2), "+f"(m3) : '
     '"r"(x), "r"(x + 1), "r"(x ^ 5), "r"(x), "r"(x + 2)); x += (int)(m0 + m3); }'),
    ("__CUDA_ARCH__ >= 800", "{ " + GATE + 'asm volatile("mbarrier.init.shared.b64 [%0], 4;\\nmbarrier.arrive.shared.b64 _, [%0];" '
     ':: "r"(to) : "memory"); }'),
    ("__CUDA_ARCH__ >= 900", "{ " + GATE + 'asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;" '
     ':: "r"(to) : "memory"); int done; asm volatile("{ .reg .pred q; mbarrier.try_wait.parity.shared::cta.b64 q, [%1], 0; '
     'selp.b32 %0, 1, 0, q; }" : "=r"(done) : "r"(to) : "memory"); x += done; }'),
    ("__CUDA_ARCH__ >= 900", "{ __shared__ __align__(128) int landing[32]; " + GATE + 'unsigned at; asm("' + SHARED_ADDRESS +
     '" : "=r"(at) : "l"(landing)); asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, '
     '[%2];" :: "r"(at), "l"((const void *)bulk_source), "r"(to) : "memory"); x += landing[x & 31]; }'),
    ("__CUDA_ARCH__ >= 900", '{ unsigned leader; asm volatile("{ .reg .pred q; elect.sync _|q, 0xffffffff; selp.b32 %0, 1, 0, q; }" '
     ': "=r"(leader)); x += leader; }'),
    ("__CUDA_ARCH__ >= 900", 'asm volatile("fence.mbarrier_init.release.cluster;\\nbarrier.cluster.arrive.release.aligned;\\n'
     'barrier.cluster.wait.acquire.aligned;" ::: "memory");'),
    ("__CUDA_ARCH__ >= 900", '{ __shared__ __align__(16) int rows[32]; unsigned at; asm("' + SHARED_ADDRESS + '" : "=r"(at) : '
     '"l"(&rows[(x & 7) * 4])); asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(at), "r"(x) : "memory"); '
     'x += rows[3]; }'),
    ("__CUDA_ARCH__ >= 900", '{ unsigned rank; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank)); x += rank; }'),
    (NINETY_A, 'asm volatile("setmaxnreg.inc.sync.aligned.u32 %d;" % 0);'),
    ("__CUDA_ARCH__ >= 1000", "{ __shared__ __align__(16) int4 answer; " + GATE + 'unsigned at; asm("' + SHARED_ADDRESS +
     '" : "=r"(at) : "l"(&answer)); asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 '
     '[%0], [%1];" :: "r"(at), "r"(to) : "memory"); x += answer.x; }'),
    (HUNDRED_A, '{ __shared__ unsigned columns; unsigned at; asm("' + SHARED_ADDRESS + '" : "=r"(at) : "l"(&columns)); '
     'asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" :: "r"(at) : "memory"); __syncthreads(); '
     'x += columns; asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" :: "r"(columns)); }'),
    (HUNDRED_A, '{ int r0, r1; asm volatile("tcgen05.ld.sync.aligned.16x64b.x2.b32 {%0, %1}, [%2];\\ntcgen05.wait::ld.sync.aligned;" '
     ': "=r"(r0), "=r"(r1) : "r"(x)); x += r0 + r1; }'),
    ("__CUDA_ARCH__ >= 750", '{ __shared__ int cell; asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; atom.shared.add.u32 %0, [a], 3; }" '
     ': "=r"(x) : "l"(&cell) : "memory"); }'),
    ("__CUDA_ARCH__ >= 750", 'asm volatile("{ .reg .f16 h; mov.b16 h, 0x3C00; atom.global.add.noftz.f16 h, [%0], h; }" :: '
     '"l"((void *)bulk_source) : "memory");'),
    ("__CUDA_ARCH__ >= 900", '{ unsigned long long a = x, b = 2, c, d; asm volatile("{ .reg .b128 v, w; mov.b128 v, {%2, %3}; '
     'atom.global.cas.b128 w, [%4], v, v; mov.b128 {%0, %1}, w; }" : "=l"(c), "=l"(d) : "l"(a), "l"(b), "l"((void *)bulk_source) : '
     '"memory"); x += (int)(c + d); }'),
    ("__CUDA_ARCH__ >= 750", '{ int z; asm volatile("mov.u32 %0, %%ctaid.z;" : "=r"(z)); x += z; }'),
    ("__CUDA_ARCH__ >= 750", 'asm volatile("nanosleep.u32 %0;" :: "r"(x & 15));'),
    ("__CUDA_ARCH__ >= 750", '{ unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)); x += (int)t; }'),
    ("__CUDA_ARCH__ >= 750", 'asm volatile("brkpt;");'),
    ("__CUDA_ARCH__ >= 750", 'asm volatile("barrier.sync.aligned 3, 64;\\nbarrier.arrive 4, 96;" ::: "memory");'),
    ("__CUDA_ARCH__ >= 750", '{ unsigned long long m; asm volatile("match.all.sync.b64 %0|_, %1, 0xffffffff;" : "=r"(x) : "l"((long long)x)); (void)m; }'),
]


def piece(dice):
    condition, text = dice.pick(PIECES)
    text = text.replace("%d;\" % 0", "%d;\"" % dice.pick([40, 96, 160]))
    return "\n#if %s\n  %s\n#endif\n" % (condition, text)


SOURCE = "inline __device__ __align__(128) int bulk_source[64];"


def add_instructions(program, dice):
    """Steps for one or two files."""
    for file in dice.sample(program.cuda_files, dice.between(1, 2)):
        file.native = True
        file.declare(SOURCE)
        for _ in range(dice.between(2, 4)):
            program.offer(Step(piece(dice), file))


def add_instruction_functions(program, dice):
    """Functions with such instructions: plain ones that others call, and weak ones of several files."""
    for _ in range(dice.between(1, 3)):
        name = program.unique("machine_function")
        body = "".join(piece(dice) for _ in range(dice.between(1, 2)))
        weak = dice.chance(0.5)
        head = "%s__device__ __noinline__ int %s(int x) {%s  return x; }" % ("inline " if weak else "", name, body)
        files = dice.sample(program.cuda_files, dice.between(2, 3) if weak else 1)
        for file in files:
            file.native = True
            file.declare(SOURCE)
            if weak:
                program.offer(Step("x += %s(x);" % name, file, [head], LEVEL_TEMPLATE))
            else:
                file.define(head)
        if not weak:
            program.offer(Step("x += %s(x);" % name, None, ["__device__ int %s(int x);" % name], LEVEL_TEMPLATE))
