#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares `cubin list` and `cubin usage` with cuobjdump on the shared libraries of an installed toolkit.

    compare_libraries.py [--cuobjdump PROGRAM] [--all] [--data] [--report FILE.md] [LIBRARY ...]

Compared for each library: number and targets of the images that `cuobjdump -lelf` lists; registers, stack, shared
and local memory and constant banks of every kernel that `cuobjdump -res-usage` shows. Images that cubin finds
in data are counted beside; with --data they are extracted, and cuobjdump is asked about the extracted files. Without arguments a small library of /usr/local/cuda is compared, with --all every one
that has device code (this takes minutes). $CUBIN is the program under test. Exit status 0: all agree; 1: something
differs; 77: no cuobjdump or no library here.
"""

import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SKIPPED = 77
SMALL = "libcudnn_cnn"

LISTED = re.compile(r"ELF file\s+\d+: .*\.(sm_\w+)\.cubin$")
FUNCTION = re.compile(r" Function (.*):$")
FIELD = re.compile(r"(\w+)(?:\[(\d+)\])?:(\d+)")


def cuobjdump_images(program, library):
    """The targets of all images, in order."""
    output = subprocess.run([program, "-lelf", library], capture_output=True, text=True, check=False).stdout
    return [match[1] for match in map(LISTED.match, output.splitlines()) if match]


def cuobjdump_usage(program, library):
    """(target, name, fields) of every function."""
    process = subprocess.Popen([program, "-res-usage", library], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, errors="replace")
    target, name = "", ""
    for line in process.stdout:
        if line.startswith("arch = "):
            target = line.split()[2]
        elif match := FUNCTION.match(line.rstrip("\n")):
            name = match[1]
        elif name and "REG:" in line:
            fields = {key + (f"[{bank}]" if bank else ""): int(value) for key, bank, value in FIELD.findall(line)}
            fields = {key: value for key, value in fields.items()
                      if value and key not in ("TEXTURE", "SURFACE", "SAMPLER")}
            yield target, name, tuple(sorted(fields.items()))
            name = ""


def compare_data(cubin, program, library):
    """Kernels in images that lie in data, and what differs from what cuobjdump says of them alone."""
    listed, = json.loads(subprocess.check_output([cubin, "list", "--quick", "--json", library]))
    names = [f"{code['number']}.{code['target']}.cubin" for code in listed["code"]
             if code["form"] == "cubin" and code["place"].endswith("(data)")]
    images = {image["file"].rpartition(":")[2]: image for image in our_usage(cubin, library)}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        subprocess.run([cubin, "extract", "--form=cubin", "-C", folder, library], check=True)

        def compare_one(name):
            path, = glob.glob(f"{glob.escape(folder)}/*.{name}")
            expected = without_functions(collections.Counter(row[1:] for row in cuobjdump_usage(program, path)),
                                         [images[name]])
            found = collections.Counter(row[1:] for row in usage_rows(images[name], ""))
            return expected.total(), [f"{name} {function}: {dict(fields)}" for function, fields in expected - found]

        results = list(pool.map(compare_one, names))
    return sum(count for count, _ in results), [text for _, differences in results for text in differences]


def our_images(cubin, library):
    """The targets of the images in sections for code, and the number of those in data."""
    listed, = json.loads(subprocess.check_output([cubin, "list", "--quick", "--json", library]))
    images = [code for code in listed["code"] if code["form"] == "cubin"]
    in_data = sum(code["place"].endswith("(data)") for code in images)
    return [code["target"] for code in images if not code["place"].endswith("(data)")], in_data


def usage_rows(image, target):
    """(target, name, fields) of every kernel. cuobjdump's stack is that of linked kernels, else 0."""
    for function in image["functions"]:
        if function["kind"] != "kernel":
            continue
        fields = {"REG": function["registers"], "STACK": function["stack"], "SHARED": function["shared"],
                  "LOCAL": function["local"]}
        fields.update({f"CONSTANT[{key.removeprefix('constant')}]": value for key, value in function.items()
                       if re.fullmatch(r"constant\d+", key)})
        fields = {key: value for key, value in fields.items() if value}
        yield target, function["name"], tuple(sorted(fields.items()))


def without_functions(counts, images):
    """What cuobjdump shows, without device functions: it has no numbers for them."""
    functions = {function["name"] for image in images for function in image["functions"]
                 if function["kind"] != "kernel"}
    return collections.Counter({row: times for row, times in counts.items() if row[-2] not in functions})


def our_usage(cubin, library):
    """What `cubin usage` says of each image."""
    return json.loads(subprocess.run([cubin, "usage", "--json", library], capture_output=True, text=True,
                                     check=False).stdout)


def compare(cubin, program, library):
    """Numbers of images, kernels and images in data, and what differs."""
    theirs = cuobjdump_images(program, library)
    ours, in_data = our_images(cubin, library)
    plain = [re.sub(r"[af]$", "", target) for target in ours]
    if [re.sub(r"[af]$", "", target) for target in theirs] != plain:
        return len(theirs), 0, in_data, [f"{len(theirs)} images listed, {len(ours)} found, or other targets"]
    images = our_usage(cubin, library)[:len(ours)]
    expected, found = (collections.Counter((re.sub(r"[af]$", "", target), name, fields)
                                           for target, name, fields in rows)
                       for rows in (cuobjdump_usage(program, library),
                                    (row for image, target in zip(images, ours)
                                     for row in usage_rows(image, target))))
    expected = without_functions(expected, images)
    missing = sorted((expected - found).items())
    return (len(theirs), expected.total(), in_data,
            [f"{target} {name}: {dict(fields)}, {times} times" for (target, name, fields), times in missing])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuobjdump", default=shutil.which("cuobjdump"))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--data", action="store_true")
    parser.add_argument("--report")
    parser.add_argument("libraries", nargs="*")
    options = parser.parse_args()
    cubin = os.environ.get("CUBIN", os.path.join(ROOT, "build", "release", "bin", "cubin"))
    libraries = options.libraries or sorted(glob.glob(f"/usr/local/cuda/lib*/{'lib*' if options.all else SMALL}.so"))
    libraries = sorted({os.path.realpath(library) for library in libraries})
    if not options.cuobjdump or not libraries:
        print("skipped: no", "cuobjdump" if libraries else "library")
        return SKIPPED
    lines = ["| library | images | kernels | images in data | agree |", "|---|--:|--:|--:|---|"]
    good = True
    for library in libraries:
        if subprocess.run([cubin, "list", "--quick", library], capture_output=True, check=False).returncode != 0:
            continue  # no device code
        images, kernels, in_data, differences = compare(cubin, options.cuobjdump, library)
        if options.data and in_data:
            more, differing = compare_data(cubin, options.cuobjdump, library)
            kernels += more
            differences += differing
        good = good and not differences
        lines.append(f"| {os.path.basename(library)} | {images} | {kernels} | {in_data} | "
                     f"{'yes' if not differences else f'{len(differences)} differ'} |")
        print(lines[-1], flush=True)
        for difference in differences[:5]:
            print("  " + difference, flush=True)
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
