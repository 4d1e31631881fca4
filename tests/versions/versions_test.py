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
        rows = {"13.0", *releases.LIBRARY_ONLY, *(row.name for row in releases.RELEASES)}
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
            make_wheel(work / "b.whl", ["nvidia/nvjitlink/lib/libnvJitLink.so.12"])
            set_up.unpack_wheels(sorted(work.glob("*.whl")), work / "tree")
            set_up.move_assembler(work / "tree", work / "made")
            set_up.make_programs_run(work / "made")
            self.assertTrue(os.access(work / "made/bin/ptxas", os.X_OK))
            self.assertTrue((work / "made/lib64/libnvJitLink.so.12").exists())

    def test_nothing_is_set_up_in_the_repository(self):
        with self.assertRaises(SystemExit):
            set_up.main([str(ROOT / "build" / "toolkits"), "13.4"])

    def test_each_whole_release_is_run_with_its_own_tools(self):
        folder = pathlib.Path("/toolkits")
        runs = run_versions.runs_of(releases.find("13.4"), folder, "/installed")
        self.assertEqual({environment["CUDA_HOME"] for _, environment, _ in runs}, {"/toolkits/13.4"})
        self.assertEqual(sum("sm_107" in " ".join(words) for _, _, words in runs), 2)
        self.assertEqual(runs[-1][2][-2:], ["--mix", "/installed"])
        self.assertEqual(len(run_versions.runs_of(releases.find("13.1"), folder, None)), 3)
        (_, environment, words), = run_versions.runs_of(releases.find("12.9"), folder, "/installed")
        self.assertEqual((environment, words[-2:]), ({}, ["--assemblers", "/toolkits/12.9"]))

    def test_the_line_with_the_counts_is_shown(self):
        self.assertEqual(run_versions.summary("x\n30 links: 30 identical\n5 s\n"), "30 links: 30 identical")
        self.assertEqual(run_versions.summary("skipped: no nvlink\n"), "skipped: no nvlink")
        self.assertEqual(run_versions.summary(""), "printed nothing")


if __name__ == "__main__":
    unittest.main()
