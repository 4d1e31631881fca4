# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that hold device code: fatbins, host objects, programs, shared libraries, archives."""

from __future__ import annotations

import os
from typing import Any, Iterator, NamedTuple, Optional, Union, overload

from . import _c
from ._cubin import Cubin
from ._errors import CubinError


class Problem(NamedTuple):
    """A part of a file that could not be read."""

    place: str
    field: str
    text: str

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.place, self.field) if part)
        return ": ".join(part for part in (where, self.text) if part)


class Code:
    """A piece of device code in a file."""

    number: int
    """From 1, in the order of the file."""
    kind: str
    """``"cubin"``, ``"ptx"``, ``"lto"`` (code for link-time optimisation) or ``"other"``."""
    target: str
    """``"sm_90a"``, ``"compute_80"``, ``"lto_90"``; empty: not known."""
    member: str
    """The member of the archive; empty if the file is not an archive."""
    place: str
    """The section; ``"fatbin"`` or ``"file"`` if it is not in a section."""
    size: int
    """In bytes, when unpacked."""
    packed_size: int
    """In bytes, in the file."""
    packing: str
    """``"raw"``, ``"lz4"``, ``"zstd"`` or ``"unknown"``."""
    source: str
    """Noted by the compiler, most often the source's name; or empty."""
    name: str
    """``"3.sm_90.cubin"``: unique in the file, and usable as the end of a file name."""

    def __init__(self, file: CodeFile, row: tuple[Any, ...]) -> None:
        self._file = file
        (self.kind, self.target, self.member, self.place, self.packing, self.source, self.name,
         (self.size, self.packed_size, self.number)) = row

    def __repr__(self) -> str:
        member = f" in {self.member}" if self.member else ""
        return f"<culink.Code {self.name}{member}: {self.size} bytes>"

    def read(self) -> bytes:
        """The code, unpacked.

        :raises CubinError: It is damaged, or packed in an unknown way.
        """
        return self._file._read(self)

    def cubin(self) -> Cubin:
        """The code as a :class:`Cubin`.

        :raises CubinError: It is not a cubin, or it is damaged.
        """
        name = ":".join(part for part in (self._file.name, self.member, self.name) if part)
        if self.kind != "cubin":
            raise CubinError(f"{self.kind} and not a cubin", name)
        return Cubin(self.read(), name)


class CodeFile:
    """All device code in a file: a sequence of :class:`Code`."""

    def __init__(self, source: Union[str, os.PathLike[str], bytes, bytearray, memoryview],
                 name: Optional[str] = None) -> None:
        """See :func:`open`."""
        self._stat: Optional[os.stat_result] = None
        if isinstance(source, (bytes, bytearray, memoryview)):
            self.name = name or ""
            self._data = bytes(source)  # holds the pieces
            self._answer = _c.ask(_c.find_code_in_bytes, _c.encode(self.name), self._data, len(self._data))
        else:
            self._path = os.fspath(source)
            self._stat = os.stat(self._path)
            self.name = name or self._path
            self._answer = _c.ask(_c.find_code_in_file, _c.encode(self._path))
        self._code = tuple(Code(self, row) for row in _c.rows(_c.answer_list, self._answer, "code"))
        self.problems: tuple[Problem, ...] = tuple(
            Problem(place, field, text) for _, _, place, field, text, _ in
            _c.rows(_c.answer_list, self._answer, "finding"))
        """Parts that could not be read. All other parts are listed."""

    def __len__(self) -> int:
        return len(self._code)

    def __iter__(self) -> Iterator[Code]:
        return iter(self._code)

    @overload
    def __getitem__(self, index: int) -> Code: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Code, ...]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Code, tuple[Code, ...]]:
        return self._code[index]

    def __repr__(self) -> str:
        return f"<culink.CodeFile {self.name!r}: {len(self)} pieces of code>"

    def cubins(self, target: Optional[str] = None) -> Iterator[Cubin]:
        """Unpacks the cubins one after the other; with `target`, only the cubins for it."""
        for code in self._code:
            if code.kind == "cubin" and target in (None, code.target):
                yield code.cubin()

    def _read(self, code: Code) -> bytes:
        if self._stat is not None:
            # If a mapped file becomes shorter, a read beyond its end would kill the process.
            then, now = self._stat, os.stat(self._path)
            if (then.st_dev, then.st_ino) == (now.st_dev, now.st_ino) and (
                    then.st_size, then.st_mtime_ns) != (now.st_size, now.st_mtime_ns):
                raise CubinError("the file has changed since it was opened", self.name)
        unpacked = _c.ask(_c.code_unpack, self._answer, code.number - 1)
        return bytes(_c.view_of(_c.answer_bytes, unpacked))


def open(source: Union[str, os.PathLike[str], bytes, bytearray, memoryview],
         name: Optional[str] = None) -> CodeFile:
    """Finds all device code in a cubin, fatbin, host object, program, shared library or archive.

    Only headers are read, so that a library of hundreds of megabytes is listed at once.

    :param source: A path, or the bytes of the file.
    :param name: The name of the file in errors.
    :raises OSError: The file cannot be read.
    """
    return CodeFile(source, name)
