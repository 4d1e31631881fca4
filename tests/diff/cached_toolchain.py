# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler and nvlink with a memory.

Compiling is most of the cost of a differential test, and neither ptxas nor nvlink changes its mind.
So each result is kept under a hash of what it was made from: the text of the source, the options,
the toolkit. A second run of the same programs only runs culink. The cache may be deleted at any time.
"""

import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import device_runtime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "generate"))
from toolchain import HERE as GENERATOR, HEADERS_TINY, Toolchain, ToolError, number_of, release_of  # noqa: E402

CRASHED = "crashed"
TIMEOUT_SECONDS = 120


def hash_of(*parts):
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            part = part.encode()
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def put(path, data):
    """Writes a file so that another process sees all of it or nothing."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path))
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, path)


class CachedToolchain(Toolchain):
    """A Toolchain whose results are remembered in a folder."""

    def __init__(self, cache, folder=None, linker=None, mix=(), assemblers=()):
        super().__init__(folder, linker, assemblers)
        self.cache = os.path.abspath(cache)
        self.identity = self.run([os.path.join(self.folder, "bin", "nvlink"), "--version"]).stdout
        self.linker_identity = self.run([self.nvlink, "--version"]).stdout
        self.tiny_header = read(os.path.join(GENERATOR, "tiny_device_api.h"))
        self.mixed = [Assembler(self, other) for other in mix]
        self.follows_inputs = bool(linker or mix)

    def emulation(self):
        """The option with which culink imitates this nvlink."""
        return "--emulate=nvlink-" + re.search(r", V([\d.]+)", self.linker_identity).group(1)

    def linker_release(self):
        return release_of(self.nvlink)

    def place(self, kind, key):
        return os.path.join(self.cache, kind, key[:2], key[2:])

    def remember(self, place, target, make):
        """Copies the remembered file to `target`, or makes the target and remembers it."""
        if not os.path.exists(place):
            make()
            put(place, read(target))
        else:
            shutil.copyfile(place, target)

    def compile_to_ptx(self, folder, source, ptx, compute, headers=HEADERS_TINY, debug=False,
                       lineinfo=False, flags=()):
        key = hash_of(self.identity, self.tiny_header, read(os.path.join(folder, source)), source,
                      json.dumps([compute, headers, debug, lineinfo, list(flags)]))
        make = lambda: super(CachedToolchain, self).compile_to_ptx(
            folder, source, ptx, compute, headers, debug, lineinfo, flags)
        self.remember(self.place("ptx", key), os.path.join(folder, ptx), make)

    def assemble(self, folder, ptx, cubin, target, debug=False, lineinfo=False, flags=()):
        key = hash_of(self.identity_of_assembler(ptx), read(os.path.join(folder, ptx)), ptx, cubin,
                      json.dumps([target, debug, lineinfo, list(flags)]))
        make = lambda: super(CachedToolchain, self).assemble(
            folder, ptx, cubin, target, debug, lineinfo, flags)
        turn = zlib.crc32(os.path.basename(cubin).encode()) % (len(self.mixed) + 1)
        if turn == 0 or not self.mixed[turn - 1].assemble(folder, ptx, cubin, target, debug,
                                                              lineinfo, flags):
            self.remember(self.place("cubin", key), os.path.join(folder, cubin), make)

    def identity_of_assembler(self, ptx):
        assembler = self.assembler_of(ptx)
        return self.identity + (str(assembler.release) if assembler and assembler.newest_ptx else "")

    def device_runtime(self, target):
        """The object of the device runtime library for a target; NoDeviceRuntime if it has none."""
        number = number_of(target)
        place = os.path.join(self.cache, "device_runtime", "sm_%d.cubin" % number)
        if not os.path.exists(place):
            put(place, device_runtime.extract(device_runtime.find_library(self.folder), number))
        return place


class Assembler:
    """The assembler of another toolkit, which makes some of a program's objects. It is given the text
    as one of the newest version it knows."""

    PTX_OF_CUDA = {(11, 8): "7.8", (12, 0): "8.0", (12, 4): "8.4", (12, 8): "8.7", (12, 9): "8.8"}

    def __init__(self, tools, folder):
        self.tools = tools
        self.ptxas = os.path.join(folder, "bin", "ptxas")
        self.identity = tools.run([self.ptxas, "--version"]).stdout
        release = tuple(map(int, re.search(r"release (\d+)\.(\d+)", self.identity).groups()))
        self.version = self.PTX_OF_CUDA.get(release) or "9.%d" % release[1]

    def assemble(self, folder, ptx, cubin, target, debug, lineinfo, flags):
        """Whether it could; what uses newer instructions it cannot."""
        text = re.sub(rb"(?m)^\.version [\d.]+", b".version " + self.version.encode(),
                      read(os.path.join(folder, ptx)))
        key = hash_of(self.identity, text, ptx, cubin, json.dumps([target, debug, lineinfo, list(flags)]))
        place = self.tools.place("cubin", key)
        if not os.path.exists(place):
            put(place, self.make(folder, text, ptx, cubin, target, debug, lineinfo, flags))
        data = read(place)
        if data:
            put(os.path.join(folder, cubin), data)
        return len(data) > 0

    def make(self, folder, text, ptx, cubin, target, debug, lineinfo, flags):
        with tempfile.TemporaryDirectory() as scratch:
            put(os.path.join(scratch, ptx), text)
            os.makedirs(os.path.dirname(os.path.join(scratch, cubin)), exist_ok=True)
            other = copy.copy(self.tools)
            other.ptxas = self.ptxas
            try:
                Toolchain.assemble(other, scratch, ptx, cubin, target, debug, lineinfo, flags)
            except ToolError:
                return b""
            return read(os.path.join(scratch, cubin))


class LinkMemory:
    """What nvlink answered to the links of one program for one target, as a JSON file."""

    def __init__(self, tools, name):
        self.tools = tools
        self.path = os.path.join(tools.cache, "links", name + ".json")
        self.records = {}
        self.changed = False
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.records = json.load(file)

    def save(self):
        if self.changed:
            put(self.path, json.dumps(self.records, indent=0).encode())

    def link(self, folder, arguments, inputs, output, keep):
        """Links with nvlink; returns {"status", "log", "sha256"}. Only with `keep` is folder/output
        sure to exist afterwards."""
        key = hash_of(self.tools.linker_identity, json.dumps(arguments),
                      *[read(os.path.join(folder, name)) for name in inputs])
        kept = self.tools.place("linked", key)
        record = self.records.get(key)
        if record and (not keep or record["status"] != 0 or os.path.exists(kept)):
            if keep and record["status"] == 0:
                shutil.copyfile(kept, os.path.join(folder, output))
            return record
        status, log = run_linker([self.tools.nvlink] + arguments, folder)
        record = {"status": status, "log": log, "sha256": ""}
        if status == 0:
            data = read(os.path.join(folder, output))
            record["sha256"] = hashlib.sha256(data).hexdigest()
            if keep:
                put(kept, data)
        self.records[key] = record
        self.changed = True
        return record


def run_linker(command, folder, environment=None):
    """Returns (exit status, messages); the status of a linker that was killed is CRASHED."""
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", timeout=TIMEOUT_SECONDS,
                              env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired:
        return CRASHED, "no answer within %d s" % TIMEOUT_SECONDS
    return (CRASHED if done.returncode < 0 else done.returncode), done.stdout
