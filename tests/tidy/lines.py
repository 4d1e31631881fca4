"""The rules of tidy.py that look for patterns in single lines: constructs that CONTRIBUTING.md rules
out, words that linkers do not use, numbers that belong in tables.
"""
import re

PRODUCT_FOLDERS = ("src/", "tools/", "include/")

# (files, pattern, what is wrong)
FORBIDDEN = (
    (r"\.(h|cc)$", r"^\s*#\s*define\s+\w+\(", "function-like macro"),
    (r"\.h$", r"^\s*using namespace\b", "using namespace in a header"),
    (r"^(src|include)/.*\.h$", r"#\s*include <(fmt|yaml-cpp)/",
     "third-party library in a header"),
    (r"^src/(?!yaml/).*\.cc$", r"#\s*include <yaml-cpp/", "yaml-cpp outside src/yaml"),
    (r"\.(h|cc)$", r"\bshared_ptr\b", "shared_ptr; ownership is values and unique_ptr"),
    (r"\.(h|cc)$", r"(=|return|\()\s*new\s+\w", "naked new"),
    (r"\.(h|cc)$", r"^\s*throw\b", "an exception of our own; return a Result"),
)


def house_rules(tree):
    """Constructs that CONTRIBUTING.md rules out."""
    for name in tree.matching(".cc", ".h", under=PRODUCT_FOLDERS):
        rules = [(re.compile(text), what) for files, text, what in FORBIDDEN
                 if re.search(files, name)]
        for number, line in tree.lines(name):
            code = line.split("//")[0]
            for pattern, what in rules:
                if pattern.search(code):
                    yield f"{name}:{number}: {what}"


# A variable that outlives a call: at the left margin, or `static` in a function.
VARIABLE = re.compile(
    r"^(?:static |thread_local )?(?!const\b|constexpr|constinit const|inline constexpr|extern|using|namespace|template|class|struct|"
    r"enum|union|return|typedef|concept)[A-Za-z_][\w:<>,*& ]* [*&]?\w+(?: = [^()]*|\{[^()]*\})?;"
    r"|^\s+(?:static|thread_local) (?!const\b|constexpr)[^(=;]*[=;{]")
# (file, variable, why there is one)
GLOBAL_STATE = (
    ("src/support/mapped_file.cc", "told", "a signal handler has no other place"),
    ("src/driver/nvjitlink/compilers.cc", "found", "nvJitLink has no object that outlives a link"),
)


def global_state(tree):
    """No variable outlives a call, but those of GLOBAL_STATE."""
    for name in tree.matching(".cc", ".h", under=PRODUCT_FOLDERS):
        allowed = [variable for file, variable, _ in GLOBAL_STATE if file == name]
        for number, line in tree.lines(name):
            code = line.split("//")[0].rstrip()
            if VARIABLE.match(code) and not any(re.search(rf"\b{word}\b", code) for word in allowed):
                yield f"{name}:{number}: a variable that outlives a call: {code.strip()}"


# A comment starts with the noun that it is about.
BAD_OPENING = re.compile(r"(?:That|Those|Whose|Of|The same|Nobody|Whoever)\b")


def comments(tree):
    """A comment begins with a noun, not with a word that refers to the line above or to nothing."""
    for name in tree.matching(".cc", ".h", under=PRODUCT_FOLDERS):
        inside = False
        for number, line in tree.lines(name):
            comment = line.strip().startswith("//")
            text = line.strip().removeprefix("//").strip() if comment else line.rpartition(" // ")[2]
            if (comment or " // " in line) and not (comment and inside) and BAD_OPENING.match(text):
                yield f"{name}:{number}: comment opens with {BAD_OPENING.match(text)[0]!r}"
            inside = comment


# Words that only this project used for what linkers have a word for: (pattern, the word).
FOREIGN_WORDS = (
    (r"\bmeaning_of\b|\bSymbolMeaning\b", "resolve_target, RelocTarget"),
    (r"\bfates?\b|\bFate\b", "RelocAction"),
    (r"[Mm]achine.hal[fv]|MachineHal", "SASS plane"),
    (r"\btwins?\b", "counterpart"),
    (r"\bcop(y|ies) that (lost|counts?|w(on|as replaced))|\b(losing|lost|replaced) cop(y|ies)\b",
     "discarded, overridden or prevailing definition"),
    (r"\b(joint|joined) cop(y|ies)\b|JointCopies", "weak definitions"),
    (r"\bmade anew\b", "re-finalized, replaced"),
    (r"\bsecond names?\b", "alias"),
    (r"stands_before|named_earlier", "alias_precedes_owner"),
    (r"\bbank2_\w+", "function constants"),
    (r"\b(goes|go) away\b", "is discarded, is dropped"),
    (r"\bcomplains?\b", "reports"),
    (r"\bhabits?\b|Habits\b", "behaviour"),
    (r"is no value of option", "invalid value"),
)


def vocabulary(tree):
    """The words of linkers (docs/design.md) instead of our own."""
    words = [(re.compile(pattern), word) for pattern, word in FOREIGN_WORDS]
    for name in tree.matching(".cc", ".h", ".md", under=(*PRODUCT_FOLDERS, "docs/", "README.md")):
        for number, line in tree.lines(name):
            for pattern, word in words:
                if found := pattern.search(line):
                    yield f"{name}:{number}: {found[0]!r}; say {word}"


# What a number of a relocation or an opcode looks like in a pass; the first pattern also reads
# comments.
RELOCATION_NUMBERS = (
    (r"\bk\w+\b[^/]*=[^/]*\d.*//.*\bR_(CUDA|MERCURY)_", "a constant for a relocation"),
    (r"\b0x1[0-9a-fA-F]{4}\b", "a number of a Mercury relocation"),
    (r"\bfind_reloc\(\s*(0x)?\d", "a relocation looked up by a number"),
    (r"\b(raw|entry|kept|reloc\w*|row)(\.|->)(type|number)\s*([!=<>]=|<|>|=)\s*(0x)?\d",
     "the number of a relocation"),
    (r"\bk\w*(Opcode|Reloc\w*Number|HeaderIndex)\w*\b[^;]*=\s*\{?\s*(0x)?\d",
     "a constant for a relocation or an opcode"),
    (r"&\s*0x(1ff|fff)\b", "a mask of instruction bits"),
)


def numbers_in_tables(tree):
    """Passes write no relocation numbers and no opcodes; src/elf/target has rows for both."""
    patterns = [(re.compile(text), what) for text, what in RELOCATION_NUMBERS]
    for name in tree.matching(".cc", ".h", under=("src/link/", "src/compilers/finalize/")):
        for number, line in tree.lines(name):
            for i, (pattern, what) in enumerate(patterns):
                if pattern.search(line if i == 0 else line.split("//")[0]):
                    yield (f"{name}:{number}: {what}; ask elf/target/reloc.h or "
                           "elf/target/instructions.h")
