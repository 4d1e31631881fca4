# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Textures, samplers and surfaces: as objects in CUDA, as references in PTX."""

from program import LEVEL_KERNEL


def add_objects(program, dice):
    file = dice.pick(program.cuda_files)
    read, kernel = program.unique("sampled"), program.unique("image_kernel")
    home = dice.pick(program.cuda_files)
    home.define('__device__ __noinline__ float %s(unsigned long long image, float at) {\n'
                '  float a, b, c, d;\n  asm volatile("tex.1d.v4.f32.f32 {%%0, %%1, %%2, %%3}, '
                '[%%4, {%%5}];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(image), "f"(at));\n'
                '  return a + d;\n}' % read)
    file.declare("__device__ float %s(unsigned long long image, float at);" % read)
    extra = dice.pick(['', '  asm volatile("txq.width.b32 %0, [%1];" : "=r"(x) : "l"(image));\n',
                       '  asm volatile("suq.width.b32 %0, [%1];" : "=r"(x) : "l"(canvas));\n'])
    lines = "\n".join(program.statements(file, dice, LEVEL_KERNEL, dice.between(0, 3), True, True))
    file.define('__global__ void %s(int *p, int x, unsigned long long image, unsigned long long '
                'canvas) {\n%s%s\n  x += (int)%s(image, x * 0.5f);\n'
                '  asm volatile("sust.b.1d.b32.clamp [%%0, {%%1}], {%%2};" :: "l"(canvas), '
                '"r"((int)threadIdx.x * 4), "r"(x));\n  p[threadIdx.x] = x;\n}'
                % (kernel, extra, lines, read))
    program.kernels.append(kernel)


LOADS = {
    "texref": "tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [NAME, {%x0}]; st.global.f32 [%p], %f0;",
    "surfref": "suld.b.1d.b32.trap %x1, [NAME, {%x0}]; st.global.u32 [%p+4], %x1;",
}
BODY = """  .reg .b64 %p; .reg .f32 %f<4>; .reg .b32 %x<4>;
  ld.param.u64 %p, [out];
  mov.u32 %x0, %tid.x;
"""


def add_references(program, dice):
    """One file defines references, it and others use them from kernels and functions."""
    files = [program.add_file("images", "ptx") for _ in range(dice.between(1, 3))]
    images = []
    for _ in range(dice.between(1, 4)):
        kind = dice.pick(["texref", "texref", "surfref"])
        name, home = program.unique(kind), dice.pick(files)
        home.declare(".visible .global .%s %s;" % (kind, name))
        images.append((kind, name, home))
    for file in files:
        for entry in range(dice.between(1, 2)):
            used = dice.sample(images, dice.between(0 if entry else 1, len(images)))
            lines = BODY
            for kind, name, home in used:
                if home is not file:
                    file.declare(".extern .global .%s %s;" % (kind, name))
                lines += "  " + LOADS[kind].replace("NAME", name) + "\n"
            if dice.chance(0.7):
                name = program.unique("reference_kernel")
                file.define(".visible .entry %s(.param .u64 out)\n{\n%s  ret;\n}" % (name, lines))
                program.kernels.append(name)
            else:
                name, caller = program.unique("reference_function"), program.unique("reference_kernel")
                file.define(".visible .func %s(.param .b64 out)\n{\n%s  ret;\n}" % (name, lines))
                file.define(".visible .entry %s(.param .u64 out)\n{\n  .reg .b64 %%p; .param .b64 a;\n"
                            "  ld.param.u64 %%p, [out];\n  st.param.b64 [a], %%p;\n  call %s, (a);\n"
                            "  ret;\n}" % (caller, name))
                program.kernels.append(caller)


def add_samplers(program, dice):
    """Independent samplers: a mode of a whole file."""
    file = program.add_file("samplers", "ptx")
    file.declarations = [".version 8.0\n.target sm_75, texmode_independent\n.address_size 64\n"]
    mode = dice.pick(["wrap", "mirror", "clamp_ogl", "clamp_to_edge"])
    file.declare(".visible .global .texref %s;" % program.unique("picture"))
    texture = "picture_%d" % program.counts["picture"]
    samplers = []
    for _ in range(dice.between(1, 2)):
        name = program.unique("sampler")
        file.declare(".visible .global .samplerref %s = { addr_mode_0 = %s, filter_mode = %s };"
                     % (name, mode, dice.pick(["nearest", "linear"])))
        samplers.append(name)
    lines = BODY + "  cvt.rn.f32.u32 %f0, %x0;\n"
    for name in samplers:
        lines += ("  tex.1d.v4.f32.f32 {%%f0, %%f1, %%f2, %%f3}, [%s, %s, {%%f0}];\n"
                  "  st.global.f32 [%%p], %%f1;\n" % (texture, name))
    kernel = program.unique("sampler_kernel")
    file.define(".visible .entry %s(.param .u64 out)\n{\n%s  ret;\n}" % (kernel, lines))
    program.kernels.append(kernel)
