# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forms in which builds hand device code to a linker.

A generated program is a list of cubins and their PTX. Here the same code is put into fatbins (for
one or several targets, raw, zstd, LZ4), host objects (as nvcc makes them, but through the assembler,
so that every list in them can be chosen), archives and mixtures of these. A form gives the words of
the command line that stand for the program.
"""

import os
import platform
import shutil
import subprocess

PACKINGS = {
    "raw": ["-c", "--compress-mode=none"],
    "zstd": ["-c"],
    "lz4": ["-c", "--compress-mode=speed"],
    "size": ["--compress-mode=size"],
    "plain": [],
}
# How the host's assembler is asked for objects of 64 and 32 bits: on x86-64, on aarch64.
ASSEMBLER = [{64: "--64", 32: "--32"}, {64: "-mabi=lp64", 32: "-mabi=ilp32"}]
OTHER_TARGETS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"]

HOST_OBJECT = """
 .section .nvFatBinSegment,"aw"
 .align 8
 .long 0x466243b1, 1
 .{word} code, 0
 .section __nv_relfatbin,"a"
 .align 8
code:
 .incbin "{fatbin}"
 .section __nv_module_id,"a"
 .string "{module}"
"""
LISTS = {".nvHRKE": "external", ".nvHRKI": "internal", ".nvHRDE": "", ".nvHRDI": "", ".nvHRCE": "",
         ".nvHRCI": ""}


class FormError(Exception):
    """A tool that makes a form failed."""


class Unit:
    """One translation unit of a program."""

    def __init__(self, file, cubin):
        self.file = file      # its part of the manifest
        self.cubin = cubin
        self.stem = os.path.splitext(cubin)[0]


class FormMaker:
    """Makes files of one program for one target in `folder`, where its cubins are."""

    def __init__(self, build, folder, target, dice):
        self.build = build
        self.tools = build.tools
        self.folder = folder
        self.target = target
        self.dice = dice
        self.count = 0

    def at(self, name):
        return os.path.join(self.folder, name)

    def run(self, command):
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise FormError("%s\n%s" % (" ".join(command), done.stdout))

    def name(self, unit, ending):
        self.count += 1
        return "%s.%d.%s" % (unit.stem, self.count, ending)

    def ptx(self, unit):
        """(file, the number it is for)"""
        made = self.build.ptx_of(unit.file, self.target)
        name = unit.stem + ".ptx"
        shutil.copyfile(os.path.join(self.build.folder, made), self.at(name))
        with open(self.at(name), encoding="utf-8", errors="surrogateescape") as file:
            line = next(text for text in file if text.startswith(".target"))
        return name, line.split()[1].rstrip(",").partition("_")[2]

    def cubin_for(self, unit, target):
        """The same unit for another target, or None where it cannot be compiled."""
        if target == self.target:
            return unit.cubin
        if unit.file["native"] or int(target[3:]) < unit.file["min_target"]:
            return None
        name = "%s.%s.cubin" % (unit.stem, target)
        self.tools.assemble(self.build.folder, self.build.ptx_of(unit.file, self.target), name, target,
                            unit.file["debug"], unit.file["lineinfo"],
                            unit.file["assembler_flags"])
        shutil.move(os.path.join(self.build.folder, name), self.at(name))
        return name

    def members(self, unit, kind):
        """What a fatbin of the unit holds, as words for fatbinary."""
        image = lambda kind, number, file: "--image3=kind=%s,sm=%s,file=%s" % (kind, number, file)
        own = image("elf", self.target[3:], unit.cubin)
        if kind == "one":
            return [own]
        ptx, number = self.ptx(unit)
        if kind == "ptx":
            return [image("ptx", number, ptx)]
        images = [own] if kind == "several" or self.dice.chance(0.5) else []
        for target in self.dice.sample(OTHER_TARGETS, 2):
            other = self.cubin_for(unit, target) if target != self.target else None
            if other:
                images.append(image("elf", target[3:], other))
        if not images or self.dice.chance(0.5):
            images.append(image("ptx", number, ptx))
        return self.dice.shuffled(images)

    def fatbin(self, unit, kind, packing):
        name = self.name(unit, "fatbin")
        debug = ["-g"] if unit.file["debug"] else []
        self.run([self.tools.fatbinary, "-64", "--create=" + name] + PACKINGS[packing] + debug +
                 self.members(unit, kind))
        return name

    def host_object(self, unit, kind="one", packing="zstd", patterns=None, bits=64, ending="o"):
        """`patterns`: {"external": [...], "internal": [...]} that host code mentions; None: no list
        at all."""
        fatbin = self.fatbin(unit, kind, packing)
        text = HOST_OBJECT.format(word="quad" if bits == 64 else "long", fatbin=fatbin,
                                  module="_%08x_%s" % (self.dice.below(1 << 32), unit.stem))
        if patterns is not None:
            for section, key in LISTS.items():
                words = patterns.get(key, []) if key else []
                text += ' .section %s,"a"\n' % section
                text += "".join(' .string "%s"\n' % word for word in words) or " .byte 0\n"
        source, name = self.name(unit, "s"), self.name(unit, ending)
        with open(self.at(source), "w", encoding="utf-8") as file:
            file.write(text)
        self.run(["as", ASSEMBLER[platform.machine() == "aarch64"][bits], source, "-o", name])
        return name

    def archive(self, names, *flags):
        self.count += 1
        name = "lib%d.a" % self.count
        self.run(["ar", "rc" + "".join(flags), name] + names)
        return name


def mentioned(maker, kernels):
    """Patterns for some of the kernels."""
    if maker.dice.chance(0.15):
        return None
    chosen = [kernel for kernel in kernels if maker.dice.chance(0.4)]
    return {"external": [kernel if maker.dice.chance(0.3) else kernel[:-1] + "*" for kernel in chosen],
            "internal": ["__nv_static*"] if maker.dice.chance(0.5) else []}


def hosts(kind="one", packing="zstd", bits=64):
    return lambda maker, units, kernels: [maker.host_object(unit, kind, packing, bits=bits)
                                          for unit in units]


def fatbins(kind="one", packing="zstd"):
    return lambda maker, units, kernels: [maker.fatbin(unit, kind, packing) for unit in units]


def pruned_hosts(maker, units, kernels):
    lists = maker.dice.chance(0.8)
    return [maker.host_object(unit, patterns=mentioned(maker, kernels) if not lists else
                              {"external": [], **(mentioned(maker, kernels) or {})})
            for unit in units]


def ptx_files(maker, units, kernels):
    return [maker.ptx(unit)[0] for unit in units]


def archive_of_hosts(*flags):
    def build(maker, units, kernels):
        half = len(units) // 2
        lists = maker.dice.chance(0.5)
        names = [maker.host_object(unit, patterns=mentioned(maker, kernels) if lists else None)
                 for unit in units]
        return names[:half] + [maker.archive(names[half:], *flags)]
    return build


def library(maker, units, kernels):
    archive = maker.archive([maker.host_object(unit) for unit in units[1:]])
    words = [maker.host_object(units[0]), "-L.", "-l" + archive[3:-2]]
    return words + ([archive] if maker.dice.chance(0.5) else [])


def archive_of_anything(maker, units, kernels):
    """Of bare device code nvlink takes nothing."""
    names = [random_input(maker, unit, kernels) for unit in units]
    return [names[0], maker.archive(names[1:])] if len(names) > 1 else names


def joined(maker, units, kernels):
    """`ld -r` puts several fatbins into one section; nvlink reads the first."""
    names = [maker.host_object(unit) for unit in units]
    if len(names) < 3:
        return names
    maker.run(["ld", "-r", "-o", "joined.o"] + names[1:3])
    return [names[0], "joined.o"] + names[3:]


def random_input(maker, unit, kernels):
    dice = maker.dice
    kind = dice.pick(["one", "several", "foreign", "ptx"])
    packing = dice.pick(sorted(PACKINGS))
    form = dice.pick(["cubin", "fatbin", "host", "host", "ptx"])
    if form == "cubin":
        return unit.cubin
    if form == "fatbin":
        return maker.fatbin(unit, kind, packing)
    if form == "host":
        return maker.host_object(unit, kind, packing, patterns=mentioned(maker, kernels),
                                 bits=64 if dice.chance(0.9) else 32)
    return maker.ptx(unit)[0]


def mixed(maker, units, kernels):
    names = [random_input(maker, unit, kernels) for unit in units]
    if len(names) > 2 and maker.dice.chance(0.4):
        archived = [name for name in names[1:] if name.endswith(".o") and maker.dice.chance(0.6)]
        if archived:
            names = [name for name in names if name not in archived]
            names.append(maker.archive(archived, *maker.dice.pick([(), ("S",), ("T",)])))
    return names


# By name: how the words are made, and whether culink on its own takes the same code as nvlink.
FORMS = {
    "host": (hosts(), True),
    "host-lz4": (hosts(packing="lz4"), True),
    "host-raw": (hosts(packing="raw"), True),
    "host-32": (hosts(bits=32), True),
    "host-several": (hosts("several"), True),
    "host-foreign": (hosts("foreign", "size"), True),
    "host-ptx": (hosts("ptx"), True),
    "host-pruned": (pruned_hosts, True),
    "fatbin": (fatbins(), True),
    "fatbin-lz4": (fatbins("several", "lz4"), True),
    "fatbin-raw": (fatbins("several", "raw"), True),
    "fatbin-ptx": (fatbins("ptx", "plain"), True),
    "ptx": (ptx_files, False),
    "archive": (archive_of_hosts(), True),
    "archive-no-index": (archive_of_hosts("S"), True),
    "archive-thin": (archive_of_hosts("T"), True),
    "archive-any": (archive_of_anything, False),
    "library": (library, True),
    "joined": (joined, False),
    "mixed": (mixed, False),
    "mixed-2": (mixed, False),
    "mixed-3": (mixed, False),
}
