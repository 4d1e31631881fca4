#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which member of a fatbin is linked: random sets of members, given to nvlink and to culink.

  member_choice.py [--culink PROGRAM] [--record]

Every member defines a variable with a value of its own, so that the output shows which one was
taken. The answers of nvlink are kept in member_choices.txt, where a unit test compares them with
culink's rule on machines without CUDA. This script asks nvlink again, and culink for those targets
that it links for. Exit status: 0 all agree, 1 not, 77 no nvlink here.
"""

import argparse
import concurrent.futures
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "generate"))
from dice import Dice  # noqa: E402
from toolchain import Toolchain, find_toolkit  # noqa: E402

TABLE = os.path.join(HERE, "..", "unit", "member_choices.txt")
HEAD = """# Which member of a fatbin nvlink 13.0.88 takes; made by tests/diff/member_choice.py --record.
# target | members: kind, target, then g: debug flag, h: 32 bits, o: no system flag | the number of the
# member that is taken, from 0; none: nothing but a warning; lto: refused without -dlto
"""
COUNT = 500
TARGETS = ["75", "80", "86", "87", "88", "89", "90", "90a", "100", "100a", "100f", "103", "103a", "103f",
           "110", "110a", "110f", "120", "120a", "120f", "121", "121a", "121f"]
OURS = ["75", "80", "86", "87", "88", "89", "90", "90a"]
KINDS = {"ptx": 1, "elf": 2, "lto": 8}
CONTAINER_HEADER = 16
AT_FLAGS = 0x28

PTX = """.version 9.0
.target sm_%s
.address_size 64
.visible .global .align 4 .u32 tag = %d;
.visible .entry k(.param .u64 p) {
 .reg .b64 %%rd<3>; .reg .b32 %%r<2>;
 ld.param.u64 %%rd1, [p];
 ld.global.u32 %%r1, [tag];
 st.global.u32 [%%rd1], %%r1;
 ret;
}
"""


def split(member):
    """'elf90a/gh' -> ('elf', '90a', 'gh')"""
    name, _, marks = member.partition("/")
    return name[:3], name[3:], marks


class Members:
    """Makes members and fatbins in a folder."""

    def __init__(self, tools, folder, pool, sets):
        """Makes each member of `sets` once, before linkers ask for them from several threads."""
        self.tools = tools
        self.folder = folder
        keys = sorted({(*split(member)[:2], number)
                       for listed in sets for number, member in enumerate(listed)})
        self.entries = dict(zip(keys, pool.map(lambda key: self.make(*key), keys)))

    @staticmethod
    def tag(kind, target, number):
        return 0x5A000000 + KINDS[kind] * 0x10000 + TARGETS.index(target) * 0x100 + number

    def make(self, kind, target, number):
        """Member `number` of its fatbin, as fatbinary writes it."""
        at = os.path.join(self.folder, "%s%s_%d" % (kind, target, number))
        with open(at + ".ptx", "w", encoding="utf-8") as file:
            file.write(PTX % (target, self.tag(kind, target, number)))
        if kind == "elf":
            self.tools.run([self.tools.ptxas, "-arch=sm_" + target, "-m64", "-c", at + ".ptx", "-o",
                            at + ".elf"])
        # Code of link-time optimisation is not looked at, so PTX will do.
        self.tools.run([self.tools.fatbinary, "-64", "--compress=false", "--create=" + at,
                        "--image3=kind=%s,sm=%s,file=%s" % (
                            ("elf", target, at + ".elf") if kind == "elf" else
                            ("ptx", target, at + ".ptx"))])
        with open(at, "rb") as file:
            return file.read()[CONTAINER_HEADER:]

    def fatbin(self, members):
        entries = b""
        for number, member in enumerate(members):
            kind, target, marks = split(member)
            entry = bytearray(self.entries[kind, target, number])
            flags, = struct.unpack_from("<Q", entry, AT_FLAGS)
            flags = (flags & ~(1 if "h" in marks else 0) & ~(0x10 if "o" in marks else 0) |
                     (2 if "g" in marks else 0))
            struct.pack_into("<Q", entry, AT_FLAGS, flags)
            struct.pack_into("<H", entry, 0, KINDS[kind])
            entries += entry
        return struct.pack("<IHHQ", 0xBA55ED50, 1, CONTAINER_HEADER, len(entries)) + entries


def random_rows():
    dice = Dice("member choice")
    rows = []
    for _ in range(COUNT):
        target = dice.pick(TARGETS)
        # Neighbours of the target are more likely to compete than any others.
        near = [other for other in TARGETS if abs(int(other.rstrip("af")) - int(
            target.rstrip("af"))) <= 14]
        members = []
        for _ in range(dice.pick([1, 2, 2, 3, 3, 4, 6])):
            kind = dice.pick(["elf", "elf", "elf", "ptx", "ptx", "lto"])
            member = kind + dice.pick(near if dice.chance(0.6) else TARGETS)
            marks = "".join(mark for mark in "gho" if dice.chance(0.08))
            if members and dice.chance(0.2):
                member = dice.pick(members).partition("/")[0]
            members.append(member + ("/" + marks if marks else ""))
        rows.append((target, members))
    return rows


def ask(members, linker, target, listed, number):
    """The member that the linker took, as in the table."""
    path = os.path.join(members.folder, "%d.fatbin" % number)
    output = os.path.join(members.folder, "%d.out" % number)
    with open(path, "wb") as file:
        file.write(members.fatbin(listed))
    done = subprocess.run(linker + ["-arch=sm_" + target, path, "-o", output],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)
    data = b""
    if os.path.exists(output):
        with open(output, "rb") as file:
            data = file.read()
        os.remove(output)
    os.remove(path)
    if done.returncode != 0:
        wants_lto = "use -dlto" in done.stdout or "link-time" in done.stdout
        return "lto" if wants_lto else "error: " + done.stdout.strip()
    taken = [str(index) for index, member in enumerate(listed)
             if struct.pack("<I", members.tag(*split(member)[:2], index)) in data]
    return " ".join(taken) or "none"


def read_table():
    rows = []
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                target, members, answer = [part.strip() for part in line.split("|")]
                rows.append((target, members.split(), answer))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--culink", default=os.environ.get("CULINK"))
    parser.add_argument("--record", action="store_true", help="write the table anew")
    options = parser.parse_args()
    if find_toolkit() is None:
        print("skipped: no CUDA toolkit with nvlink here")
        return 77
    tools = Toolchain()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(
            os.cpu_count() or 1) as pool:
        rows = random_rows() if options.record else read_table()
        members = Members(tools, folder, pool, [row[1] for row in rows])
        if options.record:
            answers = pool.map(lambda job: ask(members, [tools.nvlink], *job[1], job[0]),
                               enumerate(rows))
            with open(TABLE, "w", encoding="utf-8") as file:
                file.write(HEAD)
                for (target, listed), answer in zip(rows, answers):
                    file.write("%s | %s | %s\n" % (target, " ".join(listed), answer))
            return 0
        jobs = [("nvlink", [tools.nvlink], row) for row in rows]
        if options.culink:
            emulate = [os.path.abspath(options.culink), "--emulate=nvlink-13.0.88"]
            jobs += [("culink", emulate, row) for row in rows if row[0] in OURS]
        answers = pool.map(lambda job: ask(members, job[1][1], *job[1][2][:2], job[0]),
                           enumerate(jobs))
        wrong = 0
        for (name, _, (target, listed, expected)), answer in zip(jobs, answers):
            if answer != expected:
                wrong += 1
                print("%s for sm_%s takes %s of %s, not %s" % (name, target, answer,
                                                               " ".join(listed), expected))
        print("%d questions about %d sets, %d answers differ" % (len(jobs), len(rows), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
