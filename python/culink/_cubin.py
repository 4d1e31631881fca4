# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cubins as objects. The extension reads them; here its rows get names."""

from __future__ import annotations

import dataclasses
import functools
import os
from typing import Iterable, Iterator, Optional, Union

from . import _native
from ._errors import CubinError, Error
from ._rows import (Attribute, Difference, Finding, Function, Header, Note, Relocation, Section, Symbol,
                    Tool, Usage, Value, release)

TOPICS: tuple[str, ...] = _native.topics
"""What :meth:`Cubin.diff` tells apart: ``"header"``, ``"functions"``, ``"code"`` and so on."""


@dataclasses.dataclass(frozen=True)
class Diff:
    """How two cubins differ, causes before consequences. ``str()`` is what ``cubin diff`` prints."""

    differences: tuple[Difference, ...]
    """Those that the limit did not leave out."""
    counts: dict[str, int]
    """How many there are of each topic that has some."""

    @property
    def same(self) -> bool:
        """Whether there are none."""
        return not self.counts

    @property
    def count(self) -> int:
        """How many there are, with those that the limit left out."""
        return sum(self.counts.values())

    def _lines(self) -> Iterator[str]:
        for topic, count in self.counts.items():
            told = [difference for difference in self.differences if difference.topic == topic]
            yield from map(str, told)
            if left := count - len(told):
                yield f"  ... {left} more {'difference' if left == 1 else 'differences'} in {topic}"
        if self.counts:
            yield f"{self.count} {'difference' if self.count == 1 else 'differences'}"

    def __str__(self) -> str:
        return "\n".join(self._lines())


def _with_way_out(error: CubinError, data: bytes) -> CubinError:
    """The same error; for a file that has cubins inside, with the way to them."""
    try:
        rows = _native.Container("", data).code()
    except Error:
        return error
    count = sum(kind == "cubin" and place != "file" for _, kind, _, _, place, *_ in rows)
    if count == 0:
        return error
    cubins = "a cubin" if count == 1 else f"{count} cubins"
    return CubinError(f"not a cubin itself, but with {cubins} inside: culink.open(...).cubins() gives them",
                      error.file)


class Cubin(_native.Reader):
    """A cubin or relocatable device object: what it was made for and by, and what is in it.

    The whole file is checked when the object is made, and a damaged one is refused. A Cubin never changes.
    It is a buffer: ``memoryview(cubin)`` and whatever else takes buffers gets its bytes without a copy.
    Two are equal if their bytes are.
    """

    name: str
    """The path it was read from, or what it was called; empty if it has no name."""

    def __init__(self, source: Union[str, os.PathLike[str], bytes, bytearray, memoryview, Cubin],
                 name: Optional[str] = None) -> None:
        """Reads a file, given by its path, or takes bytes.

        :param source: A path, or the bytes of a cubin. Of buffers other than `bytes` a copy is made.
        :param name: What errors call the file.
        :raises CubinError: It is no cubin, or a damaged one. :func:`culink.open` finds the cubins in
            fatbins, host objects, libraries and archives.
        :raises OSError: The file cannot be read.
        """
        if isinstance(source, Cubin):
            data = source.data
            name = source.name if name is None else name
        elif isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
        else:
            path = os.fspath(source)
            with open(path, "rb") as file:
                data = file.read()
            name = path if name is None else name
        self.name = name or ""
        try:
            super().__init__(data, self.name)
        except CubinError as error:
            raise _with_way_out(error, data) from None

    @property
    def data(self) -> bytes:
        """The file. Not a copy."""
        return self._data

    def __bytes__(self) -> bytes:
        return self._data

    def __len__(self) -> int:
        return len(self._data)

    def __eq__(self, other: object) -> bool:
        return self._data == other._data if isinstance(other, Cubin) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._data)

    def __reduce__(self) -> tuple[object, ...]:
        return Cubin, (self._data, self.name)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        what = "linked" if self.linked else "object"
        return f"<culink.{type(self).__name__}{name}: {what}, {self.target}, {len(self)} bytes>"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the file. It appears whole or not at all.

        :raises OSError: It cannot be written.
        """
        _native.write_file(os.fspath(path), self._data)

    # ---- What the file is ---------------------------------------------------------------------

    @functools.cached_property
    def header(self) -> Header:
        """What the file is for."""
        kind, bits, abi, flags, target, sm, virtual_sm, toolkit, mercury = self._header()
        return Header(kind, bits, abi, flags, target, sm, virtual_sm or None, release(toolkit), mercury)

    @property
    def target(self) -> str:
        """``"sm_90"``."""
        return self.header.target

    @property
    def toolkit(self) -> Optional[tuple[int, int]]:
        """The release of CUDA that made it: ``(13, 0)``. None: the file does not say."""
        return self.header.toolkit

    @property
    def linked(self) -> bool:
        """Whether the driver can load it. Else it is an object that has to be linked."""
        return self.header.type == "EXEC"

    # ---- What it needs --------------------------------------------------------------------------

    @functools.cached_property
    def usage(self) -> Usage:
        """What the module takes as a whole, and what each function needs."""
        toolkit, global_bytes, shared, reserved, constants, functions = self._usage()
        return Usage(release(toolkit), global_bytes, shared, reserved, constants,
                     tuple(Function._make(row) for row in functions))

    @property
    def functions(self) -> tuple[Function, ...]:
        """All kernels and device functions with what they need, in the order of the symbol table."""
        return self.usage.functions

    @property
    def kernels(self) -> tuple[Function, ...]:
        """Those of them that can be launched."""
        return tuple(function for function in self.functions if function.kernel)

    def function(self, name: str) -> Function:
        """The function of that name, mangled or as in the source, there with or without parameters.

        :raises KeyError: There is none, or more than one.
        """
        found = [f for f in self.functions if _native.is_called(f.name, name)]
        if len(found) != 1:
            raise KeyError(f"{name}: {'several functions' if found else 'no function'} of that name")
        return found[0]

    # ---- What is in it --------------------------------------------------------------------------

    @functools.cached_property
    def sections(self) -> tuple[Section, ...]:
        """All sections by number; number 0 is the null section."""
        return tuple(Section._make(row) for row in self._sections())

    def section(self, name: str) -> Section:
        """The first section of that name.

        :raises KeyError: There is none.
        """
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(name)

    def section_data(self, section: Union[Section, str]) -> memoryview:
        """The bytes of a section, given by its name or as :attr:`sections` has it. Not a copy."""
        if isinstance(section, str):
            section = self.section(section)
        return memoryview(self._data)[section.offset:section.offset + section.size_in_file]

    @functools.cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbol table by number; number 0 is the null symbol."""
        return tuple(Symbol._make(row) for row in self._symbols())

    def symbols_of(self, table: Section) -> tuple[Symbol, ...]:
        """Another symbol table, which files with Mercury code have."""
        return tuple(Symbol._make(row) for row in self._symbols(table.number))

    @functools.cached_property
    def relocations(self) -> tuple[Relocation, ...]:
        """The relocations of all sections."""
        return tuple(Relocation._make(row) for row in self._relocations())

    @functools.cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The records of ``.nv.info``, ``.nv.info.<function>`` and ``.nv.compat``."""
        return tuple(
            Attribute._make((*row[:-1], tuple(Value._make(value) for value in row[-1])))
            for row in self._attributes())

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """The ELF notes."""
        return tuple(Note._make(row) for row in self._notes())

    @functools.cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The programs that made the file; older files do not say it."""
        return tuple(Tool._make(row) for row in self._tools())

    # ---- What can be said about it --------------------------------------------------------------

    def diff(self, other: Cubin, *, ignore: Iterable[str] = (), limit: Optional[int] = None) -> Diff:
        """How another cubin differs from this one.

        Sections and symbols are matched by name, records by what they are about. Unequal bytes always
        give at least one difference, unless its topic is ignored.

        :param ignore: :data:`TOPICS` to leave out. With ``"tkinfo"``, files that other tools made of the
            same inputs count as the same.
        :param limit: Differences told of each topic. None: all.
        """
        if isinstance(ignore, str):
            ignore = (ignore,)
        most = 2**64 - 1 if limit is None else limit
        differences, counts = self._diff(other, list(ignore), most)
        return Diff(tuple(Difference._make(row) for row in differences),
                    {topic: count for topic, count in zip(TOPICS, counts) if count})

    def verify(self) -> tuple[Finding, ...]:
        """What breaks the rules that every file of ptxas and nvlink keeps; empty if nothing does."""
        return tuple(Finding._make(row) for row in self._verify())
