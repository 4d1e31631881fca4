#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Link-time optimisation through the C interface, called with ctypes.

Without a compiler its recorded answers are played back (optimised_programs.py), and the outputs are those of
nvlink 13.0.88. Where nvcc and libnvJitLink are installed, the same files are compiled, from bytes and by
the tools that culink_link_find_tools finds, and the outputs are those of the program culink. Skipped where this
Python cannot load the library, which may be for another machine.
"""

import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORDED = HERE / "recorded"
BUILD = pathlib.Path(os.environ.get("CULINK_BUILD", HERE.parents[1] / "build/release"))
OK, FAILED = 0, 5

# Names in recorded/expected: options and inputs.
PLAYED = {
    "fatbins": (["-lto"], ["main.fatbin", "math.fatbin"]),
    "raw-modules": (["-lto"], ["main.ltoir", "math.ltoir"]),
    "partial": (["-lto"], ["main.o", "math.cubin"]),
    "relocatable": (["-lto", "-r"], ["main.o", "math.o"]),
    "registers": (["-lto", "-maxrregcount=32"], ["main.o", "math.o"]),
    "text": (["-lto", "-emit-ptx"], ["main.o", "math.o"]),
}


def load():
    library = ctypes.CDLL(str(BUILD / "lib/libculink.so.0"))
    for name in ("culink_link_error", "culink_result_log", "culink_result_ptx", "culink_link_tool"):
        getattr(library, name).restype = ctypes.c_char_p
    library.culink_result_bytes.restype = ctypes.c_void_p
    return library


class Links:
    def __init__(self, library, tools):
        self.library, self.tools = library, tools

    def run(self, options, files):
        """The status, what was linked or written as text, and the messages."""
        library, handle, result = self.library, ctypes.c_void_p(), ctypes.c_void_p()
        assert library.culink_link_create(ctypes.byref(handle)) == OK
        self.tools(handle)
        for option in options:
            assert library.culink_link_add_option(handle, option.encode()) == OK, library.culink_link_error(handle)
        for file in files:
            data = file.read_bytes()
            assert library.culink_link_add_copy(handle, file.name.encode(), data, ctypes.c_size_t(len(data))) == OK
        status = library.culink_link_run(handle, ctypes.byref(result))
        library.culink_link_destroy(handle)
        size = ctypes.c_size_t()
        place = library.culink_result_bytes(result, ctypes.byref(size))
        made = library.culink_result_ptx(result) or (ctypes.string_at(place, size.value) if place else None)
        said = library.culink_result_log(result, 0).decode()
        library.culink_result_destroy(result)
        return status, made, said


def play_back(library):
    """Recorded answers in the place of the compilers: nvlink's outputs."""
    def tools(handle):
        for kind, path in ((b"libnvJitLink", BUILD / "bin/libplayback_engine.so"), (b"culink", BUILD / "bin/culink"),
                           (b"ptxas", HERE / "playback_ptxas.py")):
            assert library.culink_link_set_tool(handle, kind, str(path).encode()) == OK
    os.environ["CULINK_PLAYBACK"] = str(RECORDED / "answers")
    links = Links(library, tools)
    with tempfile.TemporaryDirectory() as folder:  # culink looks whether nvlink would find its compiler
        os.chdir(folder)
        os.makedirs("toolkit/lib64")
        pathlib.Path("toolkit/lib64/libnvvm.so").touch()
        for name, (options, files) in PLAYED.items():
            words = ["-arch=sm_90", "--emulate=nvlink-13.0.88", "-nvvmpath=toolkit", *options]
            _, made, said = links.run(words, [RECORDED / file for file in files])
            if made != (RECORDED / "expected" / name).read_bytes():
                yield f"{name}: the output is not nvlink's; {said}"
        os.chdir(HERE)


def refuse(library):
    """Without tools, and with what is no LTO-IR: messages, and nothing else."""
    links = Links(library, lambda handle: None)
    status, made, said = links.run(["-arch=sm_90", "-dlto"], [RECORDED / "main.fatbin"])
    if (status, made) != (FAILED, None) or "libnvJitLink" not in said:
        yield f"without a compiler: {status}, {said}"


def compile_all(library, cuda, folder):
    """With the compilers of a toolkit: outputs of the program."""
    def tools(handle):
        assert library.culink_link_set_tool(handle, b"culink", str(BUILD / "bin/culink").encode()) == OK
        assert library.culink_link_find_tools(handle, cuda.encode()) == OK
        assert library.culink_link_tool(handle, b"libnvJitLink")
    links = Links(library, tools)
    for target in ("sm_90", "sm_100"):
        for options, files in ((["-dlto"], ("main.fatbin", "math.fatbin")), (["-dlto", "-emit-ptx"], ("main.fatbin", "math.fatbin")),
                               (["-dlto", "-r"], ("main.o", "math.o")), (["-dlto", "-split-compile=2"], ("main.ltoir", "math.ltoir"))):
            words = [f"-arch={target}", *options]
            status, made, said = links.run(words, [RECORDED / file for file in files])
            done = subprocess.run([BUILD / "bin/culink", f"--cuda={cuda}", *words, *(RECORDED / file for file in files), "-o", "linked"],
                                  cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0 or status != OK or made != (folder / "linked").read_bytes():
                yield f"{words}: {status}, {said}, the program: {done.stderr}"
    status, made, said = links.run(["-arch=sm_90", "-dlto"], [RECORDED / "cut.ltoir"])
    if (status, made) != (FAILED, None) or "cut.ltoir" not in said:
        yield f"a damaged module: {status}, {said}"


def main():
    if not (BUILD / "lib/libculink.so.0").exists() or not (BUILD / "bin/libplayback_engine.so").exists():
        print("skipped: no shared library in this build")
        return 77
    try:
        library = load()
    except OSError as error:
        print(f"skipped: {error}")
        return 77
    found = [*play_back(library), *refuse(library)]
    nvcc = shutil.which("nvcc")
    cuda = os.environ.get("CUDA_HOME") or (os.path.dirname(os.path.dirname(os.path.realpath(nvcc))) if nvcc else "")
    if any(os.path.exists(f"{cuda}/{lib}/libnvJitLink.so.13") for lib in ("lib", "lib64")):
        with tempfile.TemporaryDirectory() as folder:
            found += compile_all(library, cuda, pathlib.Path(folder))
    else:
        print("no compiler here: recorded answers only")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
