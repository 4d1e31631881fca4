# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of CUDA's device runtime library, for programs with dynamic parallelism.

nvlink takes libcudadevrt.a as it is; a comparison of linkers wants the object inside, as one more
input of both. The members of the library are host objects that carry fat binaries, whose entries are
compressed with Zstandard. The library is NVIDIA's: it is read where CUDA is installed and never
becomes a part of our tests.
"""

import ctypes
import ctypes.util
import glob
import os
import shutil
import subprocess

LIBRARY = "libcudadevrt.a"
FATBIN_MAGIC = b"\x50\xed\x55\xba"
KIND_CUBIN = 2


class NoDeviceRuntime(Exception):
    """Why there is none, for the person who runs the test."""


def find_library(toolkit):
    """Looks where the toolkit's packages for various systems put their libraries."""
    folders = [os.path.join(toolkit, "lib64"), os.path.join(toolkit, "lib")]
    folders += sorted(glob.glob(os.path.join(toolkit, "targets", "*", "lib")))
    folders.append(os.path.join(toolkit, "..", "cuda_runtime", "lib"))  # Python's packages of 12.x
    folders += ["/usr/lib/x86_64-linux-gnu", "/usr/lib64"]
    for folder in folders:
        path = os.path.join(folder, LIBRARY)
        if os.path.exists(path):
            return path
    raise NoDeviceRuntime("no %s below %s" % (LIBRARY, toolkit))


def unpack(data, size):
    """Zstandard through the system's library, which most systems have, or through its program."""
    name = ctypes.util.find_library("zstd") or "libzstd.so.1"
    try:
        zstd = ctypes.CDLL(name)
    except OSError:
        zstd = None
    if zstd is not None:
        zstd.ZSTD_decompress.restype = ctypes.c_size_t
        zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                         ctypes.c_size_t]
        room = ctypes.create_string_buffer(size)
        written = zstd.ZSTD_decompress(room, size, data, len(data))
        if written <= size:
            return room.raw[:written]
        raise NoDeviceRuntime("%s: damaged entry" % LIBRARY)
    if not shutil.which("zstd"):
        raise NoDeviceRuntime("neither libzstd nor the program zstd to unpack %s" % LIBRARY)
    done = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise NoDeviceRuntime("%s: damaged entry" % LIBRARY)
    return done.stdout


def extract(library, number):
    """The object for sm_<number>. Raises NoDeviceRuntime where the library has none."""
    with open(library, "rb") as file:
        data = file.read()
    field = lambda offset, size: int.from_bytes(data[offset:offset + size], "little")
    at = data.find(FATBIN_MAGIC)
    end = at + 16 + field(at + 8, 8) if at >= 0 else 0
    at += 16
    while at < end:
        kind, header, size = field(at, 2), field(at + 4, 4), field(at + 8, 8)
        packed, unpacked = field(at + 0x10, 4), field(at + 0x38, 8)
        if kind == KIND_CUBIN and field(at + 0x1c, 4) == number:
            start = at + header
            return unpack(data[start:start + packed], unpacked) if packed else (
                data[start:start + size])
        at += header + size
    raise NoDeviceRuntime("%s has no code for sm_%d" % (LIBRARY, number))
