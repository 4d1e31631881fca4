// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Documents of the exact form written by hand: what defaults give, and what is refused with which
// words.
#include "yaml/text_form.h"

#include <gtest/gtest.h>

#include "elf/elf_view.h"
#include "support/bytes.h"
#include "yaml/document/document.h"

namespace culink::text {
namespace {

std::string exact_refusal(std::string_view yaml) {
  const Result<Node> document = read_yaml(yaml);
  if (!document)
    return document.error().text();
  const Result<std::vector<u8>> image = assemble(*document);
  return image ? "accepted" : image.error().text();
}

constexpr std::string_view kSmall = R"(cubin: exact
arch: sm_90
type: rel
sections:
- {name: .shstrtab}
- {name: .strtab}
- name: .symtab
  symbols:
  - {type: SECTION, section: .text.k}
  - {name: k, type: FUNC, section: .text.k, size: 0x80, other: kernel}
- {name: .note.nv.cuinfo, notes: [{cuinfo: {virtual_arch: 90, toolkit: 130}}]}
- {name: .rela.text.k, relocs: [{at: 0x10, type: ABS32_LO_32, to: k, add: -4}]}
- {name: .text.k, code: nop x8}
- {name: .nv.shared.k, size: 64}
)";

TEST(AssembleExact, defaults_make_a_regular_file) {
  const Result<Node> document = read_yaml(kSmall);
  ASSERT_TRUE(document);
  const Result<std::vector<u8>> image = assemble(*document);
  ASSERT_TRUE(image) << image.error().text();
  const Result<elf::ElfView> view = elf::ElfView::open(*image);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(view->header().flags, 0x04005a04u); // section 4 is the note
  EXPECT_EQ(view->header().name_section, 1u);
  const elf::Section &text = *view->find(".text.k");
  EXPECT_EQ(text.flags, elf::kFlagAlloc | elf::kFlagExec);
  EXPECT_EQ(text.align, 128u);
  EXPECT_EQ(text.offset % 128, 0u);
  EXPECT_EQ(text.size, 128u);
  EXPECT_EQ(text.info, 2u);
  EXPECT_EQ(view->symbols()[2].name, "k");
  EXPECT_EQ(view->symbols()[2].section, text.index);
  const elf::Section &rela = *view->find(".rela.text.k");
  EXPECT_EQ(rela.type, elf::SectionType::Rela);
  EXPECT_EQ(rela.info, text.index);
  const elf::Relocation entry = view->relocations(rela)[0];
  EXPECT_EQ(entry.type, 0x38u);
  EXPECT_EQ(entry.symbol, 2u);
  EXPECT_EQ(entry.addend, -4);
  EXPECT_EQ(view->find(".nv.shared.k")->size, 64u);
  EXPECT_EQ(view->find(".nv.shared.k")->info, text.index);
}

TEST(AssembleExact, refuses_with_line_key_and_the_way_out) {
  struct Case {
    std::string_view from, to, message;
  };
  const Case cases[] = {
      {"size: 0x80,", "size: big,",
       "line 10, size: 'big' is not a number (decimal, or 0x and hexadecimal)"},
      {"to: k,", "to: j,", "line 12, to: there is no symbol named 'j'"},
      {"section: .text.k}", "section: .text.j}",
       "line 9, section: there is no section named '.text.j'"},
      {"type: FUNC", "type: FUNCTION",
       "line 10, type: 'FUNCTION' is no symbol type; `cubin dump` shows the names, numbers up to "
       "0xf are taken as well"},
      {"other: kernel", "other: kernels",
       "line 10, other: 'kernels' is no flag; known are internal, hidden, managed, kernel, global, "
       "shared, constant and numbers up to 0xff"},
      {"ABS32_LO_32", "ABS32",
       "line 12, type: 'ABS32' is no relocation type; `cubin dump` shows "
       "the names, numbers up to 0xffffffff are taken as well"},
      {"code: nop", "coda: nop", "line 13, coda: unknown key"},
      {"sm_90", "sm_09",
       "line 2, arch: 'sm_09' is no known target; write one such as sm_90, or "
       "leave it out and state header: {flags: ...}"},
      {"size: 64", "shares: .text.k, data: 00",
       "line 14, data: a section without bytes of its own cannot have content"},
      {"code: nop x8", "code: nop x8, data: 00",
       "line 13, data: the section has its content under `code` already"},
      {"code: nop x8", "code: nop x8, size: 5",
       "line 13, size: the size follows from the content; leave it out"},
      {"code: nop x8", "size: 0x40000001",
       "line 13: the file would be larger than 0x40000000 bytes"},
      {"code: nop x8", "align: 0x40000000, gap: 5, code: nop",
       "line 13: the file would be larger than 0x40000000 bytes; lower `align` or `gap`"},
      {"code: nop x8", "code: nop, name: .text.k", "line 13, name: given twice, first in line 13"},
      {"- {name: .shstrtab}\n", "",
       "line 5: no string table holds the section's name '.strtab'; add "
       "a section .shstrtab, or write name_at"},
      {"type: rel\n", "type: rel\nfile_size: 100\n",
       "line 6: bytes 0x40 + 0x4d lie outside the file (0x64 bytes); raise or remove file_size"},
      {"type: rel\n", "type: rel\nclass: 48\n", "line 4, class: 32 or 64 is needed here"},
      {"type: rel\n", "type: rel\nheader: {shoff: 0xffffffffff}\n",
       "line 1: a header table lies beyond the largest file"},
      {"type: rel\n", "type: rel\npatch: [{at: 0xffffffff, hex: 00}]\n",
       "line 4: bytes 0xffffffff + 0x1 lie outside the file"},
      {"type: rel\n",
       "type: rel\nsegments: [{type: LOAD, flags: read, over: [.text.k, .strtab]}]\n",
       "line 4, over: these sections do not follow each other in the file"},
      {"size: 64", "shares: .nv.shared.k",
       "line 14, shares: a section with bytes of its own is "
       "needed here"},
      {"{cuinfo: {virtual_arch: 90, toolkit: 130}}", "{cuinfo: 5}",
       "line 11, cuinfo: a map (key: value) is needed here, not a single value"},
  };
  for (const Case &c : cases) {
    std::string yaml(kSmall);
    const std::size_t at = yaml.find(c.from);
    ASSERT_NE(at, yaml.npos) << c.from;
    yaml.replace(at, c.from.size(), c.to);
    const std::string text = exact_refusal(yaml);
    EXPECT_TRUE(text.starts_with(c.message)) << c.to << "\n  " << text;
  }
  EXPECT_EQ(exact_refusal(kSmall), "accepted");
}

TEST(AssembleExact, class_32_has_narrow_fields) {
  EXPECT_EQ(
      exact_refusal("cubin: exact\nclass: 32\nsections: [{name: .shstrtab, addr: 0x100000000}]\n"),
      "line 3: a field of the section header does not fit class 32");
}

} // namespace
} // namespace culink::text
