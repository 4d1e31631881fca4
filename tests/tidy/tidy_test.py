#!/usr/bin/env python3
"""Each rule of tidy.py notices what it is there for and passes a clean tree."""
import pathlib
import tempfile
import unittest

import tidy

CLEAN_SOURCE = f"""{tidy.SPDX}
//
// A file that breaks no rule, with an opening paragraph of a sensible length.
#include "elf/clean.h"

#include "culink/types.h"
#include "support/bytes.h"

namespace culink {{

int answer() {{
  return 42; // Q001
}}

}} // namespace culink
"""

CLEAN_LINK = f"""{tidy.SPDX}
//
// The list of the passes, which the design document repeats in a table of its own.
Image plan_link(Objects objects) {{
  const Symbols symbols = resolve(objects);
  return write(symbols);
}}
"""

CLEAN_TREE = {
    "src/elf/clean.cc": CLEAN_SOURCE,
    "src/elf/clean.h": f"{tidy.SPDX}\n#pragma once\n\nstruct Answer {{}};\nint answer();\n",
    "include/culink/types.h": f"{tidy.SPDX}\n#pragma once\n",
    "src/link/link.cc": CLEAN_LINK,
    "docs/design.md": "| Pass | Result |\n|---|---|\n| `resolve` | symbols |\n\n",
    "docs/compat.md": "## Format\n\n### Q001 — what nvlink does\nTest: answer_is_42.\n",
    "tests/tools/answer_is_42.sh": "#!/usr/bin/env bash\necho 42\n",
    "README.md": "See [the quirks](docs/compat.md).\n",
    ".clang-format": "ColumnLimit: 100\n",
}


# rule, path, text that breaks it, part of the finding
VIOLATIONS = (
    ("layering", "src/support/up.cc", '#include "elf/names.h"\n', "support includes elf"),
    ("layering", "src/link/side.cc", '#include "inspect/dump/dump.h"\n', "link includes inspect/dump"),
    ("layering", "include/culink/leak.h", '#include "support/bytes.h"\n', "private folder support"),
    ("layering", "src/link/resolve/up.cc", '#include "link/merge/merge.h"\n', "resolve includes link/merge"),
    ("layering", "src/link/attic/x.cc", "", "src/link/attic is no folder"),
    ("layering", "src/support/attic/x.cc", "", "src/support/attic is no folder"),
    ("rooms", "src/link/merge.cc", "", "only the list of passes"),
    ("layering", "src/misc/x.cc", "", "misc is no folder"),
    ("include_graph", "src/support/up.cc", '#include "elf/names.h"\n', "in a circle"),
    ("local_paths", "docs/a.md", "see /hom" + "e/me/notes\n", "local path"),
    ("local_paths", "scripts/a.sh", "cd /tm" + "p/build-3\n", "local path"),
    ("local_paths", "examples/a.cubin", "\0/hom" + "e/me/a.cu\0", "local path"),
    ("opening", "src/elf/bare.cc", "int x;\n", "first line"),
    ("opening", "src/elf/bare.cc", tidy.SPDX + "\nint x;\n", "no opening paragraph"),
    ("unfinished", "src/elf/later.cc", "// TO" + "DO: write this\n", "unfinished"),
    ("house_rules", "src/elf/macro.h", "#define F(x) x\n", "function-like macro"),
    ("house_rules", "src/elf/f.h", "#include <fmt/core.h>\n", "third-party"),
    ("house_rules", "src/elf/y.cc", "#include <yaml-cpp/yaml.h>\n", "outside src/yaml"),
    ("house_rules", "src/elf/n.cc", "auto *p = new int;\n", "naked new"),
    ("global_state", "src/elf/g.cc", "int count = 0;\n", "outlives a call"),
    ("global_state", "src/elf/g.cc", "int f() {\n  static int count = 0;\n}\n", "outlives a call"),
    ("comments", "src/elf/c.cc", "int x;\n// Those of the last one.\nint y;\n", "opens with 'Those'"),
    ("vocabulary", "src/elf/w.cc", "// A copy that lost.\n", "say discarded"),
    ("numbers_in_tables", "src/link/n.cc", "constexpr u32 kSlot = 6; // R_CUDA_TEX\n", "a constant"),
    ("numbers_in_tables", "src/link/n.cc", "if (type == 0x1000b)\n", "Mercury relocation"),
    ("numbers_in_tables", "src/link/n.cc", "arch::find_reloc(59);\n", "looked up by a number"),
    ("numbers_in_tables", "src/link/n.cc", "if (entry.type != 59)\n", "number of a relocation"),
    ("numbers_in_tables", "src/link/n.cc", "constexpr u16 kLoadOpcode = 0xb82;\n", "an opcode"),
    ("numbers_in_tables", "src/link/n.cc", "x = load(p) & 0xfff;\n", "instruction bits"),
    ("quirk_ids", "src/link/q.cc", "int x; // Q002\n", "Q002 is not in"),
    ("quirk_ids", "docs/compat.md", "## Order\n### Q001 — no test\n", "Q001 names no test"),
    ("quirk_ids", "docs/compat.md", "## Else\n### Q001 — answer_is_42\n", "Q001 has no class"),
    ("quirk_ids", "docs/compat.md", "## Order\n| Q001 | no test |\n", "Q001 names no test"),
    ("quirk_ids", "src/link/place/r.cc", "if (options.relocatable)\n", "ask the LinkPolicy"),
    ("quirk_ids", "src/link/place/d.cc", "if (p.dialect.defects.sections_by_name)\n", "ask the LinkPolicy"),
    ("quirk_ids", "docs/compat.md", "## Q003: answer_is_42\n", "Q003 is not mentioned"),
    ("quirk_ids", "include/culink/q.h", "int x; // Q001\n", "not for those who use"),
    ("one_definition", "src/link/again.h", "struct Answer {\n};\n", "Answer is another type at"),
    ("doc_links", "docs/b.md", "[gone](gone.md)\n", "gone.md"),
    ("doc_links", "docs/b.md", "[gone](design.md#gone)\n", "no heading"),
    ("doc_links", "src/elf/d.h", "// docs/gone.md\n", "docs/gone.md does not exist"),
    ("doc_paths", "docs/t.md", "see `src/elf/gone.cc`\n", "gone.cc does not exist"),
    ("doc_paths", "docs/t.md", "see `src/elf/clean.cc` (`question`)\n", "no function question"),
    ("shown_numbers", "README.md", "A link takes 5 ms.\n", "5 ms is not in"),
    ("packages_used", "CMakeLists.txt", "find_package(zlib REQUIRED)\n", "requires zlib"),
    ("passes", "docs/design.md", "| Pass |\n|---|\n| `write` |\n\n", "lists write; link.cc runs"),
    ("values", "src/link/place/p.h", "void place(const Program &p, Layout &layout);\n", "Layout &"),
    ("values", "src/link/relocs/r.cc", "  Layout &layout_;\n", "a Layout is changed"),
    ("clang_format", "src/elf/ugly.cc", "int  x ;\n", "ugly.cc"),
    ("shellcheck", "scripts/bad.sh", "#!/usr/bin/env bash\ncd $1\n", "bad.sh"),
    ("spelling", "docs/c.md", "we recie" + "ve it\n", "c.md"),
)


class TidyTest(unittest.TestCase):
    def findings(self, rule, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            try:
                return list(tidy.RULES[rule](tidy.Tree(folder)))
            except tidy.Missing as program:
                self.skipTest(f"no {program}")

    def test_clean_tree_has_no_findings(self):
        for rule in tidy.RULES:
            with self.subTest(rule=rule):
                self.assertEqual(self.findings(rule, CLEAN_TREE), [])

    def test_each_violation_is_found(self):
        for rule, name, text, expected in VIOLATIONS:
            with self.subTest(rule=rule, name=name):
                findings = self.findings(rule, {**CLEAN_TREE, name: text})
                self.assertIn(expected, "\n".join(findings))

    def test_every_rule_has_a_violation(self):
        self.assertEqual({row[0] for row in VIOLATIONS}, set(tidy.RULES))


if __name__ == "__main__":
    unittest.main()
