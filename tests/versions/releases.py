# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row per release of CUDA whose tools can be had, and where from.

Whole toolchains of 13.1 to 13.4 are on Python's package index, in packages that share the folder
nvidia/cu13; of 13.5 there is libnvJitLink alone. Of 12.x that index has ptxas, libnvJitLink and, for 12.9,
libcudadevrt. nvlink of 12.4 and 11.8 is in Debian's non-free packages, for amd64 and arm64. Packages of 12.0 are
for x86-64 only.
"""
import dataclasses

# What a compiler, its headers, the device linker and an engine need; the second half are optional.
WHOLE = ("nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-nvjitlink",
         "nvidia-cuda-cccl")
OPTIONAL = ("nvidia-cuda-cuobjdump",)
ASSEMBLER = ("nvidia-cuda-nvcc-cu12", "nvidia-nvjitlink-cu12", "nvidia-cuda-runtime-cu12")
LIBRARY = ("nvidia-nvjitlink",)
DEBIAN = "pool/non-free/n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_%s_%s.deb"


@dataclasses.dataclass(frozen=True)
class Release:
    name: str          # "13.4"
    packages: tuple = ()
    optional: tuple = ()
    debian: str = ""   # version of the package
    emulated: bool = True  # culink can stand in for its linker

    def toolkit(self):
        """134 for 13.4, as files and src/driver/options/dialects.cc have it."""
        major, minor = self.name.split(".")
        return 10 * int(major) + int(minor)

    def requirement(self, package):
        """What pip is asked for. Headers of libraries are released more seldom: the newest that is not newer."""
        major, minor = (int(part) for part in self.name.split("."))
        if package == "nvidia-cuda-cccl":
            return "%s>=%d,<%d.%d" % (package, major, major, minor + 1)
        return "%s==%s.*" % (package, self.name)


RELEASES = (
    Release("11.8", debian="11.8.89~11.8.0-5~deb12u1", emulated=False),
    Release("12.0", ASSEMBLER, emulated=False),
    Release("12.4", debian="12.4.131~12.4.1-2"),
    Release("12.8", ASSEMBLER, emulated=False),
    Release("12.9", ASSEMBLER, emulated=False),
    Release("13.1", WHOLE, OPTIONAL),
    Release("13.2", WHOLE, OPTIONAL),
    Release("13.3", WHOLE, OPTIONAL),
    Release("13.4", WHOLE, OPTIONAL),
    Release("13.5", LIBRARY),
)


def find(name):
    for release in RELEASES:
        if release.name == name:
            return release
    raise SystemExit("unknown release %s; known: %s" % (name, ", ".join(row.name for row in RELEASES)))


def is_whole(release):
    """Whether nvcc and its headers are part of it."""
    return release.packages == WHOLE


def is_library(release):
    """Whether there is only libnvJitLink, which library_linker.py makes an nvlink of."""
    return release.packages == LIBRARY
