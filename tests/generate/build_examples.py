# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rebuilds every binary under examples/ from the sources beside it.

Called by scripts/regenerate-examples.sh where nvcc is installed. Besides the binaries it writes
examples/links.json, the list of recorded links: inputs, options and nvlink's output, which the
golden tests read.
"""

import json
import os
import shutil
import sys
import tempfile

from toolchain import HEADERS_FULL, ToolError, Toolchain, compute_of

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")

# Example: its files in link order.
PROGRAMS = {
    "vector_math": ["main.cu", "filter.cu"],
    "function_pointers": ["main.cu", "shapes.cu"],
    "weak_templates": ["forward.cu", "backward.cu"],
    "diagnostics": ["main.cu", "checks.cu"],
    "textures": ["sampling.cu", "references.ptx"],
}

# (folder beside the sources, target, programs, debug, lineinfo)
VARIANTS = [
    ("sm_80", "sm_80", ["vector_math"], False, False),
    ("sm_90", "sm_90", list(PROGRAMS), False, False),
    ("sm_100", "sm_100", ["vector_math"], False, False),
    ("sm_90-debug", "sm_90", ["diagnostics"], True, False),
    ("sm_80-lineinfo", "sm_80", ["vector_math"], False, True),
]

# Links beside the plain one: (program, folder, output, options)
SPECIAL_LINKS = [
    ("vector_math", "sm_90", "relocatable.cubin", ["-r"]),
    ("vector_math", "sm_80", "preserved.cubin", ["--preserve-relocs"]),
]

# Host objects carry a hash of the absolute source path, so they are made in one fixed folder.
HOST_FOLDER = os.path.join(tempfile.gettempdir(), "culink-examples")


def cubin_name(source):
    return os.path.splitext(source)[0] + ".cubin"


def build_objects(tools, program, folder, target, debug, lineinfo):
    home = os.path.join(EXAMPLES, program)
    shutil.rmtree(os.path.join(home, folder), ignore_errors=True)
    os.makedirs(os.path.join(home, folder))
    for source in PROGRAMS[program]:
        ptx = source
        if source.endswith(".cu"):
            ptx = os.path.splitext(source)[0] + ".ptx"
            tools.compile_to_ptx(home, source, ptx, compute_of(target), HEADERS_FULL, debug,
                                 lineinfo)
        tools.assemble(home, ptx, os.path.join(folder, cubin_name(source)), target, debug,
                       lineinfo)
        if ptx != source:
            os.remove(os.path.join(home, ptx))


def record_link(tools, program, folder, target, output, options):
    inputs = [cubin_name(source) for source in PROGRAMS[program]]
    place = os.path.join(EXAMPLES, program, folder)
    tools.link(place, inputs, output, target, options)
    return {"folder": "%s/%s" % (program, folder), "arch": target, "options": options,
            "inputs": inputs, "output": output}


def build_fatbin(tools, program, folders):
    """One fatbin per source, holding the objects of several targets."""
    place = os.path.join(EXAMPLES, program)
    os.makedirs(os.path.join(place, "fat"), exist_ok=True)
    for source in PROGRAMS[program]:
        name = os.path.splitext(source)[0]
        command = [tools.fatbinary, "--create=fat/%s.fatbin" % name, "-64", "-c",
                   "--cicc-cmdline=", "--ident=" + source]
        for folder in folders:
            command.append("--image3=kind=elf,sm=%s,file=%s/%s.cubin"
                           % (compute_of(folder), folder, name))
        tools.run(command, cwd=place)


def build_host_objects(tools, program):
    """What `nvcc -dc` gives: host code with the device objects inside."""
    shutil.rmtree(HOST_FOLDER, ignore_errors=True)
    shutil.copytree(os.path.join(EXAMPLES, program), HOST_FOLDER)
    try:
        for source in PROGRAMS[program]:
            output = os.path.splitext(source)[0] + ".o"
            tools.run([tools.nvcc, "-rdc=true", "-c", "--keep", "--keep-dir", HOST_FOLDER,
                       "-gencode", "arch=compute_80,code=sm_80",
                       "-gencode", "arch=compute_90,code=[sm_90,compute_90]",
                       source, "-o", output], cwd=HOST_FOLDER)
            shutil.copyfile(os.path.join(HOST_FOLDER, output),
                            os.path.join(EXAMPLES, program, "fat", output))
    finally:
        shutil.rmtree(HOST_FOLDER, ignore_errors=True)


def write_links(links):
    lines = [json.dumps(link) for link in links]
    with open(os.path.join(EXAMPLES, "links.json"), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


def main():
    try:
        tools = Toolchain()
        links = []
        for folder, target, programs, debug, lineinfo in VARIANTS:
            for program in programs:
                build_objects(tools, program, folder, target, debug, lineinfo)
                options = ["-g"] if debug else []
                links.append(record_link(tools, program, folder, target, "linked.cubin", options))
        targets = {folder: target for folder, target, _, _, _ in VARIANTS}
        for program, folder, output, options in SPECIAL_LINKS:
            links.append(record_link(tools, program, folder, targets[folder], output, options))
        build_fatbin(tools, "vector_math", ["sm_80", "sm_90"])
        build_host_objects(tools, "vector_math")
        write_links(links)
    except ToolError as error:
        print("error: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
