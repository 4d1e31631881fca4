# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""culink.open: the device code in fatbins, host objects and archives."""

import os
import pathlib
import tempfile
import unittest

import culink

EXAMPLES = pathlib.Path(os.environ.get("CULINK_EXAMPLES",
                                       pathlib.Path(__file__).resolve().parents[2] / "examples"))
FAT = EXAMPLES / "vector_math" / "fat"


class Containers(unittest.TestCase):
    def test_host_object(self):
        for file in (culink.open(FAT / "main.o"), culink.open((FAT / "main.o").read_bytes())):
            self.assertEqual([(code.kind, code.target) for code in file],
                             [("cubin", "sm_80"), ("cubin", "sm_90"), ("ptx", "compute_90")])
            self.assertEqual(file.problems, ())
            self.assertEqual(file[0].place, "__nv_relfatbin")
            self.assertEqual(file[1].cubin().target, "sm_90")
            self.assertEqual(len(file[1].read()), file[1].size)
            self.assertIn(b".target sm_90", file[2].read())
            with self.assertRaisesRegex(culink.CubinError, "ptx and not a cubin"):
                file[2].cubin()
            self.assertEqual([cubin.target for cubin in file.cubins()], ["sm_80", "sm_90"])
            self.assertEqual(len(list(file.cubins("sm_90"))), 1)

    def test_what_has_cubins_inside_is_no_cubin(self):
        for source in (FAT / "main.o", (FAT / "main.o").read_bytes(), FAT / "filter.fatbin"):
            with self.assertRaisesRegex(culink.CubinError, r"not a cubin itself, but with .* inside: culink\.open"):
                culink.Cubin(source)
        damaged = (EXAMPLES / "vector_math" / "sm_90" / "main.cubin").read_bytes()[:5000]
        for data in (damaged, b"text"):
            with self.assertRaises(culink.CubinError) as caught:
                culink.Cubin(data)
            self.assertNotIn("inside", str(caught.exception))

    def test_cubin_is_its_own_only_piece(self):
        path = EXAMPLES / "vector_math" / "sm_90" / "main.cubin"
        (code,) = culink.open(path)
        self.assertEqual((code.place, code.packing), ("file", "raw"))
        self.assertEqual(code.cubin(), culink.Cubin(path))

    def test_other_files_are_problems(self):
        file = culink.open(b"nothing of the kind", "text")
        self.assertEqual(len(file), 0)
        self.assertIn("not a known kind of file", str(file.problems[0]))
        with self.assertRaises(FileNotFoundError):
            culink.open("no/such/file")

    def test_pieces_outlive_the_file_object(self):
        code = culink.open(FAT / "main.fatbin")[0]
        self.assertEqual(code.cubin().target, "sm_80")

    def test_changed_files_are_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.fatbin"
            path.write_bytes((FAT / "main.fatbin").read_bytes())
            file = culink.open(path)
            os.truncate(path, 10)
            with self.assertRaisesRegex(culink.CubinError, "has changed since"):
                file[0].read()


if __name__ == "__main__":
    unittest.main()
