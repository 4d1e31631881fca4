"""The CHECK lines of a rule test against the output of a program: the part of LLVM's FileCheck that
link tests need. README.md describes the language.

A pattern is text with holes: `{{regex}}`, `[[NAME:regex]]` which also gives what it matched a name,
and `[[NAME]]` for that again. Blanks match any blanks. Unlike FileCheck's, a pattern does not match
in the middle of a word or number, so that `0x10` is not found in `0x100`; that of a CHECK-NOT or
CHECK-NEVER does, so that no kind can hold by accident.
"""
import dataclasses
import re

KINDS = ("CHECK", "CHECK-NEXT", "CHECK-SAME", "CHECK-NOT", "CHECK-NEVER")
HOLE = re.compile(r"\{\{(.*?)\}\}(?!\})|\[\[([A-Z_]+)(?::(.*?))?\]\](?!\])")
WORD = r"[A-Za-z0-9_]"


class Failure(Exception):
    """The test says something that is not so. `line` is the one in the test."""

    def __init__(self, line, text):
        super().__init__(text)
        self.line = line


@dataclasses.dataclass
class Check:
    kind: str
    pattern: str
    line: int  # in the test


def compile_pattern(check, names):
    """The regular expression of a pattern, given the names that earlier patterns have defined."""
    def literal(text):
        return r"[ \t]+".join(re.escape(word) for word in re.split(r"[ \t]+", text))

    out, end = "", 0
    for hole in HOLE.finditer(check.pattern):
        out += literal(check.pattern[end:hole.start()])
        end = hole.end()
        regex, name, definition = hole.groups()
        if regex is not None:
            out += f"(?:{regex})"
        elif definition is not None:
            out += f"(?P<{name}>{definition})"
        elif name in names:
            out += re.escape(names[name])
        elif f"(?P<{name}>" in out:
            out += f"(?P={name})"
        else:
            raise Failure(check.line, f"[[{name}]] has no value yet")
    out += literal(check.pattern[end:])
    if check.kind not in ("CHECK-NOT", "CHECK-NEVER"):
        if re.match(WORD, check.pattern):
            out = f"(?<!{WORD})" + out
        if re.search(WORD + "$", check.pattern):
            out += f"(?!{WORD})"
    try:
        return re.compile(out)
    except re.error as error:
        raise Failure(check.line, f"bad regular expression: {error}") from error


def shown(lines, start):
    """Output for a message, with the line at which the search began marked."""
    return "\n".join(f"{'>' if number == start else ' '} {line}" for number, line in enumerate(lines))


def forbid(checks, names, lines, begin, end):
    """None of the patterns occurs between two positions (line, column)."""
    for check in checks:
        pattern = compile_pattern(check, names)
        for number in range(begin[0], min(end[0] + 1, len(lines))):
            text = lines[number]
            stop = end[1] if number == end[0] else len(text)
            found = pattern.search(text, begin[1] if number == begin[0] else 0, stop)
            if found:
                raise Failure(check.line, f"{check.kind}: {check.pattern}\nwas found in line "
                              f"{number + 1} of the output:\n{shown(lines, number)}")


def find(check, pattern, lines, position):
    """Where the pattern matches, as (line, match); the kind of check says where it may."""
    line, column = position
    if check.kind == "CHECK-SAME":
        candidates = [(line, column)]
    elif check.kind == "CHECK-NEXT":
        candidates = [(line + 1, 0)]
    else:
        candidates = [(line, column)] + [(number, 0) for number in range(line + 1, len(lines))]
    for number, start in candidates:
        match = pattern.search(lines[number], start) if 0 <= number < len(lines) else None
        if match:
            return number, match
    raise Failure(check.line, f"{check.kind}: {check.pattern}\nis not in the output"
                  + {"CHECK-SAME": ", in the line marked", "CHECK-NEXT": ", behind the line marked"}
                  .get(check.kind, " from the line marked") + f":\n{shown(lines, line)}")


def run_checks(checks, output):
    """Raises Failure unless the checks hold, in their order."""
    lines = output.splitlines()
    names = {}
    position = (0, 0)  # behind the last match
    forbidden = []
    matched = False
    forbid([check for check in checks if check.kind == "CHECK-NEVER"], names, lines, (0, 0), (len(lines), 0))
    for check in checks:
        if check.kind in ("CHECK-NOT", "CHECK-NEVER"):
            forbidden += [check] if check.kind == "CHECK-NOT" else []
            continue
        if check.kind != "CHECK" and not matched:
            raise Failure(check.line, f"{check.kind} needs a CHECK before it")
        number, match = find(check, compile_pattern(check, names), lines, position)
        forbid(forbidden, names, lines, position, (number, match.start()))
        forbidden = []
        matched = True
        names.update(match.groupdict())
        position = (number, match.end())
    forbid(forbidden, names, lines, position, (len(lines), 0))
