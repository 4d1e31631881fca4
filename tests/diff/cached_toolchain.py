# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler and nvlink with a memory.

Compiling is most of the cost of a differential test, and neither ptxas nor nvlink changes its mind.
So each result is kept under a hash of what it was made from: the text of the source, the options,
the toolkit. A second run of the same programs only runs culink. The cache may be deleted at any time.
"""

import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import device_runtime
from device_runtime import NoDeviceRuntime

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "generate"))
from toolchain import HERE as GENERATOR, HEADERS_TINY, Toolchain, number_of, release_of  # noqa: E402

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

    def __init__(self, cache, folder=None, linker=None, assemblers=()):
        super().__init__(folder, linker, assemblers)
        self.cache = os.path.abspath(cache)
        self.identity = self.run([os.path.join(self.folder, "bin", "nvlink"), "--version"]).stdout
        self.linker_identity = self.run([self.nvlink, "--version"]).stdout
        self.other_linker = linker
        self.tiny_header = read(os.path.join(GENERATOR, "tiny_device_api.h"))

    def emulation(self):
        """The option with which culink imitates this nvlink, or library."""
        program = "nvjitlink-" if "nvJitLink" in self.linker_identity else "nvlink-"
        return "--emulate=" + program + re.search(r", V([\d.]+)", self.linker_identity).group(1)

    def engine(self):
        """The option that makes culink schedule Mercury code as this nvlink does, where its toolkit is not the
        one that culink finds. Some relocatable links need nvlink itself for that, not its library."""
        if not self.other_linker:
            return []
        folder = os.path.abspath(self.other_linker)
        if "nvJitLink" not in self.linker_identity:
            return ["--cuda=" + folder]
        return ["--finalizer=" + found for found in glob.glob(os.path.join(folder, "lib", "libnvJitLink.so.*"))[:1]]

    def linker_release(self):
        return release_of(self.nvlink)

    def place(self, kind, key):
        return os.path.join(self.cache, kind, key[:2], key[2:])

    def remember(self, place, target, make):
        """Copies the remembered file to `target`, or makes the target and remembers it."""
        if not os.path.exists(place):
            make()
            if os.path.exists(target):  # options may ask for no output
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
        key = hash_of(self.identity_of_assembler(folder, ptx), read(os.path.join(folder, ptx)), ptx, cubin,
                      json.dumps([target, debug, lineinfo, list(flags)]))
        make = lambda: super(CachedToolchain, self).assemble(
            folder, ptx, cubin, target, debug, lineinfo, flags)
        self.remember(self.place("cubin", key), os.path.join(folder, cubin), make)

    def identity_of_assembler(self, folder, ptx):
        assembler = self.assembler_of(folder, ptx)
        other = assembler and assembler.folder != self.folder
        return self.identity + (str(assembler.release) if other else "")

    def device_runtime(self, target):
        """The object of the device runtime library for a target: of the first toolkit that has one and is not
        newer than nvlink. NoDeviceRuntime if none has."""
        reasons = ["it is newer than the linker"]
        for folder, release in [(one.folder, one.release) for one in self.assemblers] + [
                (self.folder, release_of(self.nvcc))]:
            if release > self.linker_release():
                continue
            try:
                return self.extracted_runtime(folder, release, number_of(target))
            except NoDeviceRuntime as reason:
                reasons.append(str(reason))
        raise NoDeviceRuntime(reasons[-1])

    def extracted_runtime(self, folder, release, number):
        place = os.path.join(self.cache, "device_runtime", "%d.%d-sm_%d.cubin" % (*release, number))
        if not os.path.exists(place):
            put(place, device_runtime.extract(device_runtime.find_library(folder), number))
        return place


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
