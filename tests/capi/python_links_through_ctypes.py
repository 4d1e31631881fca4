#!/usr/bin/env python3
"""Links two objects, reads the result and gets messages, from Python with nothing but ctypes.

Shows that the interface needs no header: every value is an integer, a pointer or text, and handles
are pointers. Skipped where this Python cannot load the library, which may be for another machine.
"""
import _ctypes
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("CULINK_BUILD", SOURCE / "build/release"))
OBJECTS = SOURCE / "examples/vector_math/sm_90"


class Function(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p),
                ("symbol", ctypes.c_uint32), ("kernel", ctypes.c_int32),
                ("code_bytes", ctypes.c_uint64), ("shared_bytes", ctypes.c_uint64),
                ("local_bytes", ctypes.c_uint64), ("constant_bytes", ctypes.c_uint64),
                ("registers", ctypes.c_int64)]  # what is behind it is not asked for


def load():
    path = BUILD / "lib/libculink.so.0"
    if not path.exists():
        print("skipped: no shared library in this build")
        sys.exit(77)
    library = ctypes.CDLL(str(path))
    for name in ("culink_version", "culink_link_error", "culink_result_log", "culink_message_id"):
        getattr(library, name).restype = ctypes.c_char_p
    for name in ("culink_result_bytes", "culink_result_message"):
        getattr(library, name).restype = ctypes.c_void_p
    for name in ("culink_result_message_count", "culink_cubin_function_count"):
        getattr(library, name).restype = ctypes.c_size_t
    return library


def link(library, files):
    """The status and the result of a link; the caller destroys the result."""
    handle, result = ctypes.c_void_p(), ctypes.c_void_p()
    assert library.culink_link_create(ctypes.byref(handle)) == 0
    assert library.culink_link_add_option(handle, b"-arch=sm_90") == 0
    assert library.culink_link_add_option(handle, b"--such") == 4
    assert b"--such" in library.culink_link_error(handle), library.culink_link_error(handle)
    for file in files:
        data = file.read_bytes()
        assert library.culink_link_add_copy(handle, file.name.encode(), data,
                                            ctypes.c_size_t(len(data))) == 0
    status = library.culink_link_run(handle, ctypes.byref(result))
    library.culink_link_destroy(handle)
    return status, result


def registers(library, data):
    cubin = ctypes.c_void_p()
    assert library.culink_cubin_open_bytes(ctypes.byref(cubin), None, data,
                                           ctypes.c_size_t(len(data))) == 0
    out = {}
    for i in range(library.culink_cubin_function_count(cubin)):
        function = Function(ctypes.sizeof(Function))
        assert library.culink_cubin_function(cubin, ctypes.c_size_t(i), ctypes.byref(function)) == 0
        out[function.name] = function.registers
    library.culink_cubin_destroy(cubin)
    return out


def main():
    library = load()
    assert library.culink_version().count(b".") == 2
    files = [OBJECTS / "main.cubin", OBJECTS / "filter.cubin"]
    status, result = link(library, files)
    assert status == 0, library.culink_result_log(result, 0)
    size = ctypes.c_size_t()
    address = library.culink_result_bytes(result, ctypes.byref(size))
    data = ctypes.string_at(address, size.value)
    library.culink_result_destroy(result)
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "linked.cubin"
        subprocess.run([os.environ["CULINK"], "-arch=sm_90", *map(str, files), "-o", str(output)],
                       check=True)
        assert output.read_bytes() == data, "not what the program links"
    assert registers(library, data)[b"_Z6smoothPKfPfi"] == 36

    status, result = link(library, files[:1])
    assert status == 5
    ids = {library.culink_message_id(ctypes.c_void_p(library.culink_result_message(
        result, ctypes.c_size_t(i)))) for i in range(library.culink_result_message_count(result))}
    assert b"undefined-reference" in ids, ids
    library.culink_result_destroy(result)

    # Nothing of it stays in a process that unloads it.
    _ctypes.dlclose(library._handle)
    maps = pathlib.Path("/proc/self/maps")
    assert not maps.exists() or "libculink" not in maps.read_text(), "cannot be unloaded"
    return 0


if __name__ == "__main__":
    sys.exit(main())
