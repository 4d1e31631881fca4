#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clients of nvJitLink in Python, unchanged: cuda-bindings, cuda.core's Linker, numba-cuda's linker.

    python_clients.py CLIENT FOLDER

CLIENT is a function below; FOLDER has main.cubin, filter.cubin and filter.o of an example. They link without a device.
"""
import importlib.metadata
import pathlib
import sys


def read(folder, name):
    return (pathlib.Path(folder) / name).read_bytes()


def bindings(folder):
    """The module's functions, and its exceptions."""
    from cuda.bindings import nvjitlink
    handle = nvjitlink.create(2, ["-arch=sm_90", "-verbose"])
    for name in ("main.cubin", "filter.cubin"):
        data = read(folder, name)
        nvjitlink.add_data(handle, nvjitlink.InputType.CUBIN, data, len(data), name)
    nvjitlink.complete(handle)
    cubin = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, cubin)
    log = bytearray(nvjitlink.get_info_log_size(handle))
    nvjitlink.get_info_log(handle, log)
    nvjitlink.destroy(handle)
    assert cubin[:4] == b"\x7fELF" and b"registers" in log
    for options, inputs, expected in ((["-fictitious"], (), "UNRECOGNIZED_OPTION"),
                                      (["-arch=sm_90"], ("main.cubin",), "INTERNAL")):
        try:
            handle = nvjitlink.create(len(options), options)
            for name in inputs:
                nvjitlink.add_file(handle, nvjitlink.InputType.ANY, str(pathlib.Path(folder) / name))
            nvjitlink.complete(handle)
        except nvjitlink.nvJitLinkError as error:
            assert expected in str(error), error
        else:
            raise AssertionError(f"no {expected}")
    return "cuda-bindings", cubin


def core(folder):
    """Linker over objects of several kinds."""
    try:
        from cuda.core import Linker, LinkerOptions, ObjectCode
    except ImportError:
        from cuda.core.experimental import Linker, LinkerOptions, ObjectCode
    pieces = [ObjectCode.from_cubin(read(folder, "main.cubin"), name="main"),
              ObjectCode.from_object(read(folder, "filter.o"), name="filter")]
    linker = Linker(*pieces, options=LinkerOptions(arch="sm_90"))
    code = linker.link("cubin")
    assert not linker.get_error_log()
    try:
        Linker(pieces[0], options=LinkerOptions(arch="sm_90")).link("cubin")
    except Exception as error:  # its class is the package's own matter
        text = "".join(getattr(error, "__notes__", [])) + str(error)
        assert "Undefined reference" in text and "main" in text, text
    else:
        raise AssertionError("an undefined symbol was linked")
    return "cuda-core", code.code


def numba(folder):
    """The linker behind @cuda.jit(link=[...]), for files."""
    from numba.cuda.cudadrv.driver import _Linker
    linker = _Linker(cc=(9, 0))
    for name in ("main.cubin", "filter.o"):
        linker.add_file_guess_ext(str(pathlib.Path(folder) / name))
    return "numba-cuda", linker.complete().code


def main():
    name, cubin = {"bindings": bindings, "core": core, "numba": numba}[sys.argv[1]](sys.argv[2])
    pathlib.Path(sys.argv[1] + ".cubin").write_bytes(cubin)
    print(f"{name} {importlib.metadata.version(name)}: linked, {len(cubin)} bytes")


if __name__ == "__main__":
    main()
