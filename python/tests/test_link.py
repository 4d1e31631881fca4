# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""culink.link: inputs, options, messages, threads and signals."""

import concurrent.futures
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import culink

EXAMPLES = pathlib.Path(os.environ.get("CULINK_EXAMPLES",
                                       pathlib.Path(__file__).resolve().parents[2] / "examples"))
VECTOR_MATH = EXAMPLES / "vector_math" / "sm_90"
MAIN = VECTOR_MATH / "main.cubin"
FILTER = VECTOR_MATH / "filter.cubin"


class Inputs(unittest.TestCase):
    def setUp(self):
        self.expected = culink.link([MAIN, FILTER], arch="sm_90")

    def test_result_is_the_linked_image(self):
        self.assertTrue(self.expected.linked)
        self.assertEqual(self.expected.target, "sm_90")
        self.assertEqual(self.expected.messages, ())
        self.assertEqual([kernel.name for kernel in self.expected.kernels],
                         ["_Z5totalPKfPfi", "_Z6smoothPKfPfi"])

    def test_paths_buffers_cubins_and_pairs_give_the_same_bytes(self):
        main, filter_ = MAIN.read_bytes(), FILTER.read_bytes()
        for inputs in ([str(MAIN), str(FILTER)], [main, filter_], [bytearray(main), memoryview(filter_)],
                       [culink.Cubin(MAIN), culink.Cubin(filter_)], [("main", main), ("f", FILTER.read_bytes())],
                       [culink.Input("main", main), culink.Input("f", culink.Cubin(FILTER))],
                       (path for path in (MAIN, FILTER))):
            self.assertEqual(culink.link(inputs, arch="sm_90"), self.expected)

    def test_containers_are_linked_as_they_are(self):
        fat = EXAMPLES / "vector_math" / "fat"
        linked = culink.link([fat / "main.o", (fat / "filter.fatbin").read_bytes()], arch="sm_80")
        self.assertEqual(linked.target, "sm_80")
        self.assertEqual(len(linked.kernels), 2)

    def test_program_gives_the_same_bytes(self):
        program = culink._link._program("culink")
        if not program:
            self.skipTest("the program is not installed")
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder) / "out.cubin"
            subprocess.run([program, "-arch=sm_90", MAIN, FILTER, "-o", output], check=True, env={})
            self.assertEqual(culink.Cubin(output), self.expected)

    def test_one_file_is_no_list(self):
        for inputs in (str(MAIN), MAIN.read_bytes(), culink.Cubin(MAIN)):
            with self.assertRaisesRegex(TypeError, "inputs is a list"):
                culink.link(inputs, arch="sm_90")
        with self.assertRaisesRegex(TypeError, "kernels_used is a list"):
            culink.link([MAIN, FILTER], arch="sm_90", kernels_used="total")

    def test_names_need_not_be_unicode(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.fsdecode(b"m\xff.cubin"))
            pathlib.Path(path).write_bytes(MAIN.read_bytes())
            with self.assertRaises(culink.LinkError) as caught:
                culink.link([path], arch="sm_90")
            self.assertEqual(caught.exception.messages[0].origins[0].file, path)


class LinkTimeOptimisation(unittest.TestCase):
    CODE = culink.Input("code.ltoir", b"\xed\x43\x4e\x7f\x01\x41\x02\x62" + bytes(100))

    def ids_of(self, **options):
        with self.assertRaises(culink.LinkError) as caught:
            culink.link([self.CODE], arch="sm_90", **options)
        return [message.id for message in caught.exception.messages]

    def test_code_for_it_is_refused_without_it(self):
        self.assertEqual(self.ids_of(), ["lto-code"])

    def test_lack_of_a_compiler_is_told(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertEqual(self.ids_of(lto=True, cuda=empty, nvvm_options=["-O1"], max_registers=32,
                                         variables_used=["v"]), ["no-lto-compiler"])

    def test_lists_are_lists(self):
        with self.assertRaises(TypeError):
            culink.link([self.CODE], arch="sm_90", lto=True, nvvm_options="-O1")


@unittest.skipUnless(os.environ.get("CULINK_TEST_CUDA"), "CULINK_TEST_CUDA names no toolkit")
class CompiledAtLinkTime(unittest.TestCase):
    """With NVIDIA's compiler; the inputs are those of tests/lto/recorded."""

    def setUp(self):
        self.cuda = os.environ["CULINK_TEST_CUDA"]
        self.folder = pathlib.Path(os.environ["CULINK_LTO_INPUTS"])

    def link(self, *names, arch="sm_90", **options):
        return culink.link([self.folder / name for name in names], arch=arch, lto=True, cuda=self.cuda, **options)

    def test_programs_are_optimised(self):
        for arch in ("sm_90", "sm_100"):
            linked = self.link("main.fatbin", "math.fatbin", arch=arch)
            self.assertTrue(linked.linked)
            self.assertEqual(linked.target, arch)
            self.assertIn("reverse", [kernel.demangled.split("(")[0] for kernel in linked.kernels])
        self.assertEqual(linked, self.link("main.fatbin", "math.fatbin", arch="sm_100"))

    def test_options_reach_the_compiler(self):
        linked = self.link("main.fatbin", "math.fatbin", max_registers=32, kernels_used=["square"], nvvm_options=["-opt=1"])
        self.assertEqual([kernel.demangled.split("(")[0] for kernel in linked.kernels], ["square_all"])
        self.assertLessEqual(linked.kernels[0].registers, 32)
        self.assertFalse(self.link("main.o", "math.o", relocatable=True).linked)

    def test_what_the_compiler_says_is_told(self):
        with self.assertRaises(culink.LinkError) as caught:
            self.link("math.fatbin", "math.fatbin")
        self.assertIn("multiply defined", str(caught.exception))


class Options(unittest.TestCase):
    def test_relocatable(self):
        linked = culink.link([MAIN, FILTER], arch="sm_90", relocatable=True)
        self.assertFalse(linked.linked)
        self.assertEqual(len(culink.link([linked], arch="sm_90").kernels), 2)

    def test_kernels_used(self):
        linked = culink.link([MAIN, FILTER], arch="sm_90", kernels_used=["total"])
        self.assertEqual([kernel.demangled for kernel in linked.kernels],
                         ["total(float const*, float*, int)"])
        self.assertEqual(culink.link([MAIN, FILTER], arch="sm_90", kernels_used=[]).kernels, ())

    def test_host_references(self):
        launched = culink.HostReferences(external=["_Z6smooth*"])
        linked = culink.link([MAIN, FILTER], arch="sm_90", host_references=launched)
        self.assertEqual([kernel.name for kernel in linked.kernels], ["_Z6smoothPKfPfi"])
        self.assertEqual(len(culink.link([MAIN, FILTER], arch="sm_90", host_references=launched,
                                         ignore_host_info=True).kernels), 2)

    def test_emulate_writes_the_recorded_bytes_of_nvlink(self):
        self.assertIn("nvlink-13.0.88", culink.emulated_linkers())
        linked = culink.link([MAIN, FILTER], arch="sm_90", emulate="nvlink-13.0.88")
        self.assertEqual(linked, culink.Cubin(VECTOR_MATH / "linked.cubin"))

    def test_dialect(self):
        self.assertIn("13.4", culink.known_dialects())
        linked = culink.link([MAIN, FILTER], arch="sm_90", dialect="13.4")
        self.assertEqual(linked.toolkit, (13, 4))

    def test_check_and_threads_change_no_byte(self):
        self.assertEqual(culink.link([MAIN, FILTER], arch="sm_90", check=True, threads=3),
                         culink.link([MAIN, FILTER], arch="sm_90"))

    def test_libraries(self):
        with tempfile.TemporaryDirectory() as folder:
            linked = culink.link([MAIN, FILTER], arch="sm_90", libraries=["none"], library_paths=[folder])
            self.assertEqual([message.severity for message in linked.messages], ["warning"])
            self.assertIn("none", linked.messages[0].arguments[0])
            with self.assertRaises(culink.LinkError):
                culink.link([MAIN, FILTER], arch="sm_90", libraries=["none"], library_paths=[folder],
                            missing_libraries_are_errors=True)
            with self.assertRaises(culink.LinkError):
                culink.link([MAIN, FILTER], arch="sm_90", libraries=["none"], library_paths=[folder],
                            warnings_are_errors=True)
            make_archive(pathlib.Path(folder) / "libfilter.a", FILTER)
            linked = culink.link([MAIN], arch="sm_90", libraries=["filter"],
                                 library_paths=[pathlib.Path(folder)])
            self.assertEqual(len(linked.kernels), 2)

    def test_code_of_later_targets(self):
        objects = [EXAMPLES / "vector_math" / "sm_100" / name for name in ("main.cubin", "filter.cubin")]
        self.assertFalse(culink.link(objects, arch="sm_100", code="sass").header.mercury)
        self.assertTrue(culink.link(objects, arch="sm_100", code="mercury").header.mercury)
        with self.assertRaisesRegex(ValueError, "code is one of"):
            culink.link(objects, arch="sm_100", code="other")

    def test_wrong_values(self):
        for wrong in ({"arch": "sm_1"}, {"arch": "sm_90", "emulate": "ld"}, {"arch": "sm_90", "dialect": "1"}):
            with self.assertRaises(culink.LinkError):
                culink.link([MAIN, FILTER], **wrong)
        with self.assertRaises(TypeError):
            culink.link([MAIN, FILTER], arch="sm_90", no_such_option=True)


def make_archive(path, *members):
    """An archive in the format of ar(1)."""
    with open(path, "wb") as file:
        file.write(b"!<arch>\n")
        for member in members:
            data = member.read_bytes()
            file.write(f"{member.name + '/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode())
            file.write(data + b"\n" * (len(data) % 2))


class Messages(unittest.TestCase):
    def test_failed_link_raises_all_messages(self):
        with self.assertRaises(culink.LinkError) as caught:
            culink.link([("first", MAIN.read_bytes())], arch="sm_90")
        error = caught.exception
        self.assertEqual([message.id for message in error.errors], ["undefined-reference"] * 3)
        first = error.messages[0]
        self.assertEqual(first.severity, "error")
        self.assertEqual(first.arguments, ("_Z9block_sumf",))
        self.assertEqual(first.origins, (culink.Origin("referenced by", "first", "", "_Z5totalPKfPfi", ""),))
        self.assertEqual(str(first), "culink: error: undefined symbol: block_sum(float)\n"
                                     ">>> referenced by first: total(float const*, float*, int)")
        self.assertTrue(str(error).startswith(str(first)))

    def test_damaged_and_missing_files_are_messages(self):
        for wrong in (MAIN.read_bytes()[:5000], "no/such/file"):
            with self.assertRaises(culink.LinkError) as caught:
                culink.link([wrong, MAIN, FILTER], arch="sm_90")
            self.assertTrue(caught.exception.errors)


    def test_inputs_that_are_no_objects_are_warned_about(self):
        linked = culink.link([("text", b"no object"), MAIN, FILTER], arch="sm_90")
        self.assertEqual([(m.severity, m.id) for m in linked.messages], [("warning", "nothing-to-link")])
        self.assertIn("text", str(linked.messages[0]))


class Library(unittest.TestCase):
    def test_nothing_stays_of_it_when_it_is_unloaded(self):
        code = f"""
import _ctypes, culink
assert len(culink.link([{str(MAIN)!r}, {str(FILTER)!r}], arch="sm_90").kernels) == 2
_ctypes.dlclose(culink._c._library._handle)
with open("/proc/self/maps") as maps:
    assert "libculink" not in maps.read()
"""
        subprocess.run([sys.executable, "-Bc", code], check=True)


class Threads(unittest.TestCase):
    """A link that lasts: PTX whose compiler does nothing for a second."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ptxas = pathlib.Path(folder.name) / "ptxas"
        self.ptxas.write_text("#!/bin/sh\n/bin/sleep 1\nexit 1\n")
        self.ptxas.chmod(stat.S_IRWXU)

    def slow_link(self, **options):
        ptx = b".version 7.8\n.target sm_90\n.address_size 64\n"
        return culink.link([("slow.ptx", ptx)], arch="sm_90", ptxas=self.ptxas, **options)

    def test_links_run_at_once_and_agree(self):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            links = [pool.submit(culink.link, [MAIN, FILTER], "sm_90") for _ in range(64)]
            self.assertEqual(len({linked.result().data for linked in links}), 1)

    def test_other_threads_run_meanwhile(self):
        ended = threading.Event()
        ticks = []

        def tick():
            while not ended.wait(0.01):
                ticks.append(time.monotonic())

        thread = threading.Thread(target=tick)
        thread.start()
        with self.assertRaises(culink.LinkError):
            self.slow_link()
        ended.set()
        thread.join()
        self.assertGreater(len(ticks), 10)

    def test_interrupts_are_answered(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            self.slow_link()
        timer.join()

    def test_exceptions_of_other_signals_are_raised(self):
        class Alarm(Exception):
            pass

        def ring(number, frame):
            raise Alarm

        before = signal.signal(signal.SIGALRM, ring)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        with self.assertRaises(Alarm):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            self.slow_link()

    def test_progress_is_reported(self):
        seen = []
        with self.assertRaises(culink.LinkError):
            self.slow_link(progress=lambda step, done, total: seen.append((step, done, total)))
        self.assertTrue(seen)
        self.assertIsInstance(seen[0][0], str)
        self.assertLessEqual(seen[-1][1], seen[-1][2])

    def test_progress_may_end_the_link(self):
        def stop(step, done, total):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            self.slow_link(progress=stop)


if __name__ == "__main__":
    unittest.main()
