# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code that differs from target to target, chosen by the preprocessor: asynchronous copies and warp
reductions from sm_80, clusters from sm_90, wgmma on sm_90a, tensor memory on sm_100a and its kin.
The files that use it need PTX made for the very target."""

from program import Step

SHARED_ADDRESS = ('{ .reg .u64 address; cvta.to.shared.u64 address, %1; '
                  'cvt.u32.u64 %0, address; }')

CLUSTER_KERNEL = """#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(%(width)d, 1, 1) %(name)s(int *p, int x) {
  __shared__ int room[32];
  room[threadIdx.x & 31] = x;
  asm volatile("barrier.cluster.arrive.aligned;\\nbarrier.cluster.wait.aligned;" ::: "memory");
  unsigned here, there;
  asm("%(address)s" : "=r"(here) : "l"(room));
  asm volatile("mapa.shared::cluster.u32 %%0, %%1, 1;" : "=r"(there) : "r"(here));
  asm volatile("ld.shared::cluster.u32 %%0, [%%1];" : "=r"(x) : "r"(there) : "memory");
%(body)s
  asm volatile("barrier.cluster.arrive.aligned;\\nbarrier.cluster.wait.aligned;" ::: "memory");
  p[threadIdx.x] = x;
}
#else
__global__ void %(name)s(int *p, int x) {
%(body)s
  p[threadIdx.x] = x;
}
#endif"""

FAMILY_KERNEL = """__global__ void __launch_bounds__(128) %(name)s(int *p, int x) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  float c[4] = {0, 1, 2, 3};
  const unsigned long long a = (unsigned long long)p;
  asm volatile("wgmma.fence.sync.aligned;\\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%0, %%1, %%2, %%3}, %%4, %%5, 1, 1, 1, 0, 0;\\n"
               "wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(a), "l"(a + 64));
  x += (int)(c[0] + c[3]);
#elif defined(__CUDA_ARCH_FEAT_SM100_ALL) || defined(__CUDA_ARCH_FEAT_SM103_ALL) || \\
    defined(__CUDA_ARCH_FEAT_SM110_ALL)
  __shared__ unsigned columns;
  unsigned here;
  asm("%(address)s" : "=r"(here) : "l"(&columns));
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%%0], 32;\\n"
               "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" :: "r"(here) : "memory");
  __syncthreads();
  x += columns;
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%0, 32;" :: "r"(columns));
#endif
%(body)s
  p[threadIdx.x] = x;
}"""


def add_clusters(program, dice):
    file = dice.pick(program.cuda_files)
    file.native = True
    name = program.unique("cluster_kernel")
    body = "\n".join(program.statements(file, dice, -1, dice.between(0, 3), True, True))
    file.define(CLUSTER_KERNEL % {"name": name, "width": dice.pick([1, 2, 4, 8]), "body": body,
                                  "address": SHARED_ADDRESS})
    program.kernels.append(name)


def add_family_specific(program, dice):
    file = dice.pick(program.cuda_files)
    file.native = True
    name = program.unique("family_kernel")
    body = "\n".join(program.statements(file, dice, -1, dice.between(0, 3), True, True))
    file.define(FAMILY_KERNEL % {"name": name, "body": body, "address": SHARED_ADDRESS})
    program.kernels.append(name)


def add_async(program, dice):
    file = dice.pick(program.cuda_files)
    file.native = True
    source = program.unique("source")
    file.declare("__device__ int4 %s[4];" % source)
    guarded = lambda least, text: "\n#if __CUDA_ARCH__ >= %d\n  %s\n#endif\n" % (least, text)
    steps = [guarded(800, 'asm volatile("redux.sync.add.s32 %0, %0, 0xffffffff;" : "+r"(x));'),
             guarded(800, '{ __shared__ int4 landing[4]; unsigned to; asm("' + SHARED_ADDRESS +
                     '" : "=r"(to) : "l"(&landing[x & 3])); '
                     'asm volatile("cp.async.cg.shared.global [%%0], [%%1], 16;\\ncp.async.wait_all;" '
                     ':: "r"(to), "l"(&%s[x & 3]) : "memory"); x += landing[x & 3].y; }' % source),
             guarded(800, '{ __shared__ unsigned long long gate; unsigned to; asm("' + SHARED_ADDRESS +
                     '" : "=r"(to) : "l"(&gate)); asm volatile("mbarrier.init.shared.b64 [%0], 1;" '
                     ':: "r"(to) : "memory"); }'),
             guarded(900, 'asm volatile("griddepcontrol.wait;\\ngriddepcontrol.launch_dependents;" '
                     '::: "memory");'),
             guarded(900, 'asm volatile("fence.proxy.async;" ::: "memory");')]
    for text in dice.sample(steps, dice.between(1, 3)):
        program.offer(Step(text, file))
