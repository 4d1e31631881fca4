# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA compiler as separate, reproducible steps.

nvcc records the working directory and the names of its temporary files in what it makes (in the
names of static variables, in debug information, in the .note.nv.tkinfo record). Here the same
programs that nvcc runs are called one by one with fixed names, so that an object depends on the
source and the options only. It is also faster: one PTX file serves many targets, and programs that
declare their few device functions themselves do not parse the CUDA headers.
"""

import os
import re
import shutil
import subprocess
import tempfile
import zlib

# What culink links is compared, not what it remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

HEADERS_TINY = "tiny"   # only tiny_device_api.h
HEADERS_FULL = "full"   # what nvcc includes by itself: cuda_runtime.h

# Among the flags of the compiler: what --device-entity-has-hidden-visibility=false of nvcc does.
VISIBLE = "visible"

HERE = os.path.dirname(os.path.abspath(__file__))


class ToolError(RuntimeError):
    """A compiler step failed; the text holds its command and messages."""


def release_of(nvcc):
    """(13, 0) for nvcc 13.0."""
    done = subprocess.run([nvcc, "--version"], stdout=subprocess.PIPE, text=True, check=False)
    match = re.search(r"release (\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in match.groups()) if match else (0, 0)


def find_toolkit():
    """Returns the folder of a toolkit that knows all our targets (13.0 or later), or None."""
    candidates = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH")]
    nvcc = shutil.which("nvcc")
    if nvcc:
        candidates.append(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))))
    candidates.append("/usr/local/cuda")
    for folder in candidates:
        nvcc = os.path.join(folder, "bin", "nvcc") if folder else ""
        if os.access(nvcc, os.X_OK) and release_of(nvcc) >= (13, 0):
            return folder
    return None


def compute_of(target):
    """sm_90a -> 90a."""
    return target.split("_", 1)[1]


def number_of(target):
    """sm_90a -> 90."""
    return int(compute_of(target).rstrip("af"))


# The newest PTX that the ptxas of a release reads.
PTX_OF_RELEASE = {(11, 8): "7.8", (12, 0): "8.0", (12, 1): "8.1", (12, 2): "8.2", (12, 3): "8.3",
                  (12, 4): "8.4", (12, 5): "8.5", (12, 6): "8.5", (12, 8): "8.7", (12, 9): "8.8",
                  (13, 0): "9.0", (13, 1): "9.1", (13, 2): "9.2", (13, 3): "9.3", (13, 4): "9.4"}
OWN = "own"  # among assemblers: that of the toolkit which compiles


class Assembler:
    """ptxas of any release. Older ones get PTX that calls itself as old as they are; what they do not know
    of it they refuse."""

    def __init__(self, folder):
        self.folder = folder
        self.ptxas = os.path.join(folder, "bin", "ptxas")
        self.release = release_of(self.ptxas)
        self.newest_ptx = PTX_OF_RELEASE.get(self.release)

    def lower(self, folder, ptx):
        """Returns the file that ptxas gets: folder/ptx, or a copy of an older version."""
        if not self.newest_ptx:
            return ptx
        with open(os.path.join(folder, ptx), encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
        version = re.search(r"^\s*\.version\s+(\d+)\.(\d+)", text, re.MULTILINE)
        if version and tuple(map(int, version.groups())) <= tuple(map(int, self.newest_ptx.split("."))):
            return ptx
        lowered = "ptx-%s.%s" % (self.newest_ptx, os.path.basename(ptx))
        text = re.sub(r"^(\s*\.version\s+)\d+\.\d+", r"\g<1>" + self.newest_ptx, text, count=1,
                      flags=re.MULTILINE)
        with open(os.path.join(folder, lowered), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return lowered


class Toolchain:
    """Programs of a toolkit; `linker` may be the folder of another one, whose nvlink is taken, and
    `assemblers` the folders of toolkits whose ptxas make the objects, in turn. OWN among these makes its
    share, and what the others refuse."""

    def __init__(self, folder=None, linker=None, assemblers=()):
        self.folder = folder or find_toolkit()
        if self.folder is None:
            raise ToolError("nvcc not found")
        program = lambda *parts: os.path.join(self.folder, *parts)
        self.nvcc = program("bin", "nvcc")
        self.ptxas = program("bin", "ptxas")
        self.nvlink = os.path.join(linker or self.folder, "bin", "nvlink")
        self.assemblers = [Assembler(self.folder if place == OWN else place) for place in assemblers]
        self.own_takes_rest = OWN in assemblers
        self.fatbinary = program("bin", "fatbinary")
        self.cicc = program("nvvm", "bin", "cicc")
        self.libraries = program("lib64")
        self.include = program("include")
        self.host_compiler = shutil.which("gcc") or "gcc"
        self.host_version = None

    def run(self, command, cwd=None, check=True):
        done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
        if check and done.returncode != 0:
            raise ToolError("%s\n%s" % (" ".join(command), done.stdout))
        return done

    def gnu_version(self):
        """The host compiler's version as the device compiler wants it: 120200 for 12.2.0."""
        if self.host_version is None:
            text = self.run([self.host_compiler, "-dumpfullversion"]).stdout
            major, minor, patch = (text.strip() + ".0.0").split(".")[:3]
            self.host_version = "%d%02d%02d" % (int(major), int(minor), int(patch))
        return self.host_version

    def preprocess(self, folder, source, output, compute, headers=HEADERS_TINY):
        number = compute.rstrip("af")
        command = [self.host_compiler, "-E", "-x", "c++", "-D__CUDACC__", "-D__NVCC__",
                   "-D__CUDACC_RDC__", "-D__CUDA_ARCH__=%s0" % number,
                   "-D__CUDA_ARCH_LIST__=%s0" % number]
        if compute[-1] == "a":
            command.append("-D__CUDA_ARCH_FEAT_SM%s_ALL" % number)
        if headers == HEADERS_FULL:
            major, minor = release_of(self.nvcc)
            command += ["-DCUDA_DOUBLE_MATH_FUNCTIONS", "-D__CUDACC_VER_MAJOR__=%d" % major,
                        "-D__CUDACC_VER_MINOR__=%d" % minor, "-D__CUDACC_VER_BUILD__=88",
                        "-D__CUDA_API_VER_MAJOR__=%d" % major, "-D__CUDA_API_VER_MINOR__=%d" % minor,
                        "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1",
                        "-I" + self.include, "-isystem", os.path.join(self.include, "cccl"),
                        "-include", "cuda_runtime.h"]
        else:
            command += ["-I" + HERE, "-include", "tiny_device_api.h"]
        self.run(command + [source, "-o", output], cwd=folder)

    def compile_to_ptx(self, folder, source, ptx, compute, headers=HEADERS_TINY, debug=False,
                       lineinfo=False, flags=()):
        """Compiles folder/source for compute ('90a') into folder/ptx."""
        with tempfile.TemporaryDirectory() as scratch:
            at = lambda name: os.path.join(scratch, name)
            self.preprocess(folder, source, at("unit.ii"), compute, headers)
            hide_folders(at("unit.ii"), [HERE + "/", self.include + "/"])
            hidden = [] if VISIBLE in flags else ["--device-hidden-visibility"]
            command = [self.cicc, "--c++17"] + hidden + ["--gnu_version=" + self.gnu_version(),
                       "--orig_src_file_name", source, "--orig_src_path_name", "/" + source,
                       "--allow_managed", "--device-c", "-arch", "compute_" + compute, "-m64",
                       "--no-version-ident", "-ftz=0", "-prec_div=1", "-prec_sqrt=1", "-fmad=1",
                       "--include_file_name", "unit.fatbin.c", "-tused",
                       "--gen_module_id_file", "--module_id_file_name", at("unit.module_id"),
                       "--gen_c_file_name", at("unit.c"), "--stub_file_name", at("unit.stub.c"),
                       "--gen_device_file_name", at("unit.gpu")]
            if debug:
                command += ["--debug_mode", "-g", "-O0"]
            elif lineinfo:
                command.append("-generate-line-info")
            # Run from the root folder: the compiler writes its working directory into debug
            # information.
            flags = [flag for flag in flags if flag != VISIBLE]
            self.run(command + flags + [at("unit.ii"), "-o", at("unit.ptx")], cwd="/")
            shutil.copyfile(at("unit.ptx"), os.path.join(folder, ptx))

    def assemble(self, folder, ptx, cubin, target, debug=False, lineinfo=False, flags=()):
        """Turns folder/ptx into the relocatable object folder/cubin."""
        chosen = self.assembler_of(folder, ptx)
        if not chosen:
            self.assemble_with(self.ptxas, folder, ptx, cubin, target, debug, lineinfo, flags)
            return
        try:
            self.assemble_with(chosen.ptxas, folder, chosen.lower(folder, ptx), cubin, target, debug,
                               lineinfo, flags)
        except ToolError:
            if not self.own_takes_rest:
                raise
            self.assemble_with(self.ptxas, folder, ptx, cubin, target, debug, lineinfo, flags)

    def assemble_with(self, ptxas, folder, ptx, cubin, target, debug, lineinfo, flags):
        command = [ptxas, "-arch=" + target, "-m64", "--compile-only"]
        if debug:
            command += ["-g", "--dont-merge-basicblocks", "--return-at-end"]
        elif lineinfo:
            command.append("--generate-line-info")
        self.run(command + list(flags) + [ptx, "-o", cubin], cwd=folder)

    def assembler_of(self, folder, ptx):
        """Whose turn it is. The text decides, so that each program is divided in another way."""
        if not self.assemblers:
            return None
        with open(os.path.join(folder, ptx), "rb") as file:
            return self.assemblers[zlib.crc32(file.read()) % len(self.assemblers)]

    def link(self, folder, inputs, output, target, options=(), device_runtime=False, check=True):
        command = [self.nvlink, "-arch=" + target] + list(options) + list(inputs)
        if device_runtime:
            command += ["-L" + self.libraries, "-lcudadevrt"]
        return self.run(command + ["-o", output], cwd=folder, check=check)


def hide_folders(path, folders):
    """Removes folders from the line markers of a preprocessed file, which end up in -lineinfo."""
    with open(path, "r", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    for folder in folders:
        text = text.replace(folder, "")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
