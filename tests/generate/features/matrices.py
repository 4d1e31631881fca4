# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions of every kind: half, single, double, integer, one-bit and eight-bit precision, dense
and sparse, of warps and of warp groups. Each target has those that its compiler knows."""

from program import LEVEL_TEMPLATE, Step

# Condition, instruction, registers of the accumulator, of A, of B; what follows them.
KINDS = [
    ("__CUDA_ARCH__ >= 750", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", "rr", "rr", "r", ""),
    ("__CUDA_ARCH__ >= 750", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "ffff", "rr", "r", ""),
    ("__CUDA_ARCH__ >= 750", "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", "rr", "r", "r", ""),
    ("__CUDA_ARCH__ >= 750", "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32", "rr", "r", "r", ""),
    ("__CUDA_ARCH__ >= 750", "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32", "rr", "r", "r", ""),
    ("__CUDA_ARCH__ >= 750 && __CUDA_ARCH__ < 900", "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
     "rr", "r", "r", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "rr", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "ffff", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "ffff", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", "dd", "d", "d", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", "rrrr", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "rrrr", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", "rrrr", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 800", "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "rrrr", "rr", "rr", ", %x, 0x0"),
    ("__CUDA_ARCH__ >= 800", "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", "ffff", "rrrr", "rrrr",
     ", %x, 0x0"),
    ("__CUDA_ARCH__ >= 890", "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", "ffff", "rrrr", "rr", ""),
    ("__CUDA_ARCH__ >= 900", "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", "dddd", "dddd", "dd", ""),
    ("(defined(__CUDA_ARCH_FEAT_SM120_ALL) || defined(__CUDA_ARCH_FEAT_SM121_ALL))",
     "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e3m2.e2m1.f32", "ffff", "rrrr", "rr", ""),
]
TYPES = {"r": "int", "f": "float", "d": "double"}


def statement(kind):
    """One instruction with operands that depend on x, and x that depends on the result."""
    condition, name, accumulator, first, second, rest = kind
    lines, operands = [], []
    for prefix, registers in (("c", accumulator), ("a", first), ("b", second)):
        for index, register in enumerate(registers):
            lines.append("%s %s%d = x + %d;" % (TYPES[register], prefix, index, index))
            operands.append((prefix, index, register))
    place = {(prefix, index): "%%%d" % number for number, (prefix, index, _) in enumerate(operands)}
    group = {prefix: "{%s}" % ", ".join(place[p, i] for p, i, _ in operands if p == prefix) for prefix in "cab"}
    rest = rest.replace("%x", "%%%d" % len(operands))
    outputs = ", ".join('"+%s"(%s%d)' % (r, p, i) for p, i, r in operands if p == "c")
    inputs = ", ".join(['"%s"(%s%d)' % (r, p, i) for p, i, r in operands if p != "c"] + (['"r"(x)'] if rest else []))
    text = '{ %s asm volatile("%s %s, %s, %s, %s%s;" : %s : %s); x += (int)c0; }' % (
        " ".join(lines), name, group["c"], group["a"], group["b"], group["c"], rest, outputs, inputs)
    return "\n#if %s\n  %s\n#endif\n" % (condition, text)


def add_matrices(program, dice):
    """Steps for one or two files, and functions that others call."""
    for file in dice.sample(program.cuda_files, dice.between(1, 2)):
        file.native = True
        for kind in dice.sample(KINDS, dice.between(2, 5)):
            program.offer(Step(statement(kind), file))
        if dice.chance(0.5):
            name = program.unique("matrix")
            lines = "".join(statement(kind) for kind in dice.sample(KINDS, dice.between(1, 3)))
            file.define("__device__ __noinline__ int %s(int x) {%s  return x; }" % (name, lines))
            program.offer(Step("x += %s(x);" % name, None, ["__device__ int %s(int x);" % name], LEVEL_TEMPLATE))
