# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that NVIDIA's headers declare for device code without a body, and kernels that call them.

The headers of an installed toolkit are preprocessed one by one and read declaration by declaration; a
kernel is written for each function found. What the compiler expands itself leaves no trace in the PTX; a
function that it leaves to the linker is `.extern .func` there, and such kernels are what a link is about.
"""

import os
import re

DEVICE = re.compile(r"__attribute__\(\(device\)\)")
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)|__declspec\([^()]*\)")
WORDS = re.compile(r"\b(extern|\"C\"|\"C\+\+\"|inline|static|__inline__|__forceinline__|constexpr)\b"
                   r"|\"C(\+\+)?\"")
NAME = re.compile(r"([A-Za-z_]\w*)\s*\(")
LINE_MARKER = re.compile(r"^#.*$", re.M)
SCOPES = re.compile(r"\b(namespace\b[\w\s:]*|extern\s*\"C(\+\+)?\")\s*$")
NO_FUNCTION = re.compile(r"\b(typedef|using|template|operator|friend|return)\b")
EXTERN = re.compile(r"^\.extern \.func\b[^;]*;", re.M)
KERNEL = re.compile(r"^\.visible \.entry call_\d+\(.*?^}", re.M | re.S)
SIZED = "\n.address_size 64\n"
FOLDERS = ("", "cooperative_groups", "crt")


class Declaration:
    """One function: its name, with the namespaces around it, and the types of its parameters."""

    def __init__(self, name, parameters):
        self.name = name
        self.parameters = parameters

    def key(self):
        return (self.name, tuple(self.parameters))


def parameter_type(text):
    """'const int *p' without the name and the default value."""
    text = text.split("=")[0].strip()
    text = re.sub(r"\b(__restrict__|__restrict|volatile)\b", "", text).strip()
    if text in ("", "void"):
        return None
    array = re.search(r"\b\w+\s*\[[^]]*\]$", text)
    if array:
        return text[:array.start()].strip() + "*"
    words = re.findall(r"[\w:]+|[^\w\s]", text)
    last = words[-1]
    plain = {"int", "char", "long", "short", "unsigned", "signed", "float", "double", "bool", "const"}
    types = [word for word in words
             if re.match(r"[A-Za-z_]", word) and word not in ("const", "struct", "enum")]
    if re.match(r"[A-Za-z_]\w*$", last) and last not in plain and len(types) > 1:
        return text[:text.rfind(last)].strip()
    return text


def split_parameters(text):
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        if char in "(<[":
            depth += 1
        elif char in ")>]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]


def read_declaration(text, namespaces):
    """The function that a declaration without a body names, if it is one for device code."""
    if not DEVICE.search(text):
        return None
    plain = " ".join(WORDS.sub(" ", ATTRIBUTE.sub(" ", text)).split())
    found = NAME.search(plain)
    if not found or NO_FUNCTION.search(plain) or "=" in plain[:found.start()]:
        return None
    plain = re.sub(r"\s*(throw\s*\(\)|noexcept(\s*\(true\))?|const)?\s*$", "", plain)
    end = plain.rfind(")")
    inner = plain[found.end():end]
    if "..." in inner or "(" in inner or end < found.end():
        return None # variable arguments, pointers to functions
    types = [parameter_type(part) for part in split_parameters(inner)]
    if not found.start() or (len(types) > 1 and None in types):
        return None
    return Declaration("::".join(namespaces + [found.group(1)]), [one for one in types if one])


def read_declarations(text):
    """All functions at the scope of files and namespaces."""
    text = LINE_MARKER.sub("", text)
    out, namespaces, skipped, start = [], [], 0, 0
    for token in re.finditer(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[{};]", text):
        char = token.group()
        if char not in "{};":
            continue
        before = text[start:token.start()]
        start = token.end()
        if char == "{":
            scope = SCOPES.search(before)
            if skipped or not scope:
                skipped += 1
            else:
                words = re.findall(r"\w+", scope.group(1))
                named = words[0] == "namespace" and len(words) > 1
                namespaces.append(words[-1] if named else None)
        elif char == "}":
            if skipped:
                skipped -= 1
            elif namespaces:
                namespaces.pop()
        elif not skipped:
            one = read_declaration(before, [name for name in namespaces if name])
            if one:
                out.append(one)
    return out


def mentions_device_code(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "__device" in file.read()


def headers_of(include):
    """The headers for device code that programs include, by the name under which they do."""
    out = ["cuda_runtime.h"]
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(include, folder))):
            path = os.path.join(folder, name)
            if name.endswith(".h") and mentions_device_code(os.path.join(include, path)):
                out.append(path)
    return out


PRELUDE = """\
template <typename T> struct plain { typedef T type; };
template <typename T> struct plain<T &> { typedef T type; };
template <typename T> struct plain<T &&> { typedef T type; };
template <typename T> struct plain<const T> { typedef T type; };
template <typename T> __device__ T take(char *p) {
  return static_cast<T>(*reinterpret_cast<typename plain<T>::type *>(p));
}
"""
LINES_OF_KERNEL = 2


def kernel_of(number, declaration):
    """A kernel with a call, in two lines. Headers define some names away for those who include them."""
    arguments = ", ".join("take<%s>(p)" % one for one in declaration.parameters)
    return ('#undef %s\nextern "C" __global__ void call_%d(char *p) { (void)::%s(%s); }\n'
            % (declaration.name.split("::")[-1], number, declaration.name, arguments))


def declared_name(text):
    """The function that an `.extern .func` declares."""
    text = re.sub(r"^\.extern \.func\s*", "", text)
    text = re.sub(r"^\(.*?\)\s*", "", text, flags=re.S)
    found = re.match(r"\w+", text)
    return found.group() if found else None


def split_kernels(ptx):
    """{function: PTX of a kernel that calls it}, for all functions that are left to the linker."""
    head = ptx[:ptx.index(SIZED) + len(SIZED)]
    declared = {declared_name(text): text for text in EXTERN.findall(ptx)}
    out = {}
    for kernel in KERNEL.findall(ptx):
        words = set(re.findall(r"\w+", kernel))
        callees = [name for name in declared if name in words]
        if len(callees) == 1:
            body = re.sub(r"\bcall_\d+", "call_it", kernel)
            out.setdefault(callees[0], "%s%s\n%s\n" % (head, declared[callees[0]], body))
    return out
