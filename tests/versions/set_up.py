#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets up toolchains of other releases of CUDA, each in FOLDER/RELEASE, beside an installed one.

    tests/versions/set_up.py FOLDER [RELEASE...]     all that releases.py knows, or these

FOLDER must be outside the repository: nothing of NVIDIA's may get into it. What is there already is left
alone. Needs network and pip, for 12.4 and 11.8 also dpkg. Exit status 0: all are there.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile

sys.dont_write_bytecode = True
from releases import DEBIAN, RELEASES, find, is_whole

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIRROR = "http://deb.debian.org/debian/"
PROGRAMS = ("nvlink", "ptxas", "fatbinary", "cuobjdump", "nvdisasm")  # of Debian's packages


def download_wheels(release, folder):
    for package in release.packages + release.optional:
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                               "--only-binary=:all:", "--dest", str(folder), release.requirement(package)],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0 and package not in release.optional:
            raise SystemExit("%s: %s" % (release.requirement(package), done.stderr.strip()))


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


def from_wheels(release, to, work):
    download_wheels(release, work / "wheels")
    unpack_wheels(sorted((work / "wheels").glob("*.whl")), work / "tree")
    made = work / "made"
    (move_whole if is_whole(release) else move_assembler)(work / "tree", made)
    make_programs_run(made)
    shutil.move(str(made), str(to))


def from_debian(release, to, work, mirror):
    machine = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True,
                             check=True).stdout.strip()
    package, tree, made = work / "package.deb", work / "tree", work / "made"
    with urllib.request.urlopen(mirror + DEBIAN % (release.debian, machine)) as answer:
        package.write_bytes(answer.read())
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
    if (to / "bin" / "ptxas").exists():
        print("%s: is there" % to)
        return
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        work = pathlib.Path(temporary)
        (work / "wheels").mkdir()
        if release.debian:
            from_debian(release, to, work, mirror)
        else:
            from_wheels(release, to, work)
    told = subprocess.run([str(to / "bin" / "ptxas"), "--version"], stdout=subprocess.PIPE, text=True,
                          check=False).stdout.strip().splitlines()
    print("%s: %s" % (to, told[-2] if len(told) > 1 else "its ptxas does not run here"))


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
    for release in map(find, options.releases) if options.releases else RELEASES:
        set_up(release, folder, options.mirror)


if __name__ == "__main__":
    main(sys.argv[1:])
