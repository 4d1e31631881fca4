#!/usr/bin/env python3
"""What does a huge library cost a small link, compared with nvlink?

    bench/archive_bench.py BIN [--megabytes N] [--runs N] [--check]

BIN is the folder with culink. Makes an archive of host objects, as large as asked for, and links two
small cubins against it: nine of ten members are whole programs, whose code no device link takes, and
every tenth waits for a device link with code for another target; each has two hundred sections with
long names. Such are the static libraries of CUDA (libcublasLt_static.a: 831 MB in 4,073 members).
nvlink reads the archive whole; culink looks at headers. Prints a Markdown table of processor
time, wall time and peak memory of both, and compares the outputs. With --check also fails unless
culink's peak memory is at most a tenth of the archive. The archive is deleted again.

Exit status: 1 when outputs differ or the check fails.
"""
import argparse
import filecmp
import os
import shutil
import struct
import sys
import tempfile

from link_bench import EMULATE, best, run

# Links are measured, not what culink remembers (docs/compilers.md).
os.environ["CULINK_NO_CACHE"] = "1"

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
OBJECTS = [os.path.join(ROOT, "examples", "vector_math", "sm_90", name)
           for name in ("main.cubin", "filter.cubin")]
TARGET = "sm_90"
PAYLOAD = 160 << 10
CHUNK = 32 << 10
SECTIONS = {f".text.function_{number:056x}": b"" for number in range(200)}
ALIGN = 16


def fatbin_head(target, size):
    """A container with one raw entry, without the entry's payload."""
    entry = struct.pack("<HHIQIIHHIIIQQQ", 2, 0x101, 64, size, 0, 0, 8, 1, target, 0, 0, 0x11, 0, 0)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry) + size) + entry


def host_object_head(sections, name, head, payload):
    """A relocatable ELF64 file of the sections {name: bytes} and of one more that comes last, of which
    only the head is written. The section table stands in front."""
    rows = [*sections.items(), (".shstrtab", b""), (name, head)]
    names = b"\0" + b"".join(each.encode() + b"\0" for each, _ in rows)
    data, headers, at = b"", [bytes(64)], 1
    start = 64 + 64 * (len(rows) + 1)
    for each, contents in rows:
        contents = names if each == ".shstrtab" else contents
        size = len(contents) + (payload if each == name else 0)
        data += bytes(-len(data) % ALIGN)
        headers.append(struct.pack("<IIQQQQIIQQ", at, 3 if each == ".shstrtab" else 1, 0, 0,
                                   start + len(data), size, 0, 0, 8, 0))
        data += contents
        at += len(each) + 1
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 1, 62, 1, 0, 0, 64, 0, 64, 0, 0, 64, len(headers), len(headers) - 2)
    return header + b"".join(headers) + data


def make_archive(path, megabytes):
    """In small pieces: the peak memory of a child begins with that of its parent."""
    noise = os.urandom(CHUNK)
    with open(path, "wb") as file:
        file.write(b"!<arch>\n")
        for number in range(max(1, (megabytes << 20) // PAYLOAD)):
            waits = number % 10 == 9
            module = b"_%08x_module\0" % number if waits else b"__NV_MODULE_ID\0"
            head = host_object_head(
                {**SECTIONS, "__nv_module_id": module, ".nvFatBinSegment": bytes(24),
                 ".nvHRKE": b"\0", ".nvHRKI": b"\0"}, "__nv_relfatbin" if waits else ".nv_fatbin",
                fatbin_head(75 if waits else 90, PAYLOAD), PAYLOAD)
            head_size = len(head) + len(head) % 2
            file.write(b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (b"m%d.o/" % number, 0, 0, 0, b"644",
                                                            len(head) + PAYLOAD))
            file.write(head)
            for _ in range(PAYLOAD // CHUNK):
                file.write(noise)
            file.write(bytes(head_size - len(head)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("bin")
    parser.add_argument("--megabytes", type=int, default=800)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    try:
        return measure(options, folder)
    finally:
        shutil.rmtree(folder)


def measure(options, folder):
    library, ours, theirs = (os.path.join(folder, name) for name in ("lib.a", "ours", "theirs"))
    make_archive(library, options.megabytes)
    arguments = ["-arch=" + TARGET, *OBJECTS, library, "-o"]
    commands = {"culink": [os.path.join(options.bin, "culink"), EMULATE, *arguments, ours]}
    nvlink = shutil.which("nvlink")
    if nvlink:
        commands["nvlink"] = [nvlink, *arguments, theirs]
    times = {name: [] for name in commands}
    for _ in range(options.runs):
        for name, command in commands.items():
            times[name].append(run(command))
    print(f"two small cubins and an archive of {os.path.getsize(library) / 1e6:.0f} MB\n")
    print("| | user | system | wall | peak memory |\n|---|---|---|---|---|")
    for name, runs in times.items():
        user, system, wall, peak = best(runs)
        print(f"| {name} | {user * 1e3:.1f} ms | {system * 1e3:.1f} ms | {wall * 1e3:.1f} ms | "
              f"{peak / 1e6:.1f} MB |")
    failed = False
    if nvlink and not filecmp.cmp(ours, theirs, shallow=False):
        print("the outputs differ")
        failed = True
    if options.check and best(times["culink"])[3] * 10 > os.path.getsize(library):
        print("culink took more than a tenth of the archive as memory")
        failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
