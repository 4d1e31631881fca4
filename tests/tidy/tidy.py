#!/usr/bin/env python3
"""Checks of the source tree that a compiler does not make. Each rule is a test of its own.

    tests/tidy/tidy.py RULE [ROOT]     one rule; --list prints the rules

A rule is a function that takes a Tree and yields findings, `path:line: what is wrong`. Exit status
0: nothing found; 1: findings, printed; 77: the program that the rule needs is missing.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from lines import PRODUCT_FOLDERS, comments, global_state, house_rules, numbers_in_tables, vocabulary

# The folders of src. A folder includes itself and those named here (docs/design.md). The first part of
# a path is its room; rooms include each other without a circle, too.
ELF = ["support", "elf", "elf/records", "elf/target"]
MODEL = [*ELF, "link/model"]
LINKER = ["link/resolve", "link/nvlink", "link/merge", "link/place", "link/records", "link/relocs", "link/output",
          "link/mercury", "link"]  # each includes those before it
COMPILERS = ["compilers/toolkit", "compilers/cache", "compilers/engine"]
FOLDERS = {
    "support": [],
    "elf": ["support"],
    "elf/records": ["support", "elf"],
    "elf/target": ["support", "elf", "elf/records"],
    "link/model": ELF,
    **{folder: MODEL + LINKER[:i] for i, folder in enumerate(LINKER)},
    "verify/file": ELF,
    "verify/link": ELF,
    "compilers/toolkit": ["support"],
    "compilers/cache": ["support"],
    "compilers/engine": ["support"],
    "compilers/finalize": [*MODEL, "verify/file", *COMPILERS],
    "compilers/lto": [*MODEL, *COMPILERS],
    "input": [*MODEL, *COMPILERS],
    "inspect/reader": ELF,
    "inspect/report": MODEL,
    "inspect/page": [*MODEL, "inspect/reader"],
    "inspect/dump": [*MODEL, "inspect/reader"],
    "inspect/diff": [*MODEL, "inspect/reader"],
    "inspect/size": [*MODEL, *COMPILERS, "input", "inspect/reader"],
    "yaml/document": ELF,
    "yaml": [*ELF, "yaml/document"],
    "edit": [*MODEL, "input"],
    "driver/options": MODEL,
    "driver/repro": ["support"],
}
FOLDERS["driver/api"] = [folder for folder in FOLDERS if not folder.startswith(("yaml", "edit", "driver/repro"))]
FOLDERS["driver/c"] = FOLDERS["driver/nvjitlink"] = [*FOLDERS["driver/api"], "driver/api"]
FOLDERS["tools"] = list(FOLDERS)
# What link.cc calls beside passes.
NOT_PASSES = ("if", "for", "make_link_policy", "known_flaws", "drop", "inputs_released")
MAX_ROOM_FILES = 15  # .cc files in one folder
MIN_OPENING_LENGTH = 60

SOURCE_SUFFIXES = {".cc", ".h", ".py", ".sh", ".cmake", ".cu", ".js", ".css", ".html"}
SPELLING_IGNORED = ("ue", "hist", "crs", "ans", "nd", "statics", "archtecture")
SPDX = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


class Missing(Exception):
    """A program that the rule needs is not installed."""


class Tree:
    """The files that belong to the repository: tracked, or new and not ignored."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        listing = subprocess.run(
            ["git", "-C", str(self.root), "ls-files", "-z", "-co", "--exclude-standard"],
            capture_output=True, check=False)
        if listing.returncode == 0:
            names = listing.stdout.decode().split("\0")
        else:  # an unpacked archive
            names = [str(path.relative_to(self.root)) for path in self.root.rglob("*")
                     if "build" not in path.relative_to(self.root).parts]
        self.files = sorted(name for name in set(names) if name and (self.root / name).is_file())

    def matching(self, *suffixes, under=("",)):
        return [name for name in self.files
                if name.endswith(suffixes) and name.startswith(tuple(under))]

    def text(self, name):
        """The file's text, or nothing if it is binary."""
        data = (self.root / name).read_bytes()
        return "" if b"\0" in data else data.decode(errors="replace")

    def bytes_as_text(self, name):
        """Any file as text, byte by byte: compilers leave paths in binaries too."""
        return (self.root / name).read_bytes().decode("latin-1")

    def lines(self, name):
        return enumerate(self.text(name).splitlines(), 1)

    def sources(self):
        return [name for name in self.files
                if pathlib.Path(name).suffix in SOURCE_SUFFIXES
                or pathlib.Path(name).name in ("CMakeLists.txt", "Makefile")]

    def shell_scripts(self):
        return [name for name in self.files
                if name.endswith(".sh") or self.text(name).startswith("#!/usr/bin/env bash")]

    def run(self, program, *arguments):
        if not shutil.which(program):
            raise Missing(program)
        return subprocess.run([program, *arguments], cwd=self.root, capture_output=True, text=True,
                              check=False)


def included(tree, name):
    """The includes of a file in quotation marks: number of the line, path."""
    for number, line in tree.lines(name):
        if include := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            yield number, include[1]


def folder_of(path):
    return path.rpartition("/")[0]


def layering(tree):
    """A folder includes only folders below it; public headers only each other."""
    for name in tree.matching(".cc", ".h", under=PRODUCT_FOLDERS):
        top = name.split("/")[0]
        folder = folder_of(name.removeprefix("src/")) if top == "src" else top
        if top != "include" and folder not in FOLDERS:
            yield f"{name}:1: src/{folder} is no folder of docs/design.md"
            continue
        for number, path in included(tree, name):
            target = folder_of(path)
            if target in ("", "culink", folder):
                continue
            if top == "include":
                yield f"{name}:{number}: a public header includes the private folder {target}"
            elif target not in FOLDERS[folder]:
                yield f"{name}:{number}: {folder} includes {target}, which is not below it"


def rooms(tree):
    """A folder is no larger than one can survey, and the list of passes is alone in src/link."""
    counts = {}
    for name in tree.matching(".cc", under=("src/",)):
        counts[folder_of(name)] = counts.get(folder_of(name), 0) + 1
    for folder, count in sorted(counts.items()):
        if count > MAX_ROOM_FILES:
            yield f"{folder}: {count} .cc files, the limit is {MAX_ROOM_FILES}"
    for name in tree.matching(".cc", ".h", under=("src/link/",)):
        if folder_of(name) == "src/link" and not name.startswith("src/link/link."):
            yield f"{name}:1: only the list of passes is directly in src/link"


def levels(graph):
    """The nodes of a graph from the lowest up. Those in a circle, or above one, are left out."""
    order = []
    while ready := [n for n in graph if n not in order and
                    all(t in order or t not in graph for t in graph[n])]:
        order += sorted(ready)
    return order


def include_graph(tree):
    """Folders and rooms include each other without a circle. Prints both graphs."""
    folders, rooms_of = {}, {}
    for name in tree.matching(".cc", ".h", under=("src/",)):
        folder = folder_of(name.removeprefix("src/"))
        for graph, depth in ((folders, None), (rooms_of, 1)):
            own = "/".join(folder.split("/")[:depth])
            targets = graph.setdefault(own, {})
            for _, path in included(tree, name):
                target = "/".join(folder_of(path).split("/")[:depth])
                if target not in ("", "culink", own):
                    targets[target] = targets.get(target, 0) + 1
    for what, graph in (("folders", folders), ("rooms", rooms_of)):
        order = levels(graph)
        for node in reversed(order):
            print(f"{node}: " + (" ".join(f"{t} {n}" for t, n in sorted(graph[node].items())) or "nothing"))
        print(f"{len(graph)} {what}, {sum(len(targets) for targets in graph.values())} arrows")
        for node in sorted(set(graph) - set(order)):
            targets = ", ".join(t for t in sorted(graph[node]) if t in graph and t not in order)
            yield f"src/{node}: in a circle or above one, by {targets}"


def local_paths(tree):
    """No path of somebody's machine is in the tree."""
    folders = "|".join(("wor" + "k", "roo" + "t", "hom" + "e", "far" + "m"))
    pattern = re.compile(rf"(?<![\w.}})$*])/(?:{folders})(?:/|\b)|/tm" + r"p/[A-Za-z]+[-.]")
    for name in tree.files:
        for number, line in enumerate(tree.bytes_as_text(name).split("\n"), 1):
            found = pattern.search(line)
            if found:
                yield f"{name}:{number}: local path {found[0]!r}"


def opening(tree):
    """C++ files begin with the licence line; those of the product go on with what they are for."""
    for name in tree.matching(".cc", ".h"):
        lines = tree.text(name).splitlines()
        if not lines or lines[0] != SPDX:
            yield f"{name}:1: the first line is not {SPDX!r}"
            continue
        if not name.endswith(".cc") or not name.startswith(PRODUCT_FOLDERS):
            continue
        paragraph = []
        for line in lines[1:]:
            if not line.startswith("//"):
                break
            paragraph.append(line[2:].strip())
        if len(" ".join(paragraph).strip()) < MIN_OPENING_LENGTH:
            yield f"{name}:2: no opening paragraph (the problem, the idea, what may surprise)"


def unfinished(tree):
    """The product has no notes of things to do."""
    pattern = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|not imple" + r"mented|unimple"
                         + r"mented)\b", re.IGNORECASE)
    for name in tree.matching("", under=PRODUCT_FOLDERS):
        for number, line in tree.lines(name):
            if pattern.search(line):
                yield f"{name}:{number}: unfinished: {line.strip()}"


def quirk_classes(tree, documented):
    """Each id has a heading or a row of a table in the section of its class; the linker names defects in nvlink only."""
    text = tree.text("docs/compat.md") if documented else ""
    parts = re.split(r"^## ", text, flags=re.MULTILINE)
    classes = {part.split("\n")[0]: part for part in parts}
    listed = {name: set(re.findall(r"^(?:###|\|) (Q\d{3})", classes.get(name, ""), re.MULTILINE))
              for name in ("Format", "Order", "Defects")}
    for quirk, (number, _) in sorted(documented.items()):
        if not any(quirk in ids for ids in listed.values()):
            yield f"docs/compat.md:{number}: {quirk} has no class"
    for name in tree.matching(".cc", ".h", under=("src/link/",)):
        if name.startswith(("src/link/nvlink/", "src/link/model/")):
            continue
        for number, line in tree.lines(name):
            for quirk in re.findall(r"\bQ\d{3}\b", line):
                if quirk in listed["Defects"]:
                    yield f"{name}:{number}: the defect {quirk} belongs to src/link/nvlink or src/link/model/dialect.h"
            if re.search(r"\boptions\.relocatable\b|\bemulate\b|\bdialect\.(release|defects|name)\b",
                         line.split("//")[0]):
                yield f"{name}:{number}: passes ask the LinkPolicy"


def quirk_ids(tree):
    """Each quirk id Qnnn is in the code, in docs/compat.md, and there with a test that exists."""
    documented = {}
    if "docs/compat.md" in tree.files:
        current = None
        for number, line in tree.lines("docs/compat.md"):
            heading = re.match(r"(?:#+|\|) (Q\d{3})\b", line)
            if heading:
                current = heading[1]
                documented[current] = [number, ""]
            if current:
                documented[current][1] += line + "\n"
    used = {}
    for name in tree.matching(".cc", ".h", under=PRODUCT_FOLDERS):
        for number, line in tree.lines(name):
            for quirk in re.findall(r"\bQ\d{3}\b", line.partition("//")[2]):
                used.setdefault(quirk, f"{name}:{number}")
                if name.startswith("include/"):
                    yield f"{name}:{number}: {quirk} is not for those who use the library"
    yield from quirk_classes(tree, documented)
    for quirk, place in sorted(used.items()):
        if quirk not in documented:
            yield f"{place}: {quirk} is not in docs/compat.md"
    paths = [pathlib.Path(name) for name in tree.matching("", under=("tests/",))]
    tests = {path.parent.name if path.name == "about" else path.stem for path in paths}
    for quirk, (number, text) in sorted(documented.items()):
        if quirk not in used:
            yield f"docs/compat.md:{number}: {quirk} is not mentioned in the code"
        if not tests.intersection(re.findall(r"\w+", text)):
            yield f"docs/compat.md:{number}: {quirk} names no test under tests/"


def one_definition(tree):
    """No two files define a type of one name in one namespace: programs that use both misbehave."""
    opened = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
    defined = re.compile(r"(?:template <.*> )?(?:struct|class|union|enum|enum class) "
                         r"(?:\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^{]*)? \{")
    first = {}
    for name in tree.matching(".cc", ".h", under=PRODUCT_FOLDERS):
        namespaces = []
        for number, line in tree.lines(name):  # clang-format leaves these in column 0
            if opening_line := opened.match(line):
                namespaces.append(opening_line[1] or "")
            elif line.startswith("} // namespace"):
                del namespaces[-1:]
            elif (found := defined.match(line)) and "" not in namespaces:
                known = "::".join([*namespaces, found[1]])
                place = first.setdefault(known, f"{name}:{number}")
                if place.rpartition(":")[0] != name:
                    yield f"{name}:{number}: {known} is another type at {place}"


def anchors(text):
    """The names that links give to the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    titles = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings)
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}


def doc_links(tree):
    """Links between documents lead to files and headings that exist, as do names of documents in other files."""
    for name in tree.matching(".md"):
        for number, line in tree.lines(name):
            for target, heading in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                path = (tree.root / name).parent / target if target else tree.root / name
                if not path.exists():
                    yield f"{name}:{number}: link to {target}, which does not exist"
                elif heading and heading not in anchors(path.read_text(encoding="utf-8")):
                    yield f"{name}:{number}: link to {target}#{heading}, which is no heading"
    for name in tree.sources():
        for number, line in [] if name.startswith("tests/tidy/") else tree.lines(name):
            for document in re.findall(r"\bdocs/[\w-]+\.md\b", line):
                if document not in tree.files:
                    yield f"{name}:{number}: {document} does not exist"


def doc_paths(tree):
    """Files that documents name exist, and have the functions named behind them."""
    folders = {str(parent) for name in tree.files for parent in pathlib.PurePath(name).parents}
    path = re.compile(r"`((?:src|include|tests|tools|examples|bench|scripts|cmake)/[\w./-]+)`"
                      r"(?: \(((?:`\w+`(?:, )?)+)\))?")
    for name in tree.matching(".md"):
        for number, line in tree.lines(name):
            for file, functions in path.findall(line):
                if file.rstrip("/") not in folders and file not in tree.files:
                    yield f"{name}:{number}: {file} does not exist"
                    continue
                for function in re.findall(r"\w+", functions):
                    if not re.search(rf"\b{function}\(", tree.text(file)):
                        yield f"{name}:{number}: {file} has no function {function}"


def shown_numbers(tree):
    """Times that README shows are those of docs/benchmarks.md."""
    if "README.md" not in tree.files:
        return
    time = re.compile(r"\b(\d[\d,.]*) (ms|s)\b")
    measured = {found[0] for found in time.finditer(tree.text("docs/benchmarks.md"))} \
        if "docs/benchmarks.md" in tree.files else set()
    for number, line in tree.lines("README.md"):
        for found in time.finditer(line):
            if found[0] not in measured:
                yield f"README.md:{number}: {found[0]} is not in docs/benchmarks.md"


def packages_used(tree):
    """What the build requires is used by it: `find_package(fmt REQUIRED)` and `fmt::` or `fmt_`."""
    lists = [name for name in tree.files if name.endswith((".cmake", "CMakeLists.txt"))]
    text = {name: tree.text(name) for name in lists}
    for name in lists:
        for package in re.findall(r"find_package\(([\w-]+)[^)]*REQUIRED", text[name]):
            uses = re.compile(rf"\b{re.escape(package)}(::|_EXECUTABLE|_add|_FOUND)|\b{re.escape(package)}\b(?!.*REQUIRED)")
            if not any(uses.search(re.sub(r"find_package\([^)]*\)", "", body)) for body in text.values()):
                yield f"{name}:1: requires {package}, which nothing uses"


def passes(tree):
    """docs/design.md lists the passes of the linker, as src/link/link.cc runs them."""
    if "src/link/link.cc" not in tree.files:
        return
    source = re.sub(r"//.*", "", tree.text("src/link/link.cc"))
    call = re.compile(r" ?(?:if \([\w.]+\) )?(?:[\w.:<> ]+ = )?([a-z][a-z_]+)\(")

    def calls_of(function):
        """The functions that a function of link.cc calls, through others of that file."""
        body = source.partition(f" {function}(")[2].partition("\n}")[0].partition("{")[2]
        for statement in re.split(r"[;{}]", " ".join(body.split())):
            if match := re.match(r" ?return (plan_\w+)\(", statement):
                yield from calls_of(match[1])
            elif not (match := call.match(statement)) or match[1] in NOT_PASSES:
                continue
            elif re.search(rf"^\S.* {match[1]}\(", source, re.M):  # a part of the list
                yield from calls_of(match[1])
            else:
                yield match[1]

    run = list(calls_of("plan_link"))
    table = tree.text("docs/design.md").partition("| Pass |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = re.findall(r"`(\w+)`", " ".join(rows))
    if listed != run:
        yield f"docs/design.md: lists {', '.join(listed)}; link.cc runs {', '.join(run)}"


# Results of passes, and the rooms that make them. Elsewhere they are const.
RESULTS = {"Resolution": "resolve", "CallGraph": "resolve", "LiveSet": "resolve", "Reach": "resolve",
           "Program": "resolve", "Layout": "merge place", "OutputSections": "merge place",
           "Placement": "merge place", "RelocationInputs": "merge place", "SharedPlan": "place",
           "ImagePlan": "place", "InfoPlan": "records", "InfoResult": "records",
           "Synthetic": "records", "LinkFacts": "records", "RelocationPlan": "relocs",
           "OutputPlan": "output", "FileDraft": "output"}


def values(tree):
    """A pass changes nothing that another has returned: parameters are const or values."""
    for name in tree.matching(".cc", ".h", under=("src/link/",)):
        room = folder_of(name).removeprefix("src/link").removeprefix("/")
        for number, line in tree.lines(name):
            code = line.split("//")[0]
            for const, kind in re.findall(r"(const )?\b(\w+) [&*]", code):
                if const or kind not in RESULTS:
                    continue
                if name.endswith(".h") and re.search(rf"\b{kind} [&*]\w+[,)]", code):
                    yield f"{name}:{number}: parameter of type {kind} & is not const"
                elif room not in RESULTS[kind].split():
                    yield f"{name}:{number}: a {kind} is changed, which another room has made"
            if name.endswith(".h") and re.search(r"(?<!const )std::vector<InputObject> &", code):
                yield f"{name}:{number}: inputs are changed"


def clang_format(tree):
    """C++ is formatted as .clang-format says."""
    files = tree.matching(".cc", ".h")
    result = tree.run("clang-format-16", "--dry-run", "-Werror", *files)
    for line in result.stderr.splitlines():
        if "error:" in line:
            yield line + " (run `make format`)"
    if result.returncode and "error:" not in result.stderr:
        yield result.stderr


def shellcheck(tree):
    """Shell scripts are clean."""
    result = tree.run("shellcheck", "-f", "gcc", *tree.shell_scripts())
    yield from result.stdout.splitlines()
    yield from result.stderr.splitlines()


def spelling(tree):
    """No common misspellings in sources and documents."""
    sources = set(tree.sources())
    files = [name for name in tree.files
             if name != "LICENSE" and (name in sources or name.endswith((".md", ".yaml", ".test")))]
    result = tree.run("codespell", "-L", ",".join(SPELLING_IGNORED), *files)
    yield from result.stdout.splitlines()


RULES = {rule.__name__: rule for rule in (
    layering, rooms, include_graph, local_paths, opening, unfinished, house_rules,
    global_state, comments, vocabulary, numbers_in_tables, quirk_ids, one_definition, doc_links, doc_paths,
    shown_numbers, packages_used, passes, values, clang_format, shellcheck, spelling)}


def main(arguments):
    if arguments == ["--list"]:
        print("\n".join(RULES))
        return 0
    if not arguments or arguments[0] not in RULES:
        print(__doc__, file=sys.stderr)
        return 2
    root = arguments[1] if len(arguments) > 1 else pathlib.Path(__file__).parents[2]
    rule = RULES[arguments[0]]
    try:
        findings = list(rule(Tree(root)))
    except Missing as program:
        print(f"skipped: no {program}")
        return 77
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} findings against the rule: {rule.__doc__}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
