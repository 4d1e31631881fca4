#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets up toolchains of other releases of CUDA, each in FOLDER/RELEASE, beside an installed one.

    tests/versions/set_up.py FOLDER [RELEASE...]     all that releases.py knows, or these

FOLDER must be outside the repository: nothing of NVIDIA's may get into it. What is there already is left
alone. Needs network and pip, for 12.4 and 11.8 also dpkg. A release that cannot be had for this machine is named, and
the others are set up. Exit status 0: all are there.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile

sys.dont_write_bytecode = True
from releases import DEBIAN, RELEASES, find, is_library, is_whole

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIRROR = "http://deb.debian.org/debian/"
LINKER = pathlib.Path(__file__).resolve().parent / "library_linker.py"
PROGRAMS = ("nvlink", "ptxas", "fatbinary", "cuobjdump", "nvdisasm")  # of Debian's packages


class NotToBeHad(Exception):
    """Why a release cannot be set up here."""


def download_wheels(release, folder):
    for package in release.packages + release.optional:
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                               "--only-binary=:all:", "--dest", str(folder), release.requirement(package)],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 and package not in release.optional:
            raise NotToBeHad("%s: %s" % (release.requirement(package), done.stderr.strip().splitlines()[-1]))


def unpack_wheels(wheels, to):
    """All packages in one tree; pip would do the same, and set the same modes."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(to)


def make_programs_run(folder):
    for place in (folder / "bin", folder / "nvvm" / "bin"):
        for program in place.glob("*") if place.is_dir() else ():
            if program.is_file():
                program.chmod(program.stat().st_mode | 0o111)


def move_whole(tree, to):
    """The folder that the packages of 13.x share is a toolkit, but for the name of one folder."""
    shutil.move(str(tree / "nvidia" / "cu13"), str(to))
    if not (to / "lib64").exists():
        (to / "lib64").symlink_to("lib")


def move_assembler(tree, to):
    """Packages of 12.x have a folder each."""
    (to / "bin").mkdir(parents=True)
    shutil.move(str(tree / "nvidia" / "cuda_nvcc" / "bin" / "ptxas"), str(to / "bin" / "ptxas"))
    shutil.move(str(tree / "nvidia" / "nvjitlink" / "lib"), str(to / "lib"))
    (to / "lib64").symlink_to("lib")
    runtime = tree / "nvidia" / "cuda_runtime" / "lib" / "libcudadevrt.a"
    if runtime.exists():
        shutil.move(str(runtime), str(to / "lib" / runtime.name))


def move_library(tree, to):
    """The library, and what gives it the command line of nvlink."""
    (to / "bin").mkdir(parents=True)
    shutil.move(str(tree / "nvidia" / "cu13" / "lib"), str(to / "lib"))
    shutil.copy(LINKER, to / "bin" / "nvlink")
    version, = (path.name.split("-")[1] for path in tree.glob("nvidia_nvjitlink-*.dist-info"))
    (to / "release").write_text(version.removesuffix(".dist") + "\n", encoding="utf-8")


def from_wheels(release, to, work):
    download_wheels(release, work / "wheels")
    unpack_wheels(sorted((work / "wheels").glob("*.whl")), work / "tree")
    made = work / "made"
    move = move_whole if is_whole(release) else move_library if is_library(release) else move_assembler
    move(work / "tree", made)
    make_programs_run(made)
    shutil.move(str(made), str(to))


def from_debian(release, to, work, mirror):
    machine = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip()
    package, tree, made = work / "package.deb", work / "tree", work / "made"
    address = mirror + DEBIAN % (release.debian, machine)
    try:
        with urllib.request.urlopen(address) as answer:
            package.write_bytes(answer.read())
    except OSError as error:
        raise NotToBeHad("%s: %s" % (address, error)) from error
    subprocess.run(["dpkg", "-x", str(package), str(tree)], check=True)
    (made / "bin").mkdir(parents=True)
    for program in PROGRAMS:
        if (tree / "usr" / "bin" / program).exists():
            shutil.copy(tree / "usr" / "bin" / program, made / "bin" / program)
    if (tree / "usr" / "lib" / "nvidia-cuda-toolkit").is_dir():
        shutil.copytree(tree / "usr" / "lib" / "nvidia-cuda-toolkit", made / "lib", symlinks=True)
    make_programs_run(made)
    shutil.move(str(made), str(to))


def set_up(release, folder, mirror):
    """Makes FOLDER/RELEASE, whole or not at all."""
    to = folder / release.name
    program = to / "bin" / ("nvlink" if is_library(release) else "ptxas")
    if program.exists():
        print("%s: is there" % to)
        return
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        work = pathlib.Path(temporary)
        (work / "wheels").mkdir()
        if release.debian:
            from_debian(release, to, work, mirror)
        else:
            from_wheels(release, to, work)
    told = subprocess.run([str(program), "--version"], stdout=subprocess.PIPE, text=True,
                          check=False).stdout
    version = re.search(r"release [^\n]*", told)
    print("%s: %s" % (to, version.group() if version else "its %s does not run here" % program.name))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("releases", nargs="*")
    parser.add_argument("--mirror", default=MIRROR, help="of Debian")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    if ROOT == folder or ROOT in folder.parents:
        raise SystemExit("%s is inside the repository, where files of NVIDIA's must not be" % folder)
    os.makedirs(folder, exist_ok=True)
    missing = False
    for release in map(find, options.releases) if options.releases else RELEASES:
        try:
            set_up(release, folder, options.mirror)
        except NotToBeHad as reason:
            print("%s: %s" % (folder / release.name, reason))
            missing = True
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
