# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the package, and the messages of a link."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple


class Error(Exception):
    """The base of all exceptions of culink."""


class CubinError(Error):
    """A file is damaged, or it is not of the expected kind.

    ``str()`` is one line with all parts: ``a.cubin: .symtab, st_name of symbol 4: ...``.
    """

    def __init__(self, message: str, file: str = "", place: str = "", field: str = "") -> None:
        super().__init__(message, file, place, field)
        self.message = message
        """What is wrong."""
        self.file = file
        """The file, as it was given; empty if it had no name."""
        self.place = place
        """The section, symbol or record; or empty."""
        self.field = field
        """The field of it; or empty."""

    def __str__(self) -> str:
        where = ", ".join(part for part in (self.place, self.field) if part)
        return ": ".join(part for part in (self.file, where, self.message) if part)


class Origin(NamedTuple):
    """A place that a message refers to."""

    role: str
    """``"referenced by"``, ``"defined in"``; may be empty."""
    file: str
    """As it was given; empty: no file, the symbol alone."""
    member: str
    """Of an archive, or empty."""
    symbol: str
    """The function or variable there, mangled, or empty."""
    detail: str
    """The property of that place, for example ``"16 bytes"``; or empty."""


@dataclasses.dataclass(frozen=True)
class Message:
    """A message of a link. Programs use ``id``, people read ``str()``."""

    severity: str
    """``"info"``, ``"warning"``, ``"error"``; or ``"bug"``: an internal error of the linker."""
    id: str
    """A name that is the same in every release: ``"undefined-reference"`` (docs/culink.md)."""
    text: str
    """``"undefined symbol: _Z1fv"``."""
    arguments: tuple[str, ...]
    """The arguments of the text: names, sizes, files."""
    origins: tuple[Origin, ...]
    """The places that it refers to."""
    notes: tuple[str, ...]
    """Further facts."""
    hint: str
    """What to do about it, or empty."""
    shown: str = dataclasses.field(repr=False)
    """As the program ``culink`` prints it, with several lines if need be."""

    def __str__(self) -> str:
        return self.shown


class LinkError(Error):
    """The link failed. ``messages`` has the reasons; ``str()`` is the text that the program would print."""

    def __init__(self, messages: tuple[Message, ...]) -> None:
        super().__init__(messages)
        self.messages = messages
        """All messages of the link, warnings too, in the order of the inputs."""

    @property
    def errors(self) -> tuple[Message, ...]:
        """The messages that made the link fail."""
        return tuple(m for m in self.messages if m.severity in ("error", "bug"))

    def __str__(self) -> str:
        return "\n".join(str(message) for message in self.messages)
