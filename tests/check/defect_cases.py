# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The smallest programs that show what nvlink makes wrong (docs/nvlink-defects.md).

Each folder of nvlink_defects is one program: our sources, and the objects that CUDA 13.0 made of them.
A row says how nvlink links it, what `cubin check` finds in nvlink's file, what culink does by default, and what
the program computes, so that a GPU can tell. show_defects.py compares the files, tests/gpu/run_defects.py
runs them.
"""

import os
from dataclasses import dataclass, field
from typing import Callable, Dict, List, Optional, Tuple

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvlink_defects")
RELEASES = ("13.0.88", "13.1.115", "13.2.86", "13.3.73", "13.4.92")
THREADS = 32  # of a run; each writes one number


@dataclass(frozen=True)
class Case:
    """One program. Files are named without `.cubin`."""
    name: str
    defect: str                       # id in docs/compat.md
    links: List[Tuple[str, str]]      # options and inputs, output
    objects: str                      # what the last output is compared with
    findings: Dict[str, str] = field(default_factory=dict)  # of an output, in nvlink's file
    refused: str = ""                 # what nvlink says instead of writing the last output
    own: str = ""                     # what culink says instead; by default it writes a sound file
    mended: str = ""                  # the first release without the findings
    arch: str = "sm_90"
    kernel: str = ""                  # to run, if the program needs no more than a pointer to its results
    value: Optional[Callable[[int], int]] = None  # what a thread has to write
    shared: int = 0                   # bytes of dynamic shared memory
    built: bool = False               # the same happens in a plain build with nvcc

    def folder(self):
        return os.path.join(FOLDER, self.name)

    def has_defect(self, release):
        return not self.mended or RELEASES.index(release) < RELEASES.index(self.mended)

    def inputs_of(self, output):
        """The objects that went into an output, in order."""
        if output == self.links[-1][1]:
            return self.objects.split()
        return [word for words, made in self.links if made == output
                for word in words.split() if not word.startswith("-")]


def values_through_malloc(_):
    total = 0
    for i in range(48):
        total = (total * 3 + i + 1) % 2**32
    return total - 2**32 if total >= 2**31 else total


CASES = (
    Case("equal_constants", "Q050", [("-kernels-used=k first second third", "out")], "first second third",
         findings={"out": "wrong-bytes: .nv.constant3+0x10: expected 01 00 00 00 02 00 00 00 of second.cubin, "
                          "found 05 00 00 00 06 00 00 00"},
         kernel="k", value=lambda thread: (thread % 4 + 1) * 110 + thread % 4 + 5, built=True),
    Case("pointers_to_templates", "Q045", [("first second", "out")], "first second",
         findings={"out": "wrong-relocation: .nv.constant3+0x8: expected R_CUDA_64 against _Z3addILi1EEii, "
                          "addend 0x0, found none"},
         kernel="k", value=lambda thread: 2 * thread + 2, built=True),
    Case("packed_constants", "Q051", [("first second", "out")], "first second",
         findings={"out": "misaligned: vector in .nv.constant3+0x8: expected alignment 0x10, found 0x8"},
         kernel="k", value=lambda thread: 15 + (thread == 0), built=True),
    Case("dropped_pointers", "Q051", [("-kernels-used=k first second third", "out")], "first second third",
         findings={"out": "wrong-relocation: .nv.constant3+0x8: expected no relocation, found R_CUDA_64 against "
                          "_Z1fi, addend 0x0"},
         kernel="k", value=lambda thread: 5 + thread % 3, built=True),
    Case("launched_kernel", "Q052", [("-kernels-used=k launcher child helper", "out")],
         "launcher child helper",
         findings={"out": "lost-reference: child in .text.child+0x60: expected _Z6helperi in the output, "
                          "found it was left out"},
         kernel="child", value=lambda thread: thread + 7),
    Case("dynamic_and_sized", "Q041", [("dynamic sized", "out")], "dynamic sized",
         findings={"out": "wrong-memory: k in .nv.shared+0xffffffff: expected room to end inside 0x80 bytes, "
                          "found 0x10000000f"},
         own="extern __shared__ without a size", kernel="k", value=lambda thread: 131 - thread, shared=128,
         built=True),
    Case("own_malloc", "Q143", [("caller allocator", "out")], "caller allocator",
         own="'malloc' changes registers that its callers rely on", kernel="k",
         value=values_through_malloc),
    Case("old_barriers", "Q063", [("old new", "out")], "old new",
         findings={"out": "wrong-record: k in .nv.info: expected barriers 6, found 1"},
         kernel="k", value=lambda thread: thread),
    Case("local_kernels", "Q130", [("visible local", "out")], "visible local",
         findings={"out": "missing-definition: k in .nv.constant0.k: expected the bank of local.cubin, "
                          "found none"},
         own="several kernels are called 'k'", kernel="k", value=lambda thread: 1),
    Case("opaque_parameters", "Q131", [("first second", "out")], "first second",
         findings={"out": "wrong-relocation: k2 in .nv.constant0.k2+0x218: expected the index of picture in "
                          "its slot, found none"}),
    Case("image_index", "Q112", [("kernel function", "out")], "kernel function",
         findings={"out": "wrong-relocation: k in .nv.constant0.k+0x47c: expected the index of picture in "
                          "its slot, found none"}),
    Case("one_byte", "Q141", [("caller callee", "out")], "caller callee", own="prototype of 'sum' differs"),
    Case("r_constants", "Q023", [("-r second", "joined"), ("first joined", "out")], "first second",
         findings={"joined": "wrong-relocation: k in .text.k+0x60: expected R_CUDA_CONST_FIELD21_38 against "
                             "second, addend 0x0, found none",
                   "out": "wrong-field: k in .text.k+0x60: expected 0x4, bank 3 of second "
                          "(R_CUDA_CONST_FIELD21_38), found 0x0, bank 3"},
         kernel="k", value=lambda thread: 12),
    Case("r_extern_constants", "Q023", [("-r second", "joined"), ("first joined", "out")], "first second",
         findings={"joined": "wrong-relocation: k in .text.k+0x40: expected R_CUDA_CONST_FIELD21_38 against "
                             "value, addend 0x0, found none",
                   "out": "wrong-field: k in .text.k+0x40: expected 0x0, bank 3 of value "
                          "(R_CUDA_CONST_FIELD21_38), found 0xffff, bank 28"},
         kernel="k", value=lambda thread: 5),
    Case("r_shared", "Q023", [("-r first second", "joined"), ("joined", "out")], "first second",
         findings={"joined": "wrong-relocation: k in .text.k+0x30: expected R_CUDA_ABS32_32 against "
                             "$___ZZ1kE4mine__28, addend 0x0, found none",
                   "out": "overlap: k in .nv.shared+0x4: expected $___ZZ8exchangeiE5yours__22 behind "
                          "$___ZZ1kE4mine__28, which ends at 0x84, found 0x4"},
         mended="13.2.86", kernel="k", value=lambda thread: 101 * (31 - thread)),
    Case("r_dynamic", "Q021", [("-r first second", "joined"), ("joined", "out")], "first second",
         findings={"joined": "wrong-relocation: _Z4readi in .text._Z4readi+0x10: expected R_CUDA_ABS32_32 "
                             "against room, addend 0x0, found none",
                   "out": "wrong-memory: k in .nv.shared: expected dynamic memory of _Z4readi"},
         mended="13.2.86", kernel="k", value=lambda thread: 131 - thread, shared=128),
    Case("r_twice", "Q020", [("-r first", "one"), ("-r second", "two"), ("one two", "out")], "first second",
         refused="Multiple definition of 'room'", kernel="k", value=lambda thread: 31 - thread, shared=128),
    Case("r_images", "Q024", [("-r first", "joined"), ("joined", "out")], "first",
         findings={"joined": "wrong-relocation: k in .text.k+0x20: expected R_CUDA_CONST_FIELD21_38 against "
                             "picture, addend 0x0, found none",
                   "out": "wrong-field: k in .text.k+0x20: expected 0x0, bank 0 of picture "
                          "(R_CUDA_CONST_FIELD21_38), found 0x0, bank 28"}),
    Case("r_local_functions", "Q110", [("-r first second", "joined"), ("joined", "out")], "first second",
         findings={"out": "wrong-relocation: helper in .text.helper+0x20"},
         arch="sm_100"),
)
