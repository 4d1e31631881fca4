# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""culink.Cubin: what it says about files, and that it refuses damaged ones."""

import os
import pathlib
import pickle
import random
import tempfile
import unittest

import culink

EXAMPLES = pathlib.Path(os.environ.get("CULINK_EXAMPLES",
                                       pathlib.Path(__file__).resolve().parents[2] / "examples"))
VECTOR_MATH = EXAMPLES / "vector_math" / "sm_90"


class Reading(unittest.TestCase):
    def setUp(self):
        self.cubin = culink.Cubin(VECTOR_MATH / "linked.cubin")

    def test_header(self):
        self.assertEqual(self.cubin.target, "sm_90")
        self.assertEqual(self.cubin.toolkit, (13, 0))
        self.assertTrue(self.cubin.linked)
        self.assertEqual(self.cubin.header.bits, 64)
        self.assertFalse(culink.Cubin(VECTOR_MATH / "main.cubin").linked)

    def test_kernels_say_what_they_need(self):
        smooth = self.cubin.function("smooth")
        self.assertEqual(smooth, self.cubin.function("_Z6smoothPKfPfi"))
        self.assertEqual(smooth.demangled, "smooth(float const*, float*, int)")
        self.assertEqual((smooth.registers, smooth.stack, smooth.shared, smooth.local, smooth.barriers,
                          smooth.parameters, smooth.code_size, smooth.constants),
                         (36, 0, 1568, 0, 1, 20, 1280, {0: 548}))
        self.assertEqual(smooth.spills, 0)
        self.assertTrue(smooth.kernel)
        self.assertIn(smooth, self.cubin.kernels)
        self.assertEqual(len(self.cubin.functions), 4)
        self.assertEqual(self.cubin.usage.constants, {3: 32})
        with self.assertRaises(KeyError):
            self.cubin.function("none")

    def test_sections_symbols_and_relocations(self):
        text = self.cubin.section(".text._Z6smoothPKfPfi")
        self.assertEqual((text.role, text.function, text.size), ("text", "_Z6smoothPKfPfi", 1280))
        self.assertEqual(self.cubin.section_data(text), self.cubin.data[text.offset:text.offset + 1280])
        self.assertEqual(self.cubin.sections[text.number], text)
        self.assertEqual(len(self.cubin.section_data(".nv.global")), 0)
        self.assertEqual(self.cubin.section(".nv.global").size, 8)
        smooth = [symbol for symbol in self.cubin.symbols if symbol.name == "_Z6smoothPKfPfi"][0]
        self.assertEqual((smooth.type, smooth.binding, smooth.kernel, smooth.section),
                         ("FUNC", "GLOBAL", True, text.number))
        self.assertEqual(self.cubin.function("smooth").symbol, smooth.number)
        self.assertIn("samples_seen", {relocation.symbol_name for relocation in self.cubin.relocations})
        with self.assertRaises(KeyError):
            self.cubin.section(".none")

    def test_attributes_and_tools(self):
        registers = {value.text: record.values[1].number for record in self.cubin.attributes
                     if record.name == "EIATTR_REGCOUNT" for value in record.values if value.kind == "symbol"}
        self.assertEqual(registers["_Z6smoothPKfPfi"], 36)
        self.assertEqual([tool.name for tool in self.cubin.tools], ["nvlink", "ptxas", "ptxas"])
        self.assertEqual({note.owner for note in self.cubin.notes}, {"NVIDIA Corp"})

    def test_files_with_mercury_code_have_two_symbol_tables(self):
        cubin = culink.Cubin(EXAMPLES / "vector_math" / "sm_100" / "main.cubin")
        self.assertTrue(cubin.header.mercury)
        table = cubin.section(".nv.merc.symtab")
        self.assertEqual(len(cubin.symbols_of(table)), table.size // table.entsize)
        self.assertEqual(cubin.symbols_of(cubin.section(".shstrtab")), ())

    def test_verify(self):
        self.assertEqual(self.cubin.verify(), ())
        damaged = bytearray(self.cubin.data)
        damaged[0x2200 + 64 + 8] ^= 1  # flags of the first section
        self.assertIn("section-flags", [finding.rule for finding in culink.Cubin(damaged).verify()])


class Objects(unittest.TestCase):
    def setUp(self):
        self.cubin = culink.Cubin(VECTOR_MATH / "linked.cubin")

    def test_buffer_is_no_copy(self):
        view = memoryview(self.cubin)
        self.assertTrue(view.readonly)
        self.assertIs(view.obj, self.cubin.data)
        self.assertEqual(view.nbytes, len(self.cubin))
        self.assertIs(bytes(self.cubin), self.cubin.data)
        data = self.cubin.data
        self.assertIs(culink.Cubin(data).data, data)

    def test_writable_buffers_are_copied(self):
        data = bytearray(self.cubin.data)
        cubin = culink.Cubin(data)
        data[:] = bytes(len(data))
        self.assertEqual(cubin, self.cubin)

    def test_equality_pickling_and_saving(self):
        again = pickle.loads(pickle.dumps(self.cubin))
        self.assertEqual(again, self.cubin)
        self.assertEqual(again.name, self.cubin.name)
        self.assertEqual(len({again, self.cubin, culink.Cubin(VECTOR_MATH / "main.cubin")}), 2)
        self.assertEqual(self.cubin, self.cubin.data)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.cubin"
            self.cubin.save(path)
            self.assertEqual(culink.Cubin(path), self.cubin)
            self.assertEqual(os.listdir(folder), ["a.cubin"])
            with self.assertRaisesRegex(OSError, "cannot create"):
                self.cubin.save(path / "none" / "b")
        self.assertIn("linked, sm_90, ", repr(self.cubin))

    def test_views_outlive_the_object(self):
        view = culink.Cubin(VECTOR_MATH / "linked.cubin").section_data(".text._Z6smoothPKfPfi")
        self.assertEqual(bytes(view), bytes(self.cubin.section_data(".text._Z6smoothPKfPfi")))


class Damage(unittest.TestCase):
    def test_errors_say_where(self):
        with self.assertRaises(culink.CubinError) as caught:
            culink.Cubin(b"no ELF file at all", "some.cubin")
        error = caught.exception
        self.assertEqual((error.file, error.place), ("some.cubin", "ELF header"))
        self.assertTrue(str(error).startswith("some.cubin: ELF header"))
        self.assertIsInstance(error, culink.Error)
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))
        with self.assertRaises(FileNotFoundError):
            culink.Cubin("no/such/file")
        with self.assertRaises(TypeError):
            culink.Cubin(17)

    def test_damaged_files_are_refused_or_read(self):
        good = culink.Cubin(VECTOR_MATH / "linked.cubin")
        chance = random.Random(1)
        refused = 0
        for _ in range(300):
            data = bytearray(good.data)
            for _ in range(chance.randrange(1, 8)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                cubin = culink.Cubin(data[:chance.randrange(len(data) // 2, 2 * len(data))])
            except culink.CubinError:
                refused += 1
                continue
            for what in ("header", "usage", "sections", "symbols", "relocations", "attributes", "notes",
                         "tools"):
                getattr(cubin, what)
            for section in cubin.sections:
                self.assertEqual(len(cubin.section_data(section)), section.size_in_file)
            cubin.verify()
            self.assertEqual(good.diff(cubin).same, good == cubin)
        self.assertGreater(refused, 10)
        self.assertLess(refused, 300)


class Differences(unittest.TestCase):
    def test_same(self):
        cubin = culink.Cubin(VECTOR_MATH / "linked.cubin")
        self.assertTrue(cubin.diff(cubin).same)
        self.assertEqual(str(cubin.diff(cubin)), "")

    def test_differences_by_topic(self):
        nvlink = culink.Cubin(VECTOR_MATH / "linked.cubin")
        own = culink.link([VECTOR_MATH / "main.cubin", VECTOR_MATH / "filter.cubin"], arch="sm_90")
        diff = nvlink.diff(own)
        self.assertFalse(diff.same)
        self.assertEqual(diff.differences[0].topic, "tkinfo")
        self.assertIn("'nvlink' vs 'culink'", str(diff))
        self.assertEqual(diff.count, len(diff.differences))
        self.assertTrue(nvlink.diff(own, ignore="tkinfo").same)
        short = nvlink.diff(own, limit=1)
        self.assertEqual(short.counts, diff.counts)
        self.assertEqual(len(short.differences), len(diff.counts))
        self.assertIn("  ... 2 more differences in tkinfo", str(short))
        with self.assertRaisesRegex(ValueError, "nonsense"):
            nvlink.diff(own, ignore=["nonsense"])


if __name__ == "__main__":
    unittest.main()
