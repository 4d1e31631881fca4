"""Programs that are large in one dimension, for growth.py: SHAPES has a row for each.

A row names the dimension, the size n at which it is measured first, and a function that writes the
inputs for a size into a folder and returns the words of the command line. Documents are in the minimal
form of docs/text-format.md; where a shape needs more, in the exact form.
"""
import dataclasses
import os
from typing import Callable

TARGET = "sm_80"


def document(functions=(), variables=(), undefined=(), key="globals"):
    lines = [f"arch: {TARGET}"]
    for name, rows in (("functions", functions), (key, variables)):
        if rows:
            lines += [f"{name}:", *(f"- {row}" for row in rows)]
    if undefined:
        lines.append(f"undefined: [{', '.join(undefined)}]")
    return "\n".join(lines) + "\n"


def function(name, calls=(), **more):
    fields = {"name": name, "code": "nop x8", **more}
    if calls:
        fields["calls"] = f"[{', '.join(calls)}]"
    return "{" + ", ".join(f"{key}: {value}" for key, value in fields.items()) + "}"


def kernel(name, calls=(), **more):
    return function(name, calls, kernel="true", **more)


def numbered(prefix, count):
    return [f"{prefix}{i}" for i in range(count)]


class Folder:
    """Where a shape puts its inputs. Objects and archives are made when all are known."""

    def __init__(self, path):
        self.path = path
        self.documents = []  # name, text
        self.archives = []  # name, names of members

    def add(self, name, text):
        self.documents.append((name, text))
        return name

    def write(self, name, data):
        with open(os.path.join(self.path, name), "wb") as file:
            file.write(data)
        return name


def one(folder, *parts, **more):
    return [folder.add("one.cubin", document(*parts, **more))]


def objects(folder, n):
    names = [folder.add(f"f{i}.cubin", document([function(f"f{i}", calls=[f"f{i + 1}"])],
                                                undefined=[f"f{i + 1}"])) for i in range(n)]
    last = folder.add("last.cubin", document([function(f"f{n}")]))
    return [folder.add("main.cubin", document([kernel("k", ["f0"])], undefined=["f0"])), *names, last]


def functions(folder, n):
    return one(folder, [kernel("k", numbered("f", n)), *(function(name) for name in numbered("f", n))])


def kernels(folder, n):
    return one(folder, [*(kernel(name, ["f"], params="[8]") for name in numbered("k", n)), function("f")])


def call_chain(folder, n):
    return one(folder, [kernel("k", ["f0"]), *(function(f"f{i}", [f"f{i + 1}"]) for i in range(n)),
                        function(f"f{n}")])


def kernels_over_a_chain(folder, n):
    """All kernels reach all functions."""
    chain = [function(f"f{i}", [f"f{i + 1}"], barriers=1) for i in range(n)]
    return one(folder, [*(kernel(name, ["f0"]) for name in numbered("k", n)), *chain, function(f"f{n}")])


def calls(folder, n):
    """As many calls as n says, among n / 16 functions."""
    count = n // 16
    rows = [function(f"f{i}", [f"f{(i + j + 1) % count}" for j in range(16) if i + j + 1 < count])
            for i in range(count)]
    return one(folder, [kernel("k", ["f0"]), *rows])


def recursive_calls(folder, n):
    rows = [function(f"f{i}", [f"f{(i + 1) % n}"]) for i in range(n)]
    return ["-suppress-stack-size-warning", *one(folder, [kernel("k", ["f0"]), *rows])]


def indirect_calls(folder, n):
    rows = [function(f"f{i}", address_taken=f'"#t{i % 8}"', indirect_calls=f'["#t{i % 8}"]')
            for i in range(n)]
    return one(folder, [kernel("k", ["f0"]), *rows])


def weak_definitions(folder, n):
    """The same functions in every object."""
    rows = [function(name, bind="WEAK") for name in numbered("f", 8)]
    return [folder.add(f"weak{i}.cubin", document([*rows, kernel(f"k{i}", numbered("f", 8))]))
            for i in range(n)]


def weak_constants(folder, n):
    """Constants of discarded definitions are kept, once for each kernel: here there is one."""
    row = function("f", bind="WEAK", constants="[{name: c, size: 8}]")
    names = [folder.add(f"weak{i}.cubin", document([row])) for i in range(n)]
    return [*names, folder.add("main.cubin", document([kernel("k", ["f"])], undefined=["f"]))]


def weak_variables(folder, n):
    """Two objects with the same variables and pointers to each of them."""
    rows = [f'{{name: v{i}, bind: WEAK, data: 00000000, size: 8, '
            f'relocs: [{{at: 0, type: "64", to: v{(i * 7) % n}}}]}}' for i in range(n)]
    return [folder.add(f"weak{i}.cubin", document(variables=rows)) for i in range(2)]


def relocations(folder, n):
    rows = ", ".join(f"{{at: {i * 16:#x}, type: ABS32_LO_32, to: v{i % 50}}}" for i in range(n))
    variables = [f"{{name: v{i}, data: 01000000}}" for i in range(50)]
    return one(folder, [f"{{name: k, kernel: true, code: nop x{n}, relocs: [{rows}]}}"], variables)


def variables(folder, n):
    return one(folder, [], [f"{{name: {name}, data: 01000000}}" for name in numbered("v", n)])


def common_variables(folder, n):
    return one(folder, [], [f"{{name: {name}, size: 4, common: true}}" for name in numbered("v", n)])


def constants(folder, n):
    return one(folder, [], [f"{{name: {name}, data: 01}}" for name in numbered("c", n)], key="constants")


def compiler_constants(folder, n):
    rows = [function(name, constants=f"[{{name: c{name}, size: 8}}]") for name in numbered("f", n)]
    return one(folder, [kernel("k", numbered("f", n)), *rows])


def shared_variables(folder, n):
    """Below the size of shared memory, so with variables of one byte."""
    rows = ", ".join(f"{{name: {name}, size: 1}}" for name in numbered("s", n))
    return one(folder, [kernel("k", shared=f"[{rows}]")])


def shared_of_functions(folder, n):
    """Each function has a variable of its own, as compilers have it: memory that belongs to no code."""
    rows = [function(f"f{i}", relocs=f"[{{at: 0x0, type: ABS32_32, to: s{i}}}]") for i in range(n)]
    return one(folder, [kernel("k", numbered("f", n)), *rows],
               [f"{{name: {name}, size: 1}}" for name in numbered("s", n)], key="shared")


def local_functions(folder, n):
    """The same local names in every object."""
    return [folder.add(f"local{i}.cubin",
                       document([kernel(f"k{i}", ["f"]), function("f", bind="LOCAL")])) for i in range(n)]


def dead_functions(folder, n):
    return one(folder, [kernel("k"), *(function(name) for name in numbered("f", n))])


def duplicate_definitions(folder, n):
    """An error for each."""
    text = document([function(name) for name in numbered("f", n)])
    return [folder.add("one.cubin", text), folder.add("two.cubin", text)]


def undefined_functions(folder, n):
    """An error for each."""
    return one(folder, [kernel("k", numbered("f", n))], undefined=numbered("f", n))


def info_sections(folder, n):
    """Many sections of records about one function."""
    infos = "".join("- {name: .nv.info.k, info_section: .text.k, "
                    "attributes: [{attr: MAXREG_COUNT, value: 255}]}\n" for _ in range(n))
    return [folder.add("one.cubin", f"""cubin: exact
arch: {TARGET}
sections:
- {{name: .shstrtab}}
- {{name: .strtab}}
- name: .symtab
  symbols:
  - {{name: k, type: FUNC, section: .text.k, size: 0x80, other: kernel}}
- name: .nv.info
  attributes: [{{attr: REGCOUNT, symbol: k, value: 24}}]
{infos}- {{name: .nv.callgraph, callgraph: {{calls: [], address_taken: [], indirect_calls: [], indirect_targets: []}}}}
- {{name: .text.k, code: nop x8, info_symbol: k}}
""")]


def archive_of(members):
    """The bytes of an archive; `members` are (name, bytes)."""
    out = b"!<arch>\n"
    for name, data in members:
        out += f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data
        out += b"\n" if len(data) % 2 else b""
    return out


def archive_members(folder, n):
    """Every member needs the one before it: each walk over the archive finds one."""
    members = [folder.add(f"m{i}.cubin", document([function(f"f{i}", [f"f{i - 1}"] if i else [])],
                                                  undefined=[f"f{i - 1}"] if i else []))
               for i in range(n)]
    main = folder.add("main.cubin", document([kernel("k", [f"f{n - 1}"])], undefined=[f"f{n - 1}"]))
    folder.archives.append(("libmany.a", members))
    return [main, "libmany.a"]


def library_folders(folder, n):
    """Of all folders only the last one has the library."""
    for name in numbered("folder", n):
        os.mkdir(os.path.join(folder.path, name))
    member = folder.add("member.cubin", document([function("f")]))
    folder.archives.append((f"folder{n - 1}/libone.a", [member]))
    return [*(f"-L{name}" for name in numbered("folder", n)), "-lone", *one(folder, [kernel("k")])]


def libraries(folder, n):
    for name in numbered("many", n):
        folder.archives.append((f"lib{name}.a", [folder.add(f"{name}.cubin", document([function(name)]))]))
    return ["-L.", *(f"-l{name}" for name in numbered("many", n)), *one(folder, [kernel("k")])]


def option_file(folder, n):
    one_file = one(folder, [kernel("k")])
    folder.write("words", "\n".join(["--verbose" if i % 2 else "-w" for i in range(n)]).encode())
    return ["--options-file", "words", *one_file]


def kernels_used(folder, n):
    return [f"-kernels-used={','.join(numbered('k', n))}",
            *one(folder, [kernel(name) for name in numbered("k", n)])]


def with_options(shape, *words):
    return lambda folder, n: [*words, *shape(folder, n)]


@dataclasses.dataclass
class Shape:
    name: str
    size: int
    make: Callable
    fails: bool = False  # the link does, with messages


SHAPES = [
    Shape("objects", 60, objects),
    Shape("functions", 400, functions),
    Shape("kernels", 300, kernels),
    Shape("functions in a chain of calls", 400, call_chain),
    Shape("kernels over a chain of calls", 300, kernels_over_a_chain),
    Shape("calls", 1600, calls),
    Shape("calls in a circle", 400, recursive_calls),
    Shape("indirect calls", 400, indirect_calls),
    Shape("weak definitions", 60, weak_definitions),
    Shape("weak definitions with constants", 60, weak_constants),
    Shape("weak variables with pointers", 500, weak_variables),
    Shape("relocations", 1500, relocations),
    Shape("variables", 600, variables),
    Shape("common variables", 600, common_variables),
    Shape("constants", 600, constants),
    Shape("compiler constants", 300, compiler_constants),
    Shape("shared variables", 500, shared_variables),
    Shape("shared variables of functions", 300, shared_of_functions),
    Shape("local functions of one name", 60, local_functions),
    Shape("dead functions", 500, dead_functions),
    Shape("duplicate definitions", 250, duplicate_definitions, fails=True),
    Shape("undefined functions", 400, undefined_functions, fails=True),
    Shape("sections of records about a function", 400, info_sections),
    Shape("archive members", 60, archive_members),
    Shape("library folders", 500, library_folders),
    Shape("libraries", 100, libraries),
    Shape("words of an option file", 2000, option_file),
    Shape("names of an option", 300, kernels_used),
    Shape("objects with -r", 60, with_options(objects, "-r")),
    Shape("functions with --dump-callgraph", 300, with_options(functions, "--dump-callgraph")),
    Shape("calls with --dump-callgraph", 1600, with_options(calls, "--dump-callgraph")),
    Shape("kernels over calls with --dump-callgraph", 300,
          with_options(kernels_over_a_chain, "--dump-callgraph")),
    Shape("functions with -Map", 300, with_options(functions, "-Map=out.map")),
    Shape("functions with -v", 300, with_options(functions, "-v")),
    Shape("kernels with --why-live", 300, with_options(kernels, "--why-live=f")),
    Shape("functions with --check", 300, with_options(functions, "--check")),
    Shape("relocations with --preserve-relocs", 1000, with_options(relocations, "--preserve-relocs")),
    Shape("functions with --emulate", 300, with_options(functions, "--emulate=nvlink-13.0.88")),
]
