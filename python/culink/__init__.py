# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An open linker for CUDA device code.

    >>> import culink
    >>> objects = ["examples/vector_math/sm_90/main.cubin", "examples/vector_math/sm_90/filter.cubin"]
    >>> cubin = culink.link(objects, arch="sm_90")
    >>> for kernel in cubin.kernels:
    ...     print(kernel.demangled, kernel.registers)
    total(float const*, float*, int) 24
    smooth(float const*, float*, int) 36

:func:`link` links files or bytes, :class:`Cubin` reads the contents of a cubin and the resources of its kernels, and
:func:`open` finds the device code in fatbins, host objects, libraries and archives. Neither CUDA nor a GPU
is needed. docs/python.md has more examples.
"""

from __future__ import annotations

from . import _c
from ._container import Code, CodeFile, Problem, open
from ._cubin import TOPICS, Cubin, Diff
from ._errors import CubinError, Error, LinkError, Message, Origin
from ._link import HostReferences, Input, LinkedCubin, link
from ._rows import (UNBOUNDED_STACK, Attribute, Difference, Finding, Function, Header, Note, Relocation,
                    Section, Symbol, Tool, Usage, Value)

__version__: str = _c.text(_c.version())

__all__ = [
    "Attribute", "Code", "CodeFile", "Cubin", "CubinError", "Diff", "Difference", "Error", "Finding",
    "Function", "Header", "HostReferences", "Input", "LinkError", "LinkedCubin", "Message", "Note", "Origin",
    "Problem", "Relocation", "Section", "Symbol", "TOPICS", "Tool", "UNBOUNDED_STACK", "Usage", "Value",
    "demangle", "emulated_linkers", "known_dialects", "link", "open",
]


def demangle(name: str) -> str:
    """Returns the name of a symbol in the source: ``total(float const*, float*, int)``.

    Names that nvcc and ptxas make up become the names in the source; other text is returned
    unchanged.
    """
    return _c.demangle(name)


def emulated_linkers() -> list[str]:
    """Returns the values of `emulate` of :func:`link`."""
    return _c.known_names("emulate")


def known_dialects() -> list[str]:
    """Returns the values of `dialect` of :func:`link`, oldest first."""
    return _c.known_names("dialect")
