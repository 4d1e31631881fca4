# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linking: the options in Python's words, handed on with the names that they have in C++."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
from typing import Callable, Iterable, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from . import _native
from ._cubin import Cubin
from ._errors import LinkError, Message, Origin

Path = Union[str, "os.PathLike[str]"]
_T = TypeVar("_T")
Data = Union[bytes, bytearray, memoryview, Cubin]


class Input(NamedTuple):
    """Bytes to link, with the name that messages call them."""

    name: str
    data: Data


Source = Union[Path, Data, Tuple[str, Data], Input]


class HostReferences(NamedTuple):
    """The kernels that host code launches, as patterns of whole names; ``*`` is any text."""

    external: Sequence[str] = ()
    """Patterns for global symbols."""
    internal: Sequence[str] = ()
    """Patterns for local symbols."""


class LinkedCubin(Cubin):
    """What :func:`link` returns: the linked image, and what the linker had to say about it."""

    messages: tuple[Message, ...] = ()
    """Warnings and notes; a link with errors raises :class:`LinkError` instead."""


def _program(name: str) -> str:
    """The path of a program of this package, or nothing."""
    try:
        files = importlib.metadata.files("culink") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name and file.parent.name in ("bin", "Scripts"):
            return str(pathlib.Path(file.locate()).resolve())
    return shutil.which(name) or ""


def _list(option: str, values: Iterable[_T]) -> list[_T]:
    """Strings, bytes and cubins can be iterated too, which nobody means here."""
    if isinstance(values, (str, bytes, bytearray, memoryview, Cubin)):
        raise TypeError(f"{option} is a list, not a single {type(values).__name__}")
    return list(values)


def _named_bytes(source: Source, number: int) -> tuple[str, Optional[bytes]]:
    """A file by its path, or a name and bytes that nobody can change."""
    if isinstance(source, Cubin):
        return source.name or f"<input {number}>", source.data
    if isinstance(source, tuple):
        name, data = source
        return name, data.data if isinstance(data, Cubin) else bytes(data)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"<input {number}>", bytes(source)
    return os.fspath(source), None


def _message(row: _native.MessageRow) -> Message:
    severity, identifier, text, arguments, origins, notes, hint, shown = row
    return Message(severity, identifier, text, tuple(arguments),
                   tuple(Origin._make(origin) for origin in origins), tuple(notes), hint, shown)


@functools.lru_cache(maxsize=None)
def _package_folders() -> list[str]:
    """Where packages of NVIDIA's on PyPI have their programs, if some are installed."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        spec = None
    roots = (spec and spec.submodule_search_locations) or ()
    return [os.path.join(root, package, "bin") for root in roots
            for package in ("cu13", "cuda_nvcc", "nvjitlink")]


def _toolkit_options(cuda: Optional[Path], ptxas: Optional[Path], finalizer: Optional[Path],
                     code: str, lto: bool) -> dict[str, object]:
    """The programs of NVIDIA's that take part where inputs or options need them."""
    folder = "" if cuda is None else os.fspath(cuda)
    near = _package_folders()
    options: dict[str, object] = {
        "ptxas": _native.find_ptxas(folder, near) if ptxas is None else os.fspath(ptxas)}
    if finalizer is not None or code == "exact":
        given = "" if finalizer is None else os.fspath(finalizer)
        engine = _native.find_finalizer(given, folder, _program("culink"), near)
        options.update(zip(("engine_library", "engine_worker", "engine_nvlink", "engine_folder"), engine))
    if lto:
        compiler = _native.find_finalizer("", folder, _program("culink"), near)
        options.update(zip(("compiler_library", "compiler_worker"), compiler))
    return options


def link(
    inputs: Iterable[Source],
    arch: str,
    *,
    relocatable: bool = False,
    debug: bool = False,
    suppress_debug_info: bool = False,
    code: str = "default",
    kernels_used: Optional[Iterable[str]] = None,
    host_references: Optional[HostReferences] = None,
    ignore_host_info: bool = False,
    keep_system_libraries: bool = False,
    libraries: Iterable[str] = (),
    library_paths: Iterable[Path] = (),
    missing_libraries_are_errors: bool = False,
    cuda: Optional[Path] = None,
    ptxas: Optional[Path] = None,
    ptxas_options: Iterable[str] = (),
    finalizer: Optional[Path] = None,
    lto: bool = False,
    nvvm_options: Iterable[str] = (),
    variables_used: Optional[Iterable[str]] = None,
    max_registers: Optional[int] = None,
    emulate: Optional[str] = None,
    dialect: Optional[str] = None,
    preserve_relocations: bool = False,
    tools_patch: bool = False,
    warnings_are_errors: bool = False,
    extra_warnings: bool = False,
    suppress_arch_warning: bool = False,
    suppress_stack_size_warning: bool = False,
    check: bool = False,
    threads: int = 0,
    progress: Optional[Callable[[str, int, int], object]] = None,
) -> LinkedCubin:
    """Links device code for one target and returns the image that the driver loads.

    Other threads run while it links, any number of links may run at once, and Ctrl-C is answered.
    Nothing but the inputs and the options decides the result.

    :param inputs: Cubins, fatbins, host objects, archives and PTX, told apart by their content: paths,
        bytes, :class:`Cubin` objects, or pairs of a name and bytes (:class:`Input`), where the name is
        what messages call the bytes. The order decides the order of the output.
    :param arch: The target: ``"sm_90"``.
    :param relocatable: Make an object that can be linked again (``-r``).
    :param debug: Keep unused code, and symbols for a debugger (``-g``).
    :param suppress_debug_info: With `debug`: all code stays, but no symbols for a debugger.
    :param code: For sm_100 and later: ``"sass"``, ``"mercury"`` or ``"exact"`` (docs/compilers.md). Default:
        ``"exact"`` with a `finalizer`, else ``"sass"``.
    :param kernels_used: Parts of the names of the kernels to keep. None: all stay.
    :param host_references: The kernels that host code launches; others are discarded.
    :param ignore_host_info: Keep kernels that no host object among the inputs launches.
    :param keep_system_libraries: Do not leave out unused parts of CUDA's device runtime.
    :param libraries: Archives ``lib<name>.a`` behind the inputs, from the first folder that has them.
    :param library_paths: Folders for `libraries`.
    :param missing_libraries_are_errors: One that is not found is otherwise warned about.
    :param cuda: The folder of the CUDA toolkit for what only NVIDIA's programs can do. None: the one that
        the program ``culink`` would take, or else an NVIDIA package of this Python. Links of cubins for
        targets before sm_100 need none.
    :param ptxas: The compiler for PTX among the inputs. None: that of the toolkit.
    :param ptxas_options: Further options for it.
    :param finalizer: libnvJitLink or nvlink, to schedule code for sm_100 and later again. None: that of the
        toolkit if `code` is ``"exact"``, else none.
    :param lto: Optimise code that was compiled for link-time optimisation (``-dlto``, docs/compilers.md), with the
        libnvJitLink and ptxas of the toolkit. Else inputs that have nothing but such code are refused.
    :param nvvm_options: With `lto`: options for the optimiser (``-Xnvvm``).
    :param variables_used: With `lto`: parts of the names of the variables that the host uses. None: all.
    :param max_registers: Registers that a thread of code compiled here may use (``-maxrregcount``).
    :param emulate: ``"nvlink-13.0.88"``: the bytes that version of nvlink would write, its defects
        included. :func:`emulated_linkers` lists the values.
    :param dialect: ``"13.2"``: the conventions of that release of CUDA. None: those of the newest release
        that made an input. :func:`known_dialects` lists the values.
    :param preserve_relocations: Keep relocations that were resolved, for other tools.
    :param tools_patch: The code is for tools to put into programs (``--link-as-tools-patch``).
    :param warnings_are_errors: A warning fails the link.
    :param extra_warnings: Also about what is seldom a mistake.
    :param suppress_arch_warning: Not about inputs without code for the target.
    :param suppress_stack_size_warning: Not about kernels whose stack has no known bound.
    :param check: Compare the output with the inputs before it is returned (docs/checker.md).
    :param threads: 0: one per core when the work is worth it.
    :param progress: Called while a longer link runs with the name of the step, and how many of how
        many inputs were read. An exception that it raises ends the link.
    :raises LinkError: The link failed; the exception has the messages.
    """
    compiler_options = _list("ptxas_options", ptxas_options)
    if max_registers is not None:
        compiler_options.insert(0, f"-maxrregcount={max_registers}")
    options: dict[str, object] = {
        "target": arch, "relocatable": relocatable, "debug": debug,
        "suppress_debug_info": suppress_debug_info, "code": code,
        "ignore_host_info": ignore_host_info, "keep_system_libraries": keep_system_libraries,
        "libraries": _list("libraries", libraries),
        "library_paths": [os.fspath(path) for path in _list("library_paths", library_paths)],
        "needs_all_libraries": missing_libraries_are_errors,
        "ptxas_options": compiler_options,
        "lto": lto, "nvvm_options": _list("nvvm_options", nvvm_options),
        "emulate": emulate or "", "dialect": dialect or "",
        "preserve_relocs": preserve_relocations, "tools_patch": tools_patch,
        "warnings_are_errors": warnings_are_errors, "extra_warnings": extra_warnings,
        "suppress_arch_warning": suppress_arch_warning,
        "suppress_stack_size_warning": suppress_stack_size_warning, "check": check,
        "threads": threads, **_toolkit_options(cuda, ptxas, finalizer, code, lto)}
    if variables_used is not None:
        options["variables_used"] = _list("variables_used", variables_used)
    if max_registers is not None:
        options["max_registers"] = max_registers
    if kernels_used is not None:
        options["kernels_used"] = _list("kernels_used", kernels_used)
    if host_references is not None:
        external, internal = host_references
        options["host_references"] = (_list("external", external), _list("internal", internal))
    named = [_named_bytes(source, number) for number, source in enumerate(_list("inputs", inputs), 1)]
    image, rows = _native.link(named, options, progress)
    messages = tuple(_message(row) for row in rows)
    if image is None:
        raise LinkError(messages)
    linked = LinkedCubin(image)
    linked.messages = messages
    return linked
