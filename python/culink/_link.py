# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Linking: converts the options from Python to words of the command line."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import threading
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from . import _c
from ._cubin import Cubin
from ._errors import LinkError, Message, Origin

Path = Union[str, "os.PathLike[str]"]
_T = TypeVar("_T")
Data = Union[bytes, bytearray, memoryview, Cubin]
_CODES = ("default", "sass", "mercury", "exact")


class Input(NamedTuple):
    """Bytes to link, with their name in messages."""

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
    """The result of :func:`link`: the linked image, and the messages of the linker."""

    messages: tuple[Message, ...] = ()
    """Warnings and notes; a link with errors raises :class:`LinkError` instead."""


def _program(name: str) -> str:
    """Returns the path of a program of this package, or an empty string."""
    try:
        files = importlib.metadata.files("culink") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name and file.parent.name in ("bin", "Scripts"):
            return str(pathlib.Path(file.locate()).resolve())
    return shutil.which(name) or ""


def _list(option: str, values: Iterable[_T]) -> list[_T]:
    """Returns a list; refuses strings, bytes and cubins, which can be iterated, too."""
    if isinstance(values, (str, bytes, bytearray, memoryview, Cubin)):
        raise TypeError(f"{option} is a list, not a single {type(values).__name__}")
    return list(values)


def _named_bytes(source: Source, number: int) -> tuple[str, Optional[bytes]]:
    """Returns the path of a file and None, or a name and immutable bytes."""
    if isinstance(source, Cubin):
        return source.name or f"<input {number}>", source.data
    if isinstance(source, tuple):
        name, data = source
        return name, data.data if isinstance(data, Cubin) else bytes(data)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"<input {number}>", bytes(source)
    return os.fspath(source), None


def _each(get: Callable[..., Any], count: int, *arguments: Any) -> Iterator[str]:
    return (_c.text(get(*arguments, i)) for i in range(count))


def _message(message: int) -> Message:
    return Message(
        ("info", "warning", "error", "bug")[_c.message_severity(message)], _c.text(_c.message_id(message)),
        _c.text(_c.message_text(message)),
        tuple(_each(_c.message_argument, _c.message_argument_count(message), message)),
        tuple(Origin._make(_c.get("origin", _c.message_origin, message, i)[:-1])
              for i in range(_c.message_origin_count(message))),
        tuple(_each(_c.message_note, _c.message_note_count(message), message)),
        _c.text(_c.message_hint(message)), _c.text(_c.message_shown(message)))


@functools.lru_cache(maxsize=None)
def _package_folders() -> list[str]:
    """Returns the folders of programs of installed NVIDIA packages from PyPI."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        spec = None
    roots = (spec and spec.submodule_search_locations) or ()
    return [os.path.join(root, package, "bin") for root in roots
            for package in ("cu13", "cuda_nvcc", "nvjitlink")]


class _Link:
    """The arguments of a link, and the link itself.

    It runs in a thread of its own, without the GIL. The calling thread waits for it and wakes up 25 times a second,
    so that Python can handle signals, such as Ctrl-C, and report progress. Both may raise an exception, which
    ends the link.
    """

    def __init__(self) -> None:
        self._handle = _c.Handle(_c.link_destroy)
        self._result = _c.Handle(_c.result_destroy)
        self._kept: list[object] = []  # what the library borrows
        self._ended = threading.Event()
        self._raised: Optional[BaseException] = None
        _c.link_create(self._handle.place())

    def add_words(self, words: Sequence[str]) -> None:
        if _c.link_add_options(self._handle, *_c.texts(words)) == _c.BAD_OPTION:
            raise ValueError(_c.text(_c.link_error(self._handle)))

    def add_values(self, option: str, values: Sequence[str]) -> None:
        _c.link_add_values(self._handle, option.encode(), *_c.texts(values))

    def set_host_kernels(self, references: HostReferences) -> None:
        external, internal = references
        _c.link_set_host_kernels(self._handle, *_c.texts(_list("external", external)),
                                 *_c.texts(_list("internal", internal)))

    def add_input(self, source: Source, number: int) -> None:
        name, data = _named_bytes(source, number)
        if data is None:
            _c.link_add_file(self._handle, _c.encode(name))
        else:
            self._kept.append(data)
            _c.link_add_bytes(self._handle, _c.encode(name), data, len(data))

    def set_tools(self, cuda: Optional[Path], ptxas: Optional[Path], finalizer: Optional[Path], code: str,
                  lto: bool) -> None:
        """Sets NVIDIA's programs, which the link uses if inputs or options need them."""
        def set_tool(kind: str, path: Optional[bytes]) -> None:
            _c.link_set_tool(self._handle, kind.encode(), path)

        for folder in _package_folders():
            _c.link_add_tool_folder(self._handle, _c.encode(folder))
        _c.link_find_tools(self._handle, None if cuda is None else _c.encode(os.fspath(cuda)))
        if lto:
            set_tool("compiler", _c.link_tool(self._handle, b"libnvJitLink"))
        if finalizer is not None or code != "exact":
            set_tool("libnvJitLink", None)
            set_tool("nvlink", None)
        if finalizer is not None:
            path = os.fspath(finalizer)
            set_tool("libnvJitLink" if ".so" in os.path.basename(path) else "nvlink", _c.encode(path))
        if ptxas is not None:
            set_tool("ptxas", _c.encode(os.fspath(ptxas)))
        if (lto or finalizer is not None or code == "exact") and (program := _program("culink")):
            set_tool("culink", _c.encode(program))

    def run(self, progress: Optional[Callable[[str, int, int], object]]) -> LinkedCubin:
        state: list[tuple[str, int, int]] = []

        def note(_user: object, step: bytes, done: int, total: int) -> int:
            state[:] = [(_c.text(step), done, total)]
            return 0

        if progress is not None:
            self._kept.append(callback := _c.Progress(note))
            _c.link_set_progress(self._handle, callback, None)
        self._wait(progress, state)
        messages = tuple(_message(_c.result_message(self._result, i))
                         for i in range(_c.result_message_count(self._result)))
        image = _c.view_of(_c.result_bytes, self._result)
        if not image:
            raise LinkError(messages)
        linked = LinkedCubin(image)
        linked.messages = messages
        return linked

    def _run(self) -> None:
        try:
            _c.link_run(self._handle, self._result.place())
        except BaseException as error:
            self._raised = error
        self._ended.set()

    def _wait(self, progress: Optional[Callable[[str, int, int], object]],
              state: list[tuple[str, int, int]]) -> None:
        reported: list[tuple[str, int, int]] = []
        threading.Thread(target=self._run).start()
        while not self._ended.is_set():
            try:
                if not self._ended.wait(0.04) and progress and not self._raised and state != reported:
                    reported = state[:]
                    progress(*reported[0])
            except BaseException as error:
                self._raised = self._raised or error
                _c.link_cancel(self._handle)
        if self._raised:
            raise self._raised


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

    Other threads run during the link, any number of links may run at once, and Ctrl-C works.
    The result depends only on the inputs and the options.

    :param inputs: Cubins, fatbins, host objects, archives and PTX, told apart by their content: paths,
        bytes, :class:`Cubin` objects, or pairs of a name and bytes (:class:`Input`), where the name is
        used in messages. The order decides the order of the output.
    :param arch: The target: ``"sm_90"``.
    :param relocatable: Make an object that can be linked again (``-r``).
    :param debug: Keep unused code, and symbols for a debugger (``-g``).
    :param suppress_debug_info: With `debug`: keep all code, but no symbols for a debugger.
    :param code: For sm_100 and later: ``"sass"``, ``"mercury"`` or ``"exact"`` (docs/compilers.md). Default:
        ``"exact"`` with a `finalizer`, else ``"sass"``.
    :param kernels_used: Substrings of the names of the kernels to keep. None: keep all.
    :param host_references: The kernels that host code launches; others are discarded.
    :param ignore_host_info: Keep kernels that no host object among the inputs launches.
    :param keep_system_libraries: Do not leave out unused parts of CUDA's device runtime.
    :param libraries: Archives ``lib<name>.a`` after the inputs, from the first folder that has them.
    :param library_paths: Folders for `libraries`.
    :param missing_libraries_are_errors: A missing library is an error, not a warning.
    :param cuda: The folder of the CUDA toolkit, for tasks that need NVIDIA's programs. None: the toolkit that
        the program ``culink`` would use, or else an NVIDIA package of this Python. Links of cubins for
        targets before sm_100 need none.
    :param ptxas: The compiler for PTX among the inputs. None: the ptxas of the toolkit.
    :param ptxas_options: Further options for it.
    :param finalizer: libnvJitLink or nvlink, to schedule code for sm_100 and later again. None: the one of the
        toolkit if `code` is ``"exact"``, otherwise none.
    :param lto: Optimise code that was compiled for link-time optimisation (``-dlto``, docs/compilers.md), with the
        libnvJitLink and ptxas of the toolkit. Otherwise inputs with only such code are refused.
    :param nvvm_options: With `lto`: options for the optimiser (``-Xnvvm``).
    :param variables_used: With `lto`: substrings of the names of the variables that the host uses. None: all.
    :param max_registers: Registers that a thread of code compiled here may use (``-maxrregcount``).
    :param emulate: ``"nvlink-13.0.88"``: the bytes that version of nvlink would write, its defects
        included. :func:`emulated_linkers` lists the values.
    :param dialect: ``"13.2"``: the conventions of that release of CUDA. None: the conventions of the newest
        release that made an input. :func:`known_dialects` lists the values.
    :param preserve_relocations: Keep resolved relocations, for other tools.
    :param tools_patch: The code is for tools to put into programs (``--link-as-tools-patch``).
    :param warnings_are_errors: A warning fails the link.
    :param extra_warnings: Also warn about constructs that are rarely mistakes.
    :param suppress_arch_warning: Do not warn about inputs without code for the target.
    :param suppress_stack_size_warning: Do not warn about kernels with a stack of unknown bound.
    :param check: Compare the output with the inputs before it is returned (docs/checker.md).
    :param threads: 0: one per core when the work is worth it.
    :param progress: Called during a longer link with the name of the step, the number of inputs that were
        read, and the number of all inputs. An exception that it raises ends the link.
    :raises LinkError: The link failed; the exception has the messages.
    """
    if code not in _CODES:
        raise ValueError("code is one of default, sass, mercury and exact")
    libraries, folders = _list("libraries", libraries), _list("library_paths", library_paths)
    flags = {
        "-r": relocatable, "-g": debug, "--suppress-debug-info": debug and suppress_debug_info,
        "--ignore-host-info": ignore_host_info, "--keep-system-libraries": keep_system_libraries,
        "--fatal-missing-library": missing_libraries_are_errors, "-lto": lto,
        "--preserve-relocs": preserve_relocations, "--link-as-tools-patch": tools_patch,
        "-Werror": warnings_are_errors, "--extra-warnings": extra_warnings,
        "--suppress-arch-warning": suppress_arch_warning,
        "--suppress-stack-size-warning": suppress_stack_size_warning, "--check": check,
        f"--code={code}": code != "default",
        f"-maxrregcount={max_registers}": max_registers is not None, f"--threads={threads}": threads}
    optimiser_options = _list("nvvm_options", nvvm_options)
    lists = {
        "arch": [arch], "emulate": [emulate] if emulate else [], "dialect": [dialect] if dialect else [],
        "library": libraries, "library-path": [os.fspath(folder) for folder in folders],
        "Xptxas": _list("ptxas_options", ptxas_options), "Xnvvm": optimiser_options if lto else []}
    job = _Link()
    job.add_words([word for word, given in flags.items() if given])
    for option, values in lists.items():
        if values:
            job.add_values(option, values)
    if kernels_used is not None:
        job.add_values("kernels-used", _list("kernels_used", kernels_used))
    if variables_used is not None and lto:
        job.add_values("variables-used", _list("variables_used", variables_used))
    if host_references is not None:
        job.set_host_kernels(host_references)
    for number, source in enumerate(_list("inputs", inputs), 1):
        job.add_input(source, number)
    job.set_tools(cuda, ptxas, finalizer, code, lto)
    return job.run(progress)
