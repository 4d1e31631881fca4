# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One group per rule by which nvlink takes inputs; docs/compat.md explains each under the same name.

A row: a label, the arguments (`-o out.cubin` is added), and what culink does in its own words: links,
warns (and links), refuses, or None for nvlink's exit status. `main.cubin` needs foo and gvar, which
the input under test defines: a link that fails shows that it was not used. make() writes the inputs.
"""

import os

import input_files as f

M = "-arch=sm_90 main.cubin "
S = "-arch=sm_90 single.cubin "
R = " --register-link-binaries=reg"
ENDINGS = ("x.cubin", "x.fatbin", "x.ptx", "x.o", "x.a", "x.so", "x.ltoir", "x.nvvm", "x.bc", "x.xyz",
           "x.obj", "x.lo", "x.O", "x.CUBIN", "x.lib", "x.cu", "x.so.1", "x")
CONTENTS = ("object", "image", "host", "library", "fatbin", "archive", "ptx", "lto", "random")

# Cases that ptxas has to be there for.
NEEDS_PTXAS = set()


def compiled(label):
    NEEDS_PTXAS.add(label)
    return label


def endings():
    """The same bytes under many names; what culink does itself is in tests/unit/collect_test.cc."""
    for name in ENDINGS:
        for content in CONTENTS:
            label = "ending-%s-%s" % (name, content)
            if name == "x.ptx" and content == "ptx":
                compiled(label)
            yield label, M + "%s/%s" % (content, name), "any"


GROUPS = {
    "state": [
        ("state-missing", M + "missing.o", "refuses"),
        ("state-folder", M + "object", "refuses"),
        ("state-1-byte", S + "one.o", "warns"),
        ("state-55-bytes", S + "b55.so", "refuses"),
        ("state-55-bytes-cubin", S + "b55.cubin", "refuses"),
        ("state-empty", S + "empty.o", "warns"),
        ("state-device-file", S + "/dev/null", "warns"),
        ("state-short-archive", S + "none.a", "links"),
        ("state-short-archive-as-cubin", S + "none.cubin", "any"),
    ],
    "endings": list(endings()),
    "host-machine": [
        ("host-machine-other", M + "machine183.o", "links"),
        ("host-machine-none", M + "machine0.o", "links"),
        ("host-machine-is-cuda", M + "machine190.o", "refuses"),
        ("host-of-32-bits", M + "host32.o", "links"),
        ("host-big-endian", M + "hostbe.o", "refuses"),
        ("host-called-big-endian", M + "saysbe.o", "refuses"),
    ],
    "ptx": [
        (compiled("ptx-file"), M + "code.ptx", "links"),
        (compiled("ptx-of-a-newer-target"), M + "newer.ptx", "refuses"),
        (compiled("ptx-that-is-wrong"), M + "wrong.ptx", "refuses"),
    ],
    "cubin-cut": [
        ("cubin-cut-by-1", M + "cut1.cubin", "refuses"),
        ("cubin-cut-in-half", M + "half.cubin", "refuses"),
        ("cubin-cut-to-56", M + "cut56.cubin", "refuses"),
        ("cubin-cut-to-64", M + "cut64.cubin", "refuses"),
    ],
    "cubin-header": [
        ("cubin-class-32", M + "class32.cubin", "refuses"),
        ("cubin-big-endian", M + "bigend.cubin", "refuses"),
        ("cubin-linked", M + "exec.cubin", "any"),
        ("cubin-linked-alone", "-arch=sm_90 exec.cubin", "refuses"),
        ("cubin-of-ewp", M + "ewp.cubin", "warns"),
        ("cubin-of-ewp-first", "-arch=sm_90 ewp.cubin main.cubin", "warns"),
        ("cubin-of-ewp-alone", "-arch=sm_90 ewp.cubin", "links"),
        ("cubin-of-type-3", M + "type3.cubin", "refuses"),
        ("cubin-of-type-ff01", M + "typeff01.cubin", "refuses"),
        ("cubin-osabi", M + "osabi.cubin", "refuses"),
        ("cubin-abi-7", M + "abi7.cubin", "refuses"),
        ("cubin-abi-9", M + "abi9.cubin", "refuses"),
        ("cubin-machine", M + "machine.cubin", "refuses"),
        ("cubin-ident-version", M + "evi.cubin", None),
        ("cubin-version", M + "ever.cubin", None),
        ("cubin-kind-of-code", M + "kind6.cubin", "refuses"),
    ],
    "cubin-target": [
        ("cubin-of-sm-80-for-90", M + "other80.cubin", "refuses"),
        ("cubin-of-sm-80-for-86", "-arch=sm_86 other80.cubin", "links"),
        ("cubin-of-sm-80-for-89", "-arch=sm_89 other80.cubin", "links"),
        ("cubin-of-sm-80-for-87", "-arch=sm_87 other80.cubin", "links"),
        ("cubin-of-sm-80-for-88", "-arch=sm_88 other80.cubin", "links"),
        ("cubin-of-sm-90-for-90a", "-arch=sm_90a single.cubin", "links"),
        ("cubin-of-sm-90-for-100", "-arch=sm_100 single.cubin", "refuses"),
    ],
    "member-flags": [
        ("member-of-32-bits", M + "bits32.fatbin", "any"),
        ("member-for-no-system", M + "nosystem.fatbin", "links"),
        ("member-for-system-20", M + "system20.fatbin", "links"),
        ("member-for-system-40", M + "system40.fatbin", "links"),
        ("member-with-debug", M + "debugged.fatbin", "links"),
        ("member-with-a", M + "letter_a.fatbin", "links"),
        ("member-with-f", M + "letter_f.fatbin", "any"),
        ("member-with-copy-of-compat", M + "compat.fatbin", "links"),
        ("member-with-both-packings", M + "packboth.fatbin", "refuses"),
        ("member-with-packing-1000", M + "pack1000.fatbin", "refuses"),
        ("member-with-packing-4000", M + "pack4000.fatbin", "refuses"),
        ("member-linked", M + "linked.fatbin", "any"),
        ("member-linked-packed", S + "linkedzstd.fatbin", "warns"),
        ("member-linked-in-an-object", S + "linked.o", "warns"),
        ("member-linked-alone", "-arch=sm_90 linked.fatbin", "refuses"),
        ("member-of-ewp", M + "ewp.fatbin", "warns"),
        ("member-of-ewp-in-an-object", M + "ewp.o", "warns"),
    ],
    "member-choice": [
        ("choice-number-of-the-member", M + "says80.fatbin", "any"),
        ("choice-first-of-equals", M + "equals.fatbin", "links"),
        ("choice-older-for-89", "-arch=sm_89 for80.fatbin", "links"),
        ("choice-none", M + "for80.fatbin", "any"),
        ("choice-none-without-warning", M + "for80.fatbin -suppress-arch-warning", "any"),
        ("choice-none-in-an-archive", M + "for80.a", "any"),
        ("choice-none-with-target", "-arch=sm_90 single.cubin for80.fatbin -report-arch", "warns"),
        (compiled("choice-nearer-ptx"), "-arch=sm_89 near89.fatbin", "links"),
    ],
    "lto-members": [
        ("lto-only", M + "lto.fatbin", "refuses"),
        ("lto-only-in-an-object", M + "lto.o", "refuses"),
        ("lto-for-an-older-target", "-arch=sm_80 other80.cubin lto.fatbin", "warns"),
        ("lto-for-a-newer-target", "-arch=sm_100 lto.fatbin", "refuses"),
        (compiled("lto-beside-ptx"), M + "ltoptx.fatbin", "links"),
    ],
    "first-container": [
        ("two-fatbins", M + "two.fatbin", "links"),
        ("two-fatbins-in-an-object", M + "two.o", "links"),
        ("two-fatbins-second-only", M + "second.fatbin", "warns"),
    ],
    "host-sections": [
        ("host-as-compiled", M + "host.o", "links"),
        ("host-no-segment", M + "noseg.o", "any"),
        ("host-junk-segment", M + "junkseg.o", "links"),
        ("host-whole-program", M + "whole.o", "any"),
        ("host-segment-only", M + "segonly.o", "refuses"),
        ("host-bad-magic", M + "badmagic.o", "refuses"),
        ("host-one-byte", M + "onebyte.o", "refuses"),
        ("host-plain", M + "plain.o", None),
        ("host-cut", M + "hostcut.o", "refuses"),
        ("host-without-ending", M + "host_without_ending", "links"),
    ],
    "host-modules": [
        ("modules-in-order", "-arch=sm_90 hostmain.o host.o host2.o" + R, "links"),
        ("modules-of-an-archive", "-arch=sm_90 hostmain.o -L. -lpair" + R, "links"),
        ("modules-without-code", "-arch=sm_90 host2.o host80.o" + R, "warns"),
        ("modules-taken-already", "-arch=sm_90 host2.o host.o dlink.o -v" + R, "any"),
        ("modules-taken-already-and-needed", "-arch=sm_90 hostmain.o host.o dlink.o" + R, None),
        ("modules-taken-already-in-an-archive", "-arch=sm_90 dlink.o pair.a -v" + R, "any"),
        ("modules-taken-unregistered", "-arch=sm_90 hostmain.o host.o dlink.o", "warns"),
        ("modules-one-of-two-taken", "-arch=sm_90 hostmain.o joined.o dlink.o" + R, None),
        ("modules-other-of-two-taken", "-arch=sm_90 hostmain.o joined2.o dlink.o" + R, "links"),
        ("modules-without-host-code", "-arch=sm_90 for80.fatbin raw.fatbin main.cubin "
         "--register-link-binaries none/file", "refuses"),
        ("modules-of-whole-programs", "-arch=sm_90 host2.o whole.o plain.o" + R, None),
    ],
    "archive-members": [
        ("archive-all-members", M + "pair.a", "links"),
        ("archive-before-its-user", "-arch=sm_90 pair.a main.cubin", "links"),
        ("archive-unneeded", "-arch=sm_90 single.cubin pair.a", "links"),
        ("archive-of-a-cubin", M + "cubin.a", "links"),
        ("archive-of-a-fatbin", M + "fatbin.a", "links"),
        (compiled("archive-of-ptx"), M + "ptx.a", "links"),
        ("archive-of-text", M + "text.a other.cubin", None),
        ("archive-defines-twice", M + "dup.a", None),
        ("archive-empty", M + "none.a other.cubin", None),
        ("archive-of-long-names", M + "long.a", "links"),
        ("archive-of-bsd-names", M + "bsd.a", "any"),
        ("archive-with-index", M + "index.a", "links"),
        ("archive-member-of-odd-size", M + "odd.a", "links"),
    ],
    "archive-twice": [
        ("archive-twice-by-path", M + "pair.a ./pair.a", "links"),
        ("archive-twice-by-link", M + "pair.a soft.a hard.a", "links"),
        ("archive-twice-by-name", M + "libpair.a -L. -lpair", "links"),
        ("archive-copied", M + "pair.a copy.a", None),
        ("object-twice", M + "host.o host.o", None),
        ("cubin-twice", M + "other.cubin other.cubin", None),
    ],
    "archive-damage": [
        ("archive-end-of-header", M + "fmag.a", "refuses"),
        ("archive-size-no-number", M + "nosize.a", None),
        ("archive-size-too-large", M + "large.a", "refuses"),
        ("archive-cut", M + "cut.a", "refuses"),
    ],
    "archive-thin": [
        ("thin", M + "thin.a", "links"),
        ("thin-of-a-missing-file", M + "gone.a", "refuses"),
        ("thin-named-by-a-folder", M + "thinsub.a other.cubin", "refuses"),
        ("thin-in-another-folder", M + "sub/thin.a", "any"),
    ],
    "libraries": [
        ("library-attached", M + "-L. -lpair", "links"),
        ("library-apart", M + "-L . -l pair", "links"),
        ("library-with-equals", M + "-L=. -l=pair", "links"),
        ("library-long", M + "--library-path=. --library=pair", "links"),
        ("library-list", M + "-L none,. -l nosuch,pair", "any"),
        ("library-before-its-folder", M + "-lpair -L.", "links"),
        ("library-first-folder", M + "-Llibs -L. -lpair", "any"),
        ("library-shared", M + "-Llibs -lshared", "any"),
        ("library-by-file-name", M + "-L. -l:libpair.a", "any"),
        ("library-missing", M + "other.cubin -lnosuch", "warns"),
        ("library-without-folder", M + "other.cubin -lpair", "warns"),
    ],
    "runtime-library": [
        ("runtime-unneeded", "-arch=sm_90 single.cubin libcudadevrt.a", "links"),
        ("runtime-kept", "-arch=sm_90 single.cubin libcudadevrt.a -keep-system-libraries", "links"),
        ("runtime-needed", M + "libcudadevrt.a", "links"),
        ("runtime-by-name", M + "-L. -lcudadevrt", "links"),
    ],
    "container": [
        ("container-magic", M + "magic.fatbin", "refuses"),
        ("container-version-0", M + "version0.fatbin", "refuses"),
        ("container-version-2", M + "version2.fatbin", "refuses"),
        ("container-version-in-an-object", M + "version2.o", "refuses"),
        ("container-header-32", M + "header32.fatbin", "links"),
        ("container-size-0", M + "size0.fatbin", "any"),
        ("container-size-smaller", M + "smaller.fatbin", "refuses"),
    ],
    "entry": [
        ("entry-kind-0", M + "kind0.fatbin", "any"),
        ("entry-kind-4", M + "kind4.fatbin", "any"),
        ("entry-kind-32", M + "kind32.fatbin", "any"),
        ("entry-kind-64", M + "kind64.fatbin", "any"),
        ("entry-version", M + "entryversion.fatbin", "links"),
        ("entry-versions-of-code", M + "codeversion.fatbin", "links"),
        ("entry-with-identifier", M + "ident.fatbin", "links"),
        ("entry-identifier-too-long", M + "longident.fatbin", "refuses"),
        ("entry-with-options", M + "options.fatbin", "links"),
        ("entry-extra-field", M + "extra.fatbin", "links"),
        ("entry-unpacked-1-less", M + "less.fatbin", "refuses"),
        ("entry-unpacked-1-more", M + "more.fatbin", "refuses"),
        ("entry-unpacked-huge", M + "huge.fatbin", "refuses"),
    ],
    "packing": [
        ("packing-none", M + "raw.fatbin", "links"),
        ("packing-lz4", M + "lz4.fatbin", "links"),
        ("packing-zstd", M + "zstd.fatbin", "links"),
        ("packing-lz4-in-an-object", M + "lz4.o", "links"),
        ("packing-zstd-damaged", M + "badzstd.fatbin", "refuses"),
        ("packing-lz4-damaged", M + "badlz4.fatbin", "refuses"),
        ("packing-flag-missing", M + "noflag.fatbin", "refuses"),
        (compiled("packing-of-ptx-none"), M + "rawptx.fatbin", "links"),
        (compiled("packing-of-ptx-lz4"), M + "lz4ptx.fatbin", "links"),
        (compiled("packing-of-ptx-that-grows"), M + "zstdptx.fatbin", "links"),
    ],
}

# What nvlink crashes on, or does otherwise from run to run: what culink says of it.
BEYOND = [
    ("container-size-too-large", M + "toolarge.fatbin", "fatbin container at 0x0, size"),
    ("entry-kind-16", M + "kind16.fatbin", "no code for sm_90"),
    ("entry-kind-ptx-for-machine-code", M + "notptx.fatbin", "notptx.fatbin"),
    ("entry-header-too-large", M + "bighead.fatbin", "fatbin entry at 0x10, header size"),
    ("entry-size-beyond-the-file", M + "bigsize.fatbin", "fatbin entry at 0x10, size"),
    ("fatbin-cut", M + "cut.fatbin", "fatbin container at 0x0"),
    ("thin-in-a-folder", S + "other.cubin thinsub.a", "duplicate symbol: foo"),
]


def make_cubins(folder, good):
    for name in ("one.o", "b55.so", "b55.cubin", "empty.o"):
        folder.put(name, good[:{"o": 1, "e": 0, "b": 55}[name[0]]])
    changes = {"class32": (4, b"\1"), "bigend": (5, b"\2"), "exec": (16, b"\2"), "osabi": (7, b"\x33"),
               "abi7": (8, b"\7"), "abi9": (8, b"\x09"), "machine": (18, b"\x3e"), "evi": (6, b"\2"),
               "ever": (20, b"\5"), "kind6": (48, b"\6"), "ewp": (16, b"\0\xff"), "type3": (16, b"\3"),
               "typeff01": (16, b"\1\xff")}
    for name, change in changes.items():
        folder.put(name + ".cubin", f.patched(good, change))
    for name, size in (("cut1", len(good) - 1), ("half", len(good) // 2), ("cut56", 56),
                       ("cut64", 64)):
        folder.put(name + ".cubin", good[:size])
    folder.put("code.ptx", f.PTX_TEXT)
    folder.put("newer.ptx", f.PTX_TEXT.replace(b"sm_90", b"sm_100"))
    folder.put("wrong.ptx", f.PTX_TEXT.replace(b"ret;", b"return;"))


def make_fatbins(folder, good, good80):
    e, fatbin = f.entry, f.fatbin
    third = folder.get("third.cubin")
    ptx = f.PTX_TEXT + b"\0"
    old = e(good80, sm=80)
    lto = e(b"\xed\x43\x4e\x7f" + bytes(100), kind=f.LTO)
    files = {
        "bits32": fatbin(e(good, flags=f.LINUX)),
        "nosystem": fatbin(e(good, flags=f.IS64)),
        "system20": fatbin(e(good, flags=f.IS64 | 0x20)),
        "system40": fatbin(e(good, flags=f.IS64 | 0x40)),
        "debugged": fatbin(e(good, flags=f.IS64 | f.LINUX | 0x2)),
        "letter_a": fatbin(e(good, flags=f.IS64 | f.LINUX | 0x100000)),
        "letter_f": fatbin(e(good, flags=f.IS64 | f.LINUX | 0x200000)),
        "compat": fatbin(e(good, flags=f.IS64 | f.LINUX | 0x1000000, options=bytes(36))),
        "packboth": fatbin(e(good, pack=f.ZSTD, flags=f.IS64 | f.LINUX | f.LZ4)),
        "pack1000": fatbin(e(good, flags=f.IS64 | f.LINUX | 0x1000)),
        "pack4000": fatbin(f.patched(e(good, pack=f.ZSTD), (40, b"\x11\x40"))),
        "says80": fatbin(e(good, sm=80)),
        "linked": fatbin(e(folder.get("exec.cubin"))),
        "linkedzstd": fatbin(e(folder.get("exec.cubin"), pack=f.ZSTD)),
        "ewp": fatbin(e(folder.get("ewp.cubin"))),
        "equals": fatbin(e(good), e(third)),
        "for80": fatbin(old),
        "near89": fatbin(old, e(ptx.replace(b"sm_90", b"sm_89"), kind=f.PTX, sm=89)),
        "lto": fatbin(lto),
        "ltoptx": fatbin(lto, e(ptx, kind=f.PTX)),
        "two": fatbin(e(good)) + fatbin(e(folder.get("extra.cubin"))),
        "second": fatbin(old) + fatbin(e(good)),
        "magic": fatbin(e(good), magic=0xba55ed51),
        "version0": fatbin(e(good), version=0),
        "version2": fatbin(e(good), version=2),
        "header32": fatbin(e(good), header=32),
        "size0": fatbin(e(good), size=0),
        "smaller": fatbin(e(good), size=len(good) // 2),
        "toolarge": fatbin(e(good), size=1 << 40),
        "entryversion": fatbin(e(good, version=0x0202)),
        "codeversion": fatbin(e(good, major=3, minor=2)),
        "ident": fatbin(e(good, ident=b"source.cu")),
        "longident": fatbin(e(good, ident=b"source.cu", ident_size=0x7fffffff)),
        "options": fatbin(e(good, options=b"-g")),
        "extra": fatbin(e(good, extra=0x12345678)),
        "less": fatbin(e(good, pack=f.ZSTD, unpacked=len(good) - 1)),
        "more": fatbin(e(good, pack=f.ZSTD, unpacked=len(good) + 1)),
        "huge": fatbin(e(good, pack=f.ZSTD, unpacked=1 << 40)),
        "bighead": fatbin(e(good, header=0x10000)),
        "bigsize": fatbin(e(good, size=1 << 20)),
        "notptx": fatbin(e(good, kind=f.PTX)),
        "raw": fatbin(e(good)),
        "lz4": fatbin(e(good, pack=f.LZ4)),
        "zstd": fatbin(e(good, pack=f.ZSTD)),
        "badzstd": fatbin(f.patched(e(good, pack=f.ZSTD), (64, bytes(4)))),
        "badlz4": fatbin(f.patched(e(good, pack=f.ZSTD), (40, b"\x11\x20"))),
        "noflag": fatbin(f.patched(e(good, pack=f.ZSTD), (40, b"\x11\0"))),
        "rawptx": fatbin(e(ptx, kind=f.PTX)),
        "lz4ptx": fatbin(e(ptx, kind=f.PTX, pack=f.LZ4)),
        "zstdptx": fatbin(e(ptx, kind=f.PTX, pack=f.ZSTD)),
    }
    for kind in (0, 4, 16, 32, 64):
        files["kind%d" % kind] = fatbin(e(good, kind=kind))
    files["cut"] = files["raw"][:500]
    for name, data in files.items():
        folder.put(name + ".fatbin", data)


def make_host_objects(folder, raw):
    get = folder.get
    sections = f.rdc_sections(raw)
    folder.put("host.o", f.elf(sections))
    folder.put("host_without_ending", f.elf(sections))
    for name, code, ident in (("host2", "extra", b"_two"), ("hostmain", "main", b"_main")):
        code = f.fatbin(f.entry(get(code + ".cubin")))
        folder.put(name + ".o", f.elf(f.rdc_sections(code, ident)))
    folder.put("joined.o", f.elf(f.rdc_sections(raw, b"_id\0_more")))
    folder.put("joined2.o", f.elf(f.rdc_sections(raw, b"_more\0_id")))
    folder.put("host80.o", f.elf(f.rdc_sections(get("for80.fatbin"), b"_old")))
    for machine in (0, 183, 190):
        folder.put("machine%d.o" % machine, f.elf(sections, machine=machine))
    folder.put("host32.o", f.elf(sections, bits=32))
    folder.put("hostbe.o", f.elf(sections, data=2))
    folder.put("saysbe.o", f.patched(f.elf(sections), (5, b"\2")))
    segment = (".nvFatBinSegment", bytes(24))
    whole = [("__nv_module_id", b"__NV_MODULE_ID\0"), (".nv_fatbin", raw), segment]
    folder.put("noseg.o", f.elf([s for s in sections if s[0] != ".nvFatBinSegment"]))
    folder.put("junkseg.o", f.elf([("__nv_relfatbin", raw), (".nvFatBinSegment", b"x")]))
    folder.put("whole.o", f.elf(whole))
    folder.put("dlink.o", f.elf([("__nv_module_id", b"def _id\0")] + whole[1:]))
    folder.put("segonly.o", f.elf([segment]))
    folder.put("badmagic.o", f.elf(f.rdc_sections(b"1234" * 20)))
    folder.put("onebyte.o", f.elf(f.rdc_sections(b"1")))
    folder.put("plain.o", f.elf([(".text", b"code")]))
    folder.put("hostcut.o", f.elf(sections)[:-100])
    for name in ("lto", "two", "version2", "lz4", "linked", "ewp"):
        folder.put(name + ".o", f.elf(f.rdc_sections(get(name + ".fatbin"))))


def make_archives(folder, good, raw):
    get = folder.get
    one, two = ("b.o", get("host.o")), ("a.o", get("host2.o"))
    pair = f.archive(one, two)
    for name in ("pair.a", "libpair.a", "copy.a"):
        folder.put(name, pair)
    os.symlink("pair.a", os.path.join(folder.path, "soft.a"))
    os.link(os.path.join(folder.path, "pair.a"), os.path.join(folder.path, "hard.a"))
    folder.put("libcudadevrt.a", pair)
    folder.put("libs/libpair.a", f.archive(two))
    folder.put("libs/libshared.so", f.archive(one, two))
    folder.put("for80.a", f.archive(("a.o", get("host80.o"))))
    folder.put("cubin.a", f.archive(("other.cubin", good)))
    folder.put("fatbin.a", f.archive(("raw.fatbin", raw)))
    folder.put("ptx.a", f.archive(("code.ptx", f.PTX_TEXT)))
    folder.put("text.a", f.archive(("readme", b"nothing but a line of text, and a long one at that\n")))
    folder.put("dup.a", f.archive(one, ("c.o", get("host.o"))))
    folder.put("none.a", f.archive())
    folder.put("none.cubin", f.archive())
    name = "a_name_of_more_than_fifteen.o"
    folder.put("long.a", f.archive() + f.member("//", (name + "/\n").encode())
               + f.member("/0", one[1]) + f.member("b.o/", two[1]))
    folder.put("bsd.a", f.archive() + f.member("#1/32", name.encode() + bytes(3) + one[1]))
    folder.put("index.a", f.archive() + f.member("/", bytes(4)) + f.member("b.o/", one[1]))
    folder.put("odd.a", f.archive(("b.o", one[1] + b"!"), two))
    folder.put("fmag.a", f.archive() + f.member("b.o/", one[1], end="xx"))
    folder.put("nosize.a", f.archive() + f.member("b.o/", one[1], size="many"))
    folder.put("large.a", f.archive() + f.member("b.o/", one[1], size=len(one[1]) + 1000))
    folder.put("cut.a", f.archive(two, one)[:-100])
    thin = b"!<thin>\n"
    folder.put("thin.a", thin + f.member("host.o/", b"", size=len(one[1])))
    folder.put("gone.a", thin + f.member("gone.o/", b"", size=len(one[1])))
    folder.put("sub/third.o", f.elf(f.rdc_sections(f.fatbin(f.entry(get("third.cubin"))))))
    folder.put("sub/thin.a", thin + f.member("third.o/", b"", size=len(get("sub/third.o"))))
    folder.put("thinsub.a", thin + f.member("//", b"sub/third.o/\n")
               + f.member("/0", b"", size=len(get("sub/third.o"))))


def make(path):
    """Fills a folder in which inputs.make has put its files."""
    folder = f.Folder(path)
    good = folder.get("other.cubin")
    make_cubins(folder, good)
    make_fatbins(folder, good, folder.get("other80.cubin"))
    raw = folder.get("raw.fatbin")
    make_host_objects(folder, raw)
    make_archives(folder, good, raw)
    contents = {"object": good, "image": folder.get("exec.cubin"), "host": folder.get("host.o"),
                "library": f.elf(f.rdc_sections(raw), kind=3), "fatbin": raw,
                "archive": folder.get("pair.a"), "ptx": f.PTX_TEXT,
                "lto": b"\xed\x43\x4e\x7f" + b"x" * 60, "random": b"r" * 100}
    for content, data in contents.items():
        for name in ENDINGS:
            folder.put(os.path.join(content, name), data)
