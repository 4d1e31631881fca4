#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of releases agrees with the linker's, and packages become toolkits. Needs no network."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
import releases
import run_versions
import set_up

ROOT = pathlib.Path(__file__).resolve().parents[2]
CULINK = os.environ.get("CULINK", str(ROOT / "build/release/bin/culink"))


def make_wheel(path, files):
    with zipfile.ZipFile(path, "w") as wheel:
        for name in files:
            wheel.writestr(name, "#!/bin/sh\n")


class Versions(unittest.TestCase):
    def test_every_dialect_but_that_of_the_installed_toolkit_can_be_set_up(self):
        done = subprocess.run([CULINK, "-arch=sm_90", "--dialect=none", "a", "-o", "b"],
                              stderr=subprocess.PIPE, text=True, check=False)
        known = re.findall(r"\d+\.\d+", done.stderr.split("known releases:")[1])
        self.assertIn("13.0", known)
        rows = {"13.0", *(row.name for row in releases.RELEASES)}
        self.assertEqual([name for name in known if name not in rows], [])

    def test_rows_are_in_order_and_have_one_origin(self):
        numbers = [row.toolkit() for row in releases.RELEASES]
        self.assertEqual(numbers, sorted(set(numbers)))
        for row in releases.RELEASES:
            self.assertNotEqual(bool(row.packages), bool(row.debian), row.name)

    def test_requirements_name_the_release(self):
        row = releases.find("13.2")
        self.assertEqual(row.requirement("nvidia-cuda-nvcc"), "nvidia-cuda-nvcc==13.2.*")
        self.assertEqual(row.requirement("nvidia-cuda-cccl"), "nvidia-cuda-cccl>=13,<13.3")
        with self.assertRaises(SystemExit):
            releases.find("13.99")

    def test_packages_become_a_toolkit(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            make_wheel(work / "a.whl", ["nvidia/cu13/bin/nvcc", "nvidia/cu13/nvvm/bin/cicc"])
            make_wheel(work / "b.whl", ["nvidia/cu13/lib/libcudart_static.a"])
            set_up.unpack_wheels(sorted(work.glob("*.whl")), work / "tree")
            set_up.move_whole(work / "tree", work / "made")
            set_up.make_programs_run(work / "made")
            self.assertTrue(os.access(work / "made/bin/nvcc", os.X_OK))
            self.assertTrue(os.access(work / "made/nvvm/bin/cicc", os.X_OK))
            self.assertTrue((work / "made/lib64/libcudart_static.a").exists())

    def test_packages_of_12_become_an_assembler(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            make_wheel(work / "a.whl", ["nvidia/cuda_nvcc/bin/ptxas"])
            make_wheel(work / "b.whl", ["nvidia/nvjitlink/lib/libnvJitLink.so.12",
                                        "nvidia/cuda_runtime/lib/libcudadevrt.a"])
            set_up.unpack_wheels(sorted(work.glob("*.whl")), work / "tree")
            set_up.move_assembler(work / "tree", work / "made")
            set_up.make_programs_run(work / "made")
            self.assertTrue(os.access(work / "made/bin/ptxas", os.X_OK))
            self.assertTrue((work / "made/lib64/libnvJitLink.so.12").exists())
            self.assertTrue((work / "made/lib/libcudadevrt.a").exists())

    def test_nothing_is_set_up_in_the_repository(self):
        with self.assertRaises(SystemExit):
            set_up.main([str(ROOT / "build" / "toolkits"), "13.4"])

    def test_each_whole_release_is_run_with_its_own_tools(self):
        folder = pathlib.Path("/toolkits")
        runs = run_versions.runs_of(releases.find("13.4"), folder, "/installed")
        self.assertEqual({environment["CUDA_HOME"] for _, environment, _ in runs}, {"/toolkits/13.4"})
        self.assertEqual(sum("sm_107" in " ".join(words) for _, _, words in runs), 2)
        self.assertEqual(runs[-1][2][-2:], ["--assemblers", "own,/installed"])
        self.assertEqual(len(run_versions.runs_of(releases.find("13.1"), folder, None)), 3)

    def test_objects_of_earlier_releases_meet_the_installed_linker_and_their_own(self):
        folder = pathlib.Path("/toolkits")
        words = lambda name: [" ".join(row[2]) for row in run_versions.runs_of(releases.find(name), folder, "/installed")]
        self.assertEqual(len(words("11.8")), 2)
        self.assertEqual([row for row in words("12.4") if "--linker /toolkits/12.4" in row], words("12.4")[-1:])
        self.assertEqual(len([row for row in words("12.9") if "--code=" in row]), 2)
        self.assertEqual(run_versions.runs_of(releases.find("12.9"), folder, None), [])

    def test_a_library_links_objects_of_the_newest_toolchain(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            for name in ("13.1", "13.3"):
                (folder / name / "bin").mkdir(parents=True)
                (folder / name / "bin" / "nvcc").touch()
            for _, environment, words in run_versions.runs_of(releases.find("13.5"), folder, None):
                self.assertEqual(environment, {"CUDA_HOME": str(folder / "13.3")})
                self.assertIn(str(folder / "13.5"), words)

    def test_packages_of_a_library_become_a_linker(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            make_wheel(work / "a.whl", ["nvidia/cu13/lib/libnvJitLink.so.13",
                                        "nvidia_nvjitlink-13.5.37.dist-info/METADATA"])
            set_up.unpack_wheels(sorted(work.glob("*.whl")), work / "tree")
            set_up.move_library(work / "tree", work / "made")
            set_up.make_programs_run(work / "made")
            told = subprocess.run([str(work / "made/bin/nvlink"), "--version"], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout
            self.assertEqual(told, "nvJitLink, release 13.5, V13.5.37\n")

    def test_a_release_that_cannot_be_had_does_not_keep_others(self):
        tried = []

        def refuse(release, *_):
            tried.append(release.name)
            raise set_up.NotToBeHad("not here")

        original, set_up.set_up = set_up.set_up, refuse
        try:
            with tempfile.TemporaryDirectory() as folder:
                self.assertEqual(set_up.main([folder, "12.0", "13.4"]), 1)
        finally:
            set_up.set_up = original
        self.assertEqual(tried, ["12.0", "13.4"])

    def test_the_line_with_the_counts_is_shown(self):
        self.assertEqual(run_versions.summary("x\n30 links: 30 identical\n5 s\n"), "30 links: 30 identical")
        self.assertEqual(run_versions.summary("skipped: no nvlink\n"), "skipped: no nvlink")
        self.assertEqual(run_versions.summary(""), "printed nothing")


if __name__ == "__main__":
    unittest.main()
