# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of culink.h over ctypes, and its structures as tuples. docs/library.md has the rules for both.

Strings carry bytes that are not UTF-8 as surrogates (PEP 383), so that each name keeps its bytes.
"""

from __future__ import annotations

import ctypes
import os
import struct
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from ._errors import CubinError

INVALID_ARGUMENT, OUT_OF_MEMORY, BAD_OPTION, BAD_FILE, INTERNAL_ERROR = 1, 2, 4, 7, 8
NOT_SAID = -1
WHOLE_MODULE = 0xffffffff

Progress = ctypes.CFUNCTYPE(c_int32, c_void_p, c_char_p, c_uint32, c_uint32)

# The members of a structure after struct_size: the number of leading texts, and the rest as a format of struct.
_MEMBERS = {
    "attribute": (2, "PQQQIBBQ"),
    "bank": (0, "QII"),
    "code": (7, "QQI"),
    "count": (1, "Q"),
    "cubin_info": (1, "iiIIIIQQQIII"),
    "finding": (5, ""),
    "function": (1, "IiQQQQ14q"),
    "list": (0, "PNN"),
    "note": (1, "PQII"),
    "origin": (5, ""),
    "relocation": (2, "QqIIII"),
    "section": (4, "PQQQQQQIII"),
    "symbol": (1, "QQIIBBBBI"),
    "tool": (5, ""),
    "value": (2, "Qi"),
}

# The package has its own library; a copy without one loads the library of the system.
_beside = os.path.join(os.path.dirname(__file__), "libculink.so.0")
_library = ctypes.CDLL(_beside if os.path.exists(_beside) else "libculink.so.0")


def _check(status: int, function: object, arguments: object) -> int:
    if status == OUT_OF_MEMORY:
        raise MemoryError
    if status in (INVALID_ARGUMENT, INTERNAL_ERROR):
        raise RuntimeError(f"culink: {text(status_name(status))}")
    return status


def _function(result: Any, name: str, *arguments: Any) -> Callable[..., Any]:
    function = getattr(_library, "culink_" + name)
    function.restype, function.argtypes = result, arguments
    return function  # type: ignore[no-any-return]


def _status(name: str, *arguments: Any) -> Callable[..., Any]:
    function: Any = _function(c_int32, name, *arguments)
    function.errcheck = _check
    return function  # type: ignore[no-any-return]


_POINTER, _TEXTS = POINTER(c_void_p), POINTER(c_char_p)
status_name = _function(c_char_p, "status_name", c_int32)
version = _function(c_char_p, "version")
known_name = _function(c_char_p, "known_name", c_char_p, c_size_t)
demangle_into = _function(c_size_t, "demangle", c_char_p, c_char_p, c_size_t)
is_called = _function(c_int32, "is_called", c_char_p, c_char_p)
link_create = _status("link_create", _POINTER)
link_destroy = _function(None, "link_destroy", c_void_p)
link_add_options = _status("link_add_options", c_void_p, _TEXTS, c_size_t)
link_add_values = _status("link_add_values", c_void_p, c_char_p, _TEXTS, c_size_t)
link_set_host_kernels = _status("link_set_host_kernels", c_void_p, _TEXTS, c_size_t, _TEXTS, c_size_t)
link_error = _function(c_char_p, "link_error", c_void_p)
link_add_file = _status("link_add_file", c_void_p, c_char_p)
link_add_bytes = _status("link_add_bytes", c_void_p, c_char_p, c_char_p, c_size_t)
link_set_tool = _status("link_set_tool", c_void_p, c_char_p, c_char_p)
link_add_tool_folder = _status("link_add_tool_folder", c_void_p, c_char_p)
link_find_tools = _status("link_find_tools", c_void_p, c_char_p)
link_tool = _function(c_char_p, "link_tool", c_void_p, c_char_p)
link_set_progress = _status("link_set_progress", c_void_p, Progress, c_void_p)
link_cancel = _status("link_cancel", c_void_p)
link_run = _status("link_run", c_void_p, _POINTER)
result_destroy = _function(None, "result_destroy", c_void_p)
result_bytes = _function(c_void_p, "result_bytes", c_void_p, POINTER(c_size_t))
result_message_count = _function(c_size_t, "result_message_count", c_void_p)
result_message = _function(c_void_p, "result_message", c_void_p, c_size_t)
message_severity = _function(c_int32, "message_severity", c_void_p)
message_id = _function(c_char_p, "message_id", c_void_p)
message_text = _function(c_char_p, "message_text", c_void_p)
message_hint = _function(c_char_p, "message_hint", c_void_p)
message_shown = _function(c_char_p, "message_shown", c_void_p)
message_argument_count = _function(c_size_t, "message_argument_count", c_void_p)
message_argument = _function(c_char_p, "message_argument", c_void_p, c_size_t)
message_note_count = _function(c_size_t, "message_note_count", c_void_p)
message_note = _function(c_char_p, "message_note", c_void_p, c_size_t)
message_origin_count = _function(c_size_t, "message_origin_count", c_void_p)
message_origin = _status("message_origin", c_void_p, c_size_t, c_char_p)
cubin_open_bytes = _status("cubin_open_bytes", _POINTER, c_char_p, c_char_p, c_size_t)
cubin_destroy = _function(None, "cubin_destroy", c_void_p)
cubin_get_error = _status("cubin_get_error", c_void_p, c_char_p)
cubin_get_info = _status("cubin_get_info", c_void_p, c_char_p)
cubin_list = _status("cubin_list", c_void_p, c_char_p, c_char_p)
cubin_verify = _status("cubin_verify", c_void_p, _POINTER)
cubin_diff = _status("cubin_diff", c_void_p, c_void_p, _TEXTS, c_size_t, c_uint64, _POINTER)
find_code_in_file = _status("find_code_in_file", c_char_p, _POINTER)
find_code_in_bytes = _status("find_code_in_bytes", c_char_p, c_char_p, c_size_t, _POINTER)
code_unpack = _status("code_unpack", c_void_p, c_size_t, _POINTER)
write_file = _status("write_file", c_char_p, c_char_p, c_size_t, _POINTER)
answer_destroy = _function(None, "answer_destroy", c_void_p)
answer_list = _status("answer_list", c_void_p, c_char_p, c_char_p)
answer_bytes = _function(c_void_p, "answer_bytes", c_void_p, POINTER(c_size_t))


class Handle:
    """A handle that a function of the library stored; freed with this object."""

    def __init__(self, destroy: Callable[..., Any]) -> None:
        self._as_parameter_ = c_void_p()
        self._destroy = destroy

    def place(self) -> Any:
        """Returns the pointer for the function that stores the handle."""
        return byref(self._as_parameter_)

    def __del__(self) -> None:
        self._destroy(self)


def encode(value: Union[str, bytes]) -> bytes:
    out = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
    if b"\0" in out:
        raise ValueError("embedded null character")
    return out


def text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "surrogateescape")


def texts(values: Sequence[Union[str, bytes]]) -> tuple[Any, int]:
    """Returns a list of texts and its length, as arguments of a function."""
    return (c_char_p * len(values))(*map(encode, values)), len(values)


def bytes_at(address: Optional[int], size: int) -> bytes:
    return ctypes.string_at(address, size) if address else b""


def view_of(function: Callable[..., Any], handle: Handle) -> memoryview:
    """Returns the bytes of a result or an answer, without a copy. The caller keeps the handle."""
    size = c_size_t()
    address = function(handle, byref(size))
    return memoryview((ctypes.c_char * size.value).from_address(address) if address else b"")


def _read(kind: str, first: int, count: int, stride: int) -> Iterator[tuple[Any, ...]]:
    """Reads structures in memory: for each one its texts, and a tuple of its numbers."""
    texts, numbers = _MEMBERS[kind]
    pointer = ctypes.sizeof(c_void_p)
    words: Any = (c_char_p * (count * stride // pointer)).from_address(first)
    columns = [text(b"\0".join(words[i::stride // pointer])).split("\0") for i in range(1, texts + 1)]
    layout = f"@{pointer * (texts + 1)}x{numbers}"
    memory = (ctypes.c_char * (count * stride)).from_address(first)
    return zip(*columns, struct.iter_unpack(f"{layout}{stride - struct.calcsize(layout)}x", memory))


def get(kind: str, function: Callable[..., Any], *arguments: Any) -> tuple[Any, ...]:
    """Returns the structure that a function fills."""
    texts, numbers = _MEMBERS[kind]
    size = struct.calcsize(f"@{texts + 1}P{numbers}0P")
    memory = ctypes.create_string_buffer(struct.pack("@N", size), size)
    function(*arguments, memory)
    return next(_read(kind, ctypes.addressof(memory), 1, size))


def rows(function: Callable[..., Any], handle: Handle, kind: str, name: str = "") -> Iterator[tuple[Any, ...]]:
    """Returns a list of a cubin or an answer. The default for its name is the name of its structure."""
    ((first, count, stride),) = get("list", function, handle, (name or kind).encode())
    return _read(kind, first, count, stride) if count else iter(())


def known_names(kind: str) -> list[str]:
    out: list[str] = []
    while (name := known_name(kind.encode(), len(out))) is not None:
        out.append(text(name))
    return out


def demangle(name: str) -> str:
    given = encode(name)
    size = 1024
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = demangle_into(given, buffer, size)
        if length < size:
            return text(buffer.value)
        size = length + 1


def ask(function: Callable[..., Any], *arguments: Any) -> Handle:
    """Returns an answer about a file. Raises a CubinError with the answer's finding for a bad file."""
    answer = Handle(answer_destroy)
    if function(*arguments, answer.place()) == BAD_FILE:
        _, file, place, field, message, _ = next(rows(answer_list, answer, "finding"))
        raise CubinError(message, file, place, field)
    return answer
