# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contents of a cubin, as named tuples."""

from __future__ import annotations

from typing import NamedTuple, Optional

from . import _c

UNBOUNDED_STACK: int = 0xffffffff
"""The value of :attr:`Function.stack` if recursion makes it unlimited."""


def release(number: int) -> Optional[tuple[int, int]]:
    """Returns (13, 0) for 130, None for 0."""
    return (number // 10, number % 10) if number else None


class Header(NamedTuple):
    """The type, format and target of a file."""

    type: str
    """``"EXEC"``: linked; ``"REL"``: an object."""
    bits: int
    """64; 32 in old files."""
    abi_version: int
    flags: int
    target: str
    """``"sm_90a"``."""
    sm: int
    """90."""
    virtual_sm: Optional[int]
    """90 for compute_90; None: not recorded."""
    toolkit: Optional[tuple[int, int]]
    """The release of CUDA that made it: ``(13, 0)``."""
    mercury: bool
    """Carries Mercury code beside its machine code (sm_100 and later)."""


class Function(NamedTuple):
    """The resources of one kernel or device function. None: not recorded in the file. Sizes are in bytes."""

    name: str
    """Mangled."""
    kernel: bool
    """It can be launched."""
    registers: Optional[int]
    register_limit: Optional[int]
    """Given to the compiler; 255: none."""
    frame: Optional[int]
    """Stack of its own."""
    stack: Optional[int]
    """Stack with all that it calls; :data:`UNBOUNDED_STACK`: without a limit."""
    max_stack: Optional[int]
    shared: int
    """Static shared memory; for a linked kernel, the reserved area included."""
    local: int
    """Local memory."""
    barriers: Optional[int]
    parameters: Optional[int]
    code_size: int
    constants: dict[int, int]
    """Sizes of its constant banks, by number."""
    max_threads: Optional[tuple[int, int, int]]
    """Of ``__launch_bounds__``."""
    required_threads: Optional[tuple[int, int, int]]
    """Of PTX's ``.reqntid``."""
    symbol: int
    """Its number in the symbol table."""
    spills: Optional[int]
    """Instructions that store or load spilled registers; CUDA 12.9 and later."""

    @property
    def demangled(self) -> str:
        """The name as in the source: ``total(float const*, float*, int)``."""
        return _c.demangle(self.name)


class Usage(NamedTuple):
    """The memory of a module in bytes, and its functions."""

    toolkit: Optional[tuple[int, int]]
    global_memory: int
    """Zeroed and initialized variables."""
    shared: int
    """Static shared memory of no particular kernel."""
    reserved_shared: int
    """Taken by the system at the start of every kernel's shared memory."""
    constants: dict[int, int]
    """Sizes of constant banks, by number."""
    functions: tuple[Function, ...]


class Section(NamedTuple):
    """A section header, and the role of the section."""

    number: int
    name: str
    type: int
    type_name: str
    """``"CUDA_INFO"``; empty: not known."""
    role: str
    """``"text"``, ``"constant"``, ``"info"``; or ``"unknown"``."""
    function: str
    """The function that it belongs to, mangled; or empty."""
    flags: int
    offset: int
    size: int
    align: int
    entsize: int
    link: int
    info: int
    size_in_file: int
    """0 for types without bytes in the file, such as zeroed variables."""


class Symbol(NamedTuple):
    """A symbol."""

    number: int
    name: str
    """The section's name for a section symbol without a name."""
    binding: str
    """``"LOCAL"``, ``"GLOBAL"``, ``"WEAK"``."""
    type: str
    """``"FUNC"``, ``"OBJECT"``, ``"CUDA_TEXTURE"``; one without a name in hexadecimal."""
    other: int
    """Visibility, and bits of CUDA."""
    section: int
    """Number of the section that it is defined in; 0: in none."""
    special_section: int
    """0xfff1: absolute; 0xfff2: common; 0: neither."""
    value: int
    size: int
    defined: bool
    kernel: bool

    @property
    def demangled(self) -> str:
        """The name as in the source."""
        return _c.demangle(self.name)


class Relocation(NamedTuple):
    """A place in a section that depends on an address."""

    table: int
    """Number of the section with the relocation."""
    section: int
    """Number of the section that it is for."""
    offset: int
    type: int
    type_name: str
    """``"R_CUDA_ABS32_LO_20"``; empty: not known."""
    symbol: int
    """Number in the symbol table of `table`."""
    symbol_name: str
    addend: int


class Value(NamedTuple):
    """A part of a record's value."""

    key: str
    """``"value"``, ``"symbol"``, ``"offset"``, ``"x"``: as in the JSON of ``cubin dump``."""
    kind: str
    """``"number"``, ``"symbol"``, ``"code offset"`` or ``"text"``."""
    number: int
    text: str
    """The name, for a symbol."""


class Attribute(NamedTuple):
    """A record of ``.nv.info``, ``.nv.info.<function>`` or ``.nv.compat``."""

    section: int
    """Number of the section that it is in."""
    function: str
    """The function that the section describes, mangled; empty: the whole module."""
    offset: int
    code: int
    name: str
    """``"EIATTR_REGCOUNT"``; empty: not known."""
    format: int
    """1 no value, 2 byte, 3 half word, 4 payload."""
    payload: bytes
    """Of format 4."""
    values: tuple[Value, ...]
    """The payload by its meaning; empty if that is not known."""


class Note(NamedTuple):
    """An ELF note."""

    section: int
    type: int
    owner: str
    """``"NVIDIA Corp"``."""
    desc: bytes


class Tool(NamedTuple):
    """A program that took part in making a file."""

    object: str
    """The name of the file at that time, or empty."""
    name: str
    """``"ptxas"``."""
    version: str
    build: str
    options: str


class Difference(NamedTuple):
    """A difference between two cubins."""

    topic: str
    """One of :data:`TOPICS`."""
    place: str
    """A section, a symbol, a record; or empty."""
    text: str
    """The two values, the first file's first."""

    def __str__(self) -> str:
        return ": ".join(part for part in self if part)


class Finding(NamedTuple):
    """A rule that a file breaks."""

    rule: str
    """``"section-flags"``; ``cubin verify --list-rules`` has them all."""
    place: str
    field: str
    text: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.place, self.field) if part)
        return f"{': '.join(part for part in (where, self.text) if part)} [{self.rule}]"
