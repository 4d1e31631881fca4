# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cubins as objects. The library reads them; this module names the rows."""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
from typing import Any, Iterable, Iterator, Optional, Union

from . import _c
from ._errors import CubinError, Error
from ._rows import (Attribute, Difference, Finding, Function, Header, Note, Relocation, Section, Symbol,
                    Tool, Usage, Value, release)

TOPICS: tuple[str, ...] = tuple(_c.known_names("topic"))
"""The topics of :meth:`Cubin.diff`: ``"header"``, ``"functions"``, ``"code"`` and so on."""


@dataclasses.dataclass(frozen=True)
class Diff:
    """The differences of two cubins, causes before consequences. ``str()`` is what ``cubin diff`` prints."""

    differences: tuple[Difference, ...]
    """The differences within the limit."""
    counts: dict[str, int]
    """The number of differences of each topic that has any."""

    @property
    def same(self) -> bool:
        """True if there are no differences."""
        return not self.counts

    @property
    def count(self) -> int:
        """The number of differences, including those beyond the limit."""
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
    """Returns the error; for a file with cubins inside, one that explains how to read them."""
    try:
        found = _c.ask(_c.find_code_in_bytes, b"", data, len(data))
    except Error:
        return error
    count = sum(kind == "cubin" and place != "file"
                for kind, _, _, place, *_ in _c.rows(_c.answer_list, found, "code"))
    if count == 0:
        return error
    cubins = "a cubin" if count == 1 else f"{count} cubins"
    return CubinError(f"not a cubin itself, but with {cubins} inside: culink.open(...).cubins() gives them",
                      error.file)


def _names(kind: str) -> list[str]:
    """The name of each number, or the number."""
    names = _c.known_names(kind)
    return [names[i] if i < len(names) and names[i] else f"{i:#x}" for i in range(256)]


_BINDINGS = _names("binding")
_SYMBOL_TYPES = _names("symbol-type")
_FILE_TYPES = _names("file-type")
_VALUE_KINDS = ("number", "symbol", "code offset", "text")


def _function(name: str, numbers: tuple[int, ...], constants: dict[int, int]) -> Function:
    symbol, kernel, code, shared, local, _, *needs = numbers
    registers, limit, frame, stack, max_stack, barriers, parameters, *threads, spills = (
        None if need == _c.NOT_SAID else need for need in needs)
    most: Any = None if threads[0] is None else tuple(threads[:3])
    required: Any = None if threads[3] is None else tuple(threads[3:])
    return Function(name, bool(kernel), registers, limit, frame, stack, max_stack, shared, local, barriers,
                    parameters, code, constants, most, required, symbol, spills)


def _symbols(rows: Iterable[tuple[Any, ...]]) -> tuple[Symbol, ...]:
    return tuple([
        Symbol(number, name, _BINDINGS[binding], _SYMBOL_TYPES[kind], other, section, special, value, size,
               section != 0 or special != 0, kernel != 0)
        for number, (name, (value, size, section, special, binding, kind, other, kernel, _)) in enumerate(rows)])


class Cubin(bytes):
    """A cubin or relocatable device object: its target, its tools and its contents.

    The whole file is checked when the object is made, and a damaged one is refused. A Cubin never changes.
    It is a `bytes` object, so code that takes `bytes` or a buffer takes it without a copy. Two cubins are equal
    if their bytes are.
    """

    name: str
    """The path, or the name that was given; empty if it has no name."""
    _handle: _c.Handle

    def __new__(cls, source: Union[str, os.PathLike[str], bytes, bytearray, memoryview, Cubin],
                name: Optional[str] = None) -> Cubin:
        """Reads a file, given by its path, or takes bytes.

        :param source: A path, or the bytes of a cubin, of which a copy is made.
        :param name: The name of the file in errors.
        :raises CubinError: It is not a cubin, or it is damaged. :func:`culink.open` finds the cubins in
            fatbins, host objects, libraries and archives.
        :raises OSError: The file cannot be read.
        """
        if type(source) is cls and name in (None, source.name):
            return source
        data: Union[bytes, bytearray, memoryview]
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = source
            name = source.name if isinstance(source, Cubin) and name is None else name
        else:
            path = os.fspath(source)
            with open(path, "rb") as file:
                data = file.read()
            name = path if name is None else name
        self = super().__new__(cls, data)
        self.name = name or ""
        self._handle = _c.Handle(_c.cubin_destroy)
        if _c.cubin_open_bytes(self._handle.place(), _c.encode(self.name), self, len(self)) == _c.BAD_FILE:
            _, where, place, field, message, _ = _c.get("finding", _c.cubin_get_error, self._handle)
            raise _with_way_out(CubinError(message, where, place, field), self)
        return self

    @property
    def data(self) -> bytes:
        """The file. Not a copy."""
        return self

    def __bytes__(self) -> bytes:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Cubin, (self[:], self.name)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        what = "linked" if self.linked else "object"
        return f"<culink.{type(self).__name__}{name}: {what}, {self.target}, {len(self)} bytes>"

    __str__ = __repr__

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the file. It appears whole or not at all.

        :raises OSError: It cannot be written.
        """
        name = os.fspath(path)
        try:
            _c.ask(_c.write_file, _c.encode("./-" if name == "-" else name), self, len(self))
        except CubinError as error:
            raise OSError(str(error)) from None

    def _rows(self, kind: str, name: str = "") -> Iterator[tuple[Any, ...]]:
        return _c.rows(_c.cubin_list, self._handle, kind, name)

    # ---- What the file is ---------------------------------------------------------------------

    @functools.cached_property
    def header(self) -> Header:
        """The type, format and target of the file."""
        target, (_, mercury, sm, virtual_sm, toolkit, flags, _, _, _, kind, bits, abi) = self._info
        return Header(_FILE_TYPES[kind] if kind < 256 else f"{kind:#x}", bits, abi, flags, target, sm, virtual_sm or None,
                      release(toolkit), bool(mercury))

    @functools.cached_property
    def _info(self) -> tuple[Any, ...]:
        return _c.get("cubin_info", _c.cubin_get_info, self._handle)

    @property
    def target(self) -> str:
        """``"sm_90"``."""
        return self.header.target

    @property
    def toolkit(self) -> Optional[tuple[int, int]]:
        """The release of CUDA that made it: ``(13, 0)``. None: the file does not record it."""
        return self.header.toolkit

    @property
    def linked(self) -> bool:
        """True if the driver can load it. Otherwise it is an object that must be linked."""
        return self.header.type == "EXEC"

    # ---- What it needs --------------------------------------------------------------------------

    @functools.cached_property
    def usage(self) -> Usage:
        """The memory of the module as a whole, and the resources of each function."""
        _, (_, _, _, _, toolkit, _, global_bytes, shared, reserved, *_) = self._info
        constants: dict[int, dict[int, int]] = collections.defaultdict(dict)
        for ((size, function, bank),) in self._rows("bank"):
            constants[function][bank] = size
        return Usage(release(toolkit), global_bytes, shared, reserved, constants[_c.WHOLE_MODULE],
                     tuple(_function(name, numbers, constants[i])
                           for i, (name, numbers) in enumerate(self._rows("function"))))

    @property
    def functions(self) -> tuple[Function, ...]:
        """All kernels and device functions with their resources, in the order of the symbol table."""
        return self.usage.functions

    @property
    def kernels(self) -> tuple[Function, ...]:
        """The functions that can be launched."""
        return tuple(function for function in self.functions if function.kernel)

    def function(self, name: str) -> Function:
        """Returns the function of a name: mangled, or as in the source with or without parameters.

        :raises KeyError: There is none, or more than one.
        """
        found = [f for f in self.functions if _c.is_called(_c.encode(f.name), _c.encode(name))]
        if len(found) != 1:
            raise KeyError(f"{name}: {'several functions' if found else 'no function'} of that name")
        return found[0]

    # ---- What is in it --------------------------------------------------------------------------

    @functools.cached_property
    def sections(self) -> tuple[Section, ...]:
        """All sections by number; number 0 is the null section."""
        return tuple([
            Section(number, name, kind, type_name, role, function, flags, offset, size, align, entsize, link, info,
                    size_in_file)
            for number, (name, type_name, role, function, (_, size_in_file, flags, offset, size, align, entsize,
                                                           kind, link, info)) in enumerate(self._rows("section"))])

    def section(self, name: str) -> Section:
        """Returns the first section of a name.

        :raises KeyError: There is none.
        """
        for section in self.sections:
            if section.name == name:
                return section
        raise KeyError(name)

    def section_data(self, section: Union[Section, str]) -> memoryview:
        """Returns the bytes of a section, given by its name or an item of :attr:`sections`. Not a copy."""
        if isinstance(section, str):
            section = self.section(section)
        return memoryview(self)[section.offset:section.offset + section.size_in_file]

    @functools.cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbol table by number; number 0 is the null symbol."""
        return _symbols(self._rows("symbol"))

    def symbols_of(self, table: Section) -> tuple[Symbol, ...]:
        """Returns another symbol table. Files with Mercury code have several."""
        return _symbols(row for name in ("symbol", "other-symbol") for row in self._rows("symbol", name)
                        if row[1][-1] == table.number)

    @functools.cached_property
    def relocations(self) -> tuple[Relocation, ...]:
        """The relocations of all sections."""
        return tuple(
            Relocation(table, section, offset, kind, type_name, symbol, symbol_name, addend)
            for type_name, symbol_name, (offset, addend, table, section, symbol, kind) in self._rows("relocation"))

    @functools.cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The records of ``.nv.info``, ``.nv.info.<function>`` and ``.nv.compat``."""
        values = [Value(key, _VALUE_KINDS[kind], number, text)
                  for key, text, (number, kind) in self._rows("value")]
        return tuple(
            Attribute(section, function, offset, code, name, format_, _c.bytes_at(payload, size),
                      tuple(values[first:first + count]))
            for name, function, (payload, size, offset, count, section, code, format_, first)
            in self._rows("attribute"))

    @functools.cached_property
    def notes(self) -> tuple[Note, ...]:
        """The ELF notes."""
        return tuple(Note(section, kind, owner, _c.bytes_at(desc, size))
                     for owner, (desc, size, section, kind) in self._rows("note"))

    @functools.cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The programs that made the file; older files do not record them."""
        return tuple(Tool(made, name, version, build, options)
                     for name, version, build, options, made, _ in self._rows("tool"))

    # ---- What can be said about it --------------------------------------------------------------

    def diff(self, other: Cubin, *, ignore: Iterable[str] = (), limit: Optional[int] = None) -> Diff:
        """Returns the differences between another cubin and this one.

        Sections and symbols are matched by name, records by their subject. Unequal bytes always
        give at least one difference, unless its topic is ignored.

        :param ignore: :data:`TOPICS` to leave out. With ``"tkinfo"``, outputs of different tools for
            equal inputs compare equal.
        :param limit: The number of differences to list for each topic. None: all.
        """
        if isinstance(ignore, str):
            ignore = (ignore,)
        for name in (ignored := list(ignore)):
            if name not in TOPICS:
                raise ValueError(f"no topic is called {name}")
        most = 2**64 - 1 if limit is None else limit
        answer = _c.ask(_c.cubin_diff, self._handle, other._handle, *_c.texts(ignored), most)
        return Diff(tuple(Difference(topic, place, text) for topic, _, place, _, text, _
                          in _c.rows(_c.answer_list, answer, "finding")),
                    {topic: count for topic, (count,) in _c.rows(_c.answer_list, answer, "count") if count})

    def verify(self) -> tuple[Finding, ...]:
        """Returns the violations of rules that every file of ptxas and nvlink follows; empty if there are none."""
        answer = _c.ask(_c.cubin_verify, self._handle)
        return tuple(Finding(rule, place, field, text) for rule, _, place, field, text, _
                     in _c.rows(_c.answer_list, answer, "finding"))
