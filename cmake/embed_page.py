#!/usr/bin/env python3
"""Makes one HTML text of the files of src/inspect/page/web, and a C++ source that holds it.

    cmake/embed_page.py FOLDER OUTPUT.cc

page.html names the style sheet and the scripts, each on a line of its own, where a browser would read
them, too. They take the place of those lines: the scripts as one, in their order, in a function of
their own. The policy of the page gets the hashes of both, so that no other script or style can run.
"""
import base64
import hashlib
import pathlib
import re
import sys

STYLE = re.compile(r'^ *<link rel="stylesheet" href="([\w.]+)">\n', re.M)
SCRIPT = re.compile(r'^ *<script src="([\w.]+)"></script>\n', re.M)
DATA = "@DATA@"
LICENCE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"


def hash_of(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def make_page(folder):
    page = (folder / "page.html").read_text()
    style = "\n" + "".join((folder / name).read_text() for name in STYLE.findall(page))
    scripts = "".join((folder / name).read_text() for name in SCRIPT.findall(page))
    script = '\n(() => {\n"use strict";\n' + scripts + "})();\n"
    for text in (style, script):
        if "</" + "script" in text or "</" + "style" in text or "<!--" in text:
            raise SystemExit("embed_page: a style sheet or script would end its element")
    page = STYLE.sub("", page)
    page = SCRIPT.sub("", page)
    page = page.replace("@SCRIPT_HASH@", hash_of(script)).replace("@STYLE_HASH@", hash_of(style))
    return page.replace("@STYLE@", style).replace("@SCRIPT@", script)


def function(name, text):
    """C++ that returns the text; no literal is longer than every compiler takes."""
    pieces = [text[at:at + 8000] for at in range(0, len(text), 8000)]
    literals = ",\n    ".join(f'R"page({piece})page"sv' for piece in pieces)
    lines = [f"constexpr std::array k_{name} = {{", "    " + literals, "};",
             f"std::string_view {name}() {{",
             f"  static const std::string text = joined(k_{name});", "  return text;", "}"]
    return "\n".join(lines) + "\n"


def main(folder, output):
    folder = pathlib.Path(folder)
    before, after = make_page(folder).split(DATA)
    pathlib.Path(output).write_text(
        f"// {LICENCE}\n//\n// Made by cmake/embed_page.py.\n"
        '#include "inspect/page/page.h"\n\n#include <array>\n#include <span>\n#include <string>\n\n'
        "namespace culink::page {\n\nnamespace {\nusing namespace std::string_view_literals;\n\n"
        "std::string joined(std::span<const std::string_view> pieces) {\n  std::string out;\n"
        "  for (const std::string_view piece : pieces)\n    out += piece;\n  return out;\n}\n"
        "} // namespace\n\n" + function("before_data", before) + "\n"
        + function("after_data", after) + "\n} // namespace culink::page\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
