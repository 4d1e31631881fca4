#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvlink's command line in front of libnvJitLink, for releases of which there is only that library.

    FOLDER/bin/nvlink -arch=sm_90 a.cubin b.cubin -o out.cubin

set_up.py copies it to FOLDER/bin/nvlink, with the library in FOLDER/lib and the release in FOLDER/release. Options are
handed to the library, which refuses those that it does not have: -preserve-relocs, -suppress-debug-info, -v.
"""
import ctypes
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[1]
LIBRARY = "libnvJitLink.so.13"
KIND_CUBIN = 1
NEWEST = 9  # minor version of the functions' names


class Library:
    """Functions of libnvJitLink, whose names end in the release that they came with."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        self.handle = ctypes.c_void_p()

    def find(self, name):
        for minor in range(NEWEST, -1, -1):
            function = getattr(self.library, "__%s_13_%d" % (name, minor), None)
            if function:
                return function
        return getattr(self.library, name)

    def call(self, name, *arguments):
        if self.find(name)(self.handle, *arguments) != 0:
            self.print_log("Error")
            sys.exit("%s failed" % name)

    def print_log(self, kind):
        size = ctypes.c_size_t()
        self.find("nvJitLinkGet%sLogSize" % kind)(self.handle, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value + 1)
        self.find("nvJitLinkGet%sLog" % kind)(self.handle, text)
        for line in text.value.decode("utf-8", "replace").splitlines():
            print("nvlink " + line, file=sys.stderr)

    def create(self, options):
        words = (ctypes.c_char_p * len(options))(*[word.encode() for word in options])
        if self.find("nvJitLinkCreate")(ctypes.byref(self.handle), len(options), words) != 0:
            self.print_log("Error")
            sys.exit("the library does not take these options")

    def link(self, inputs):
        files = [(name.encode(), pathlib.Path(name).read_bytes()) for name in inputs]  # it makes no copies
        for name, data in files:
            self.call("nvJitLinkAddData", KIND_CUBIN, data, ctypes.c_size_t(len(data)), name)
        self.call("nvJitLinkComplete")
        size = ctypes.c_size_t()
        self.call("nvJitLinkGetLinkedCubinSize", ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        self.call("nvJitLinkGetLinkedCubin", image)
        return image.raw


def split(words):
    """Options, inputs and output of a command line."""
    options, inputs, output = [], [], None
    words = iter(words)
    for word in words:
        if word == "-o":
            output = next(words)
        else:
            (options if word.startswith("-") else inputs).append(word)
    return options, inputs, output


def main(words):
    if "--version" in words:
        release = (FOLDER / "release").read_text(encoding="utf-8").strip()
        print("nvJitLink, release %s, V%s" % (".".join(release.split(".")[:2]), release))
        return
    options, inputs, output = split(words)
    library = Library(FOLDER / "lib" / LIBRARY)
    library.create(options)
    image = library.link(inputs)
    library.print_log("Info")
    pathlib.Path(output).write_bytes(image)


if __name__ == "__main__":
    main(sys.argv[1:])
