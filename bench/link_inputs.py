"""Objects for the link benchmarks, in a moment instead of an hour of compilation.

Each shape is one or two small PTX texts that ptxas compiles once. The object is then copied once per
file with other numbers in its names: a name holds the number of its file (`this`), or of the file
after it (`next`), as five digits, so that all copies have the same length and no offset changes.
The copies are distinct objects that call each other, as those of a large program do.
"""
import os
import subprocess

THIS = "F00000F"
NEXT = "N00000N"
TARGET = "sm_90"
HEADER = f".version 9.0\n.target {TARGET}\n.address_size 64\n"


def set_target(target):
    """Makes everything from now on for another target."""
    global TARGET, HEADER
    TARGET = target
    HEADER = f".version 9.0\n.target {target}\n.address_size 64\n"


def declare(name):
    return f".extern .func (.param .b32 r) {name}(.param .b32 a);\n"


def call(name):
    return ("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; "
            f"call (q), {name}, (p); ld.param.b32 %r1, [q]; }}\n")


def function(linkage, name, body):
    return (f"{linkage} .func (.param .b32 r) {name}(.param .b32 a)\n{{ .reg .b32 %r<4>; "
            ".reg .b64 %d<4>; ld.param.u32 %r1, [a];\n" + body + "st.param.b32 [r], %r1; ret; }\n")


def kernel(name, body, before="", after=""):
    return (f".visible .entry {name}(.param .u64 out)\n{{ .reg .b32 %r<4>; .reg .b64 %d<4>; "
            ".reg .pred %c<4>;\n" + before + "ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;\n" +
            body + after + "st.global.u32 [%d1], %r1; ret; }\n")


def compile_ptx(text, folder, name):
    source, output = os.path.join(folder, name + ".ptx"), os.path.join(folder, name + ".template")
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run(["ptxas", "-c", f"-arch={TARGET}", source, "-o", output], check=True)
    with open(output, "rb") as file:
        return file.read()


def copies(template, folder, count):
    """`count` objects; the last one's successor is the first."""
    paths = []
    for i in range(count):
        path = os.path.join(folder, f"object{i:05}.cubin")
        data = template.replace(THIS.encode(), f"F{i:05}F".encode())
        data = data.replace(NEXT.encode(), f"F{(i + 1) % count:05}F".encode())
        with open(path, "wb") as file:
            file.write(data)
        paths.append(path)
    return paths


def helpers(folder, files, per_file=10):
    """A chain of functions through all files, and as many kernels that call its head.

    The head is in a file of its own, and so is the end of the chain."""
    text = HEADER + declare("chain_head") + declare(f"link{NEXT}0")
    for i in reversed(range(per_file)):
        following = f"link{THIS}{i + 1}" if i + 1 < per_file else f"link{NEXT}0"
        text += function(".visible", f"link{THIS}{i}",
                         f"mul.lo.u32 %r1, %r1, {i + 3};\n" + call(following))
    for i in range(per_file):
        text += kernel(f"kernel{THIS}{i}", call("chain_head"))
    head = HEADER + declare(f"link{THIS}0") + function(".visible", "chain_head",
                                                       call(f"link{THIS}0"))
    tail = HEADER + function(".visible", f"link{NEXT}0", "add.u32 %r1, %r1, 1;\n")
    paths = []
    for name, part, number in (("head", head, 0), ("tail", tail, files)):
        data = compile_ptx(part, folder, name)
        data = data.replace(THIS.encode(), b"F00000F").replace(NEXT.encode(), f"F{number:05}F".encode())
        paths.append(os.path.join(folder, name + ".cubin"))
        with open(paths[-1], "wb") as file:
            file.write(data)
    template = compile_ptx(text, folder, "helpers")
    for i in range(files):
        path = os.path.join(folder, f"object{i:05}.cubin")
        data = template.replace(THIS.encode(), f"F{i:05}F".encode())
        with open(path, "wb") as file:
            file.write(data.replace(NEXT.encode(), f"F{i + 1:05}F".encode()))
        paths.append(path)
    return paths


def templates(folder, files, instances=200):
    """Files that instantiate the same function templates."""
    names = [f"_Z5scaleILi{i}EEii" for i in range(instances)]
    text = HEADER
    for i, name in enumerate(names):
        text += function(".weak", name, f"mul.lo.u32 %r1, %r1, {2 * i + 3};\n"
                         f"mov.u32 %r2, %clock; xor.b32 %r1, %r1, %r2;\n")
    text += function(".visible", f"sum{THIS}", "".join(call(name) for name in names))
    text += kernel(f"kernel{THIS}", call(f"sum{THIS}"))
    return copies(compile_ptx(text, folder, "templates"), folder, files)


def bulk(folder, files, functions=40, kernels=40):
    """Functions with a variable each, and kernels with shared memory that call the next file."""
    return copies(compile_ptx(bulk_text(functions, kernels), folder, "bulk"), folder, files)


def change_bulk(path, folder, functions, kernels, number):
    """Writes the first object of a bulk of at least two again, with other code for each number."""
    data = compile_ptx(bulk_text(functions, kernels, number), folder, "changed")
    with open(path, "wb") as file:
        file.write(data.replace(THIS.encode(), b"F00000F").replace(NEXT.encode(), b"F00001F"))


def bulk_text(functions, kernels, number=0):
    text = HEADER
    for i in range(functions):
        text += f".visible .global .align 4 .u32 value{THIS}{i} = {i + 1};\n"
        text += declare(f"step{NEXT}{i}")
    for i in range(functions):
        text += function(".visible", f"step{THIS}{i}",
                         f"mov.u64 %d1, value{THIS}{i}; ld.global.u32 %r2, [%d1];\n"
                         f"mad.lo.u32 %r1, %r1, %r2, {number if number else '%r1'};\n")
    for i in range(kernels):
        buffer = f"buffer{i}"
        text += kernel(f"kernel{THIS}{i}",
                       f"mov.u32 %r2, {buffer}; st.shared.u32 [%r2], %r1; bar.sync 0;\n" +
                       call(f"step{NEXT}{i * 7 % functions}") +
                       call(f"step{NEXT}{(i * 7 + 1) % functions}"),
                       before=f".shared .align 4 .b8 {buffer}[128];\n",
                       after="ld.shared.u32 %r3, [%r2]; add.u32 %r1, %r1, %r3;\n")
    return text


def pair(folder, _files=2):
    """The everyday link: two objects, three functions."""
    text = HEADER + declare(f"far{NEXT}") + function(".visible", f"far{THIS}",
                                                     "add.u32 %r1, %r1, 1;\n")
    text += kernel(f"kernel{THIS}", call(f"far{NEXT}"))
    return copies(compile_ptx(text, folder, "pair"), folder, 2)


def runtime_pair(folder, _files=2):
    """Two objects of which one asks the device runtime library for an error."""
    asking = (".extern .func (.param .b32 r) cudaGetLastError();\n" +
              kernel("asking", "{ .param .b32 q; call (q), cudaGetLastError, (); "
                     "ld.param.b32 %r1, [q]; }\n" + call("near")))
    paths = []
    for name, text in (("asking", HEADER + declare("near") + asking),
                       ("near", HEADER + function(".visible", "near", "add.u32 %r1, %r1, 1;\n"))):
        paths.append(os.path.join(folder, name + ".cubin"))
        with open(paths[-1], "wb") as file:
            file.write(compile_ptx(text, folder, name))
    return paths


def library(folder, _files=2, functions=100, live=5, steps=100):
    """An object with many large functions, as a device library is, and a kernel that calls a few."""
    def body(number):
        text = "mov.u64 %d1, heap;\n"
        for i in range(steps):
            text += (f"ld.global.u32 %r2, [%d1+{4 * i}]; mad.lo.u32 %r1, %r2, {number * 7 + i}, %r1;\n"
                     f"setp.gt.u32 %c1, %r1, {i * 1001 + number}; @%c1 bra after{i};\n"
                     f"atom.global.add.u32 %r3, [%d1+{8 * i}], %r1; xor.b32 %r1, %r1, %r3;\n"
                     f"after{i}: st.global.u32 [%d1+{4 * i + 2048}], %r1;\n")
        return text

    text = HEADER + ".visible .global .align 8 .b8 heap[8192];\n"
    for i in range(functions):
        text += function(".visible", f"library{i}", ".reg .pred %c<2>;\n" + body(i))
    used = [f"library{i * functions // live}" for i in range(live)]
    user = HEADER + "".join(map(declare, used)) + kernel("user", "".join(map(call, used)))
    paths = []
    for name, part in (("user", user), ("library", text)):
        paths.append(os.path.join(folder, name + ".cubin"))
        with open(paths[-1], "wb") as file:
            file.write(compile_ptx(part, folder, name))
    return paths


def debug(folder, files, functions=20):
    """Objects of `nvcc -G`: functions and kernels with all that a debugger wants to know of them."""
    text = "struct Item { int key; float weight; Item* next; };\n"
    for i in range(functions):
        text += f'extern "C" __device__ int step{NEXT}{i}(Item* item, int value);\n'
    for i in range(functions):
        text += (f'extern "C" __device__ int step{THIS}{i}(Item* item, int value) {{\n'
                 f"  int sum = {i};\n  for (int k = 0; k < value; ++k) {{ sum += item->key * k; "
                 "if (item->next) item = item->next; }\n  return sum;\n}\n"
                 f'extern "C" __global__ void kernel{THIS}{i}(Item* items, int* out) {{\n'
                 f"  int here = threadIdx.x;\n  out[here] = step{NEXT}{i}(items + here, here);\n}}\n")
    source, output = os.path.join(folder, "debug.cu"), os.path.join(folder, "debug.template")
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run(["nvcc", "-G", "-rdc=true", "-cubin", f"-arch={TARGET}", source, "-o", output], check=True)
    with open(output, "rb") as file:
        return copies(file.read(), folder, files)
