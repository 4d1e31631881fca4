// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/text_form.h"

#include <gtest/gtest.h>

#include "elf/elf_view.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/target/arch.h"
#include "verify/file/verify.h"
#include "yaml/document/document.h"

namespace culink::text {
namespace {

using Bytes = std::vector<u8>;

Result<Bytes> assembled(std::string_view yaml) {
  const Result<Node> document = read_yaml(yaml);
  if (!document)
    return document.error();
  return assemble(*document);
}

std::string minimal_refusal(std::string_view yaml) {
  const Result<Bytes> image = assembled(yaml);
  return image ? "accepted" : image.error().text();
}

std::string with_arch(std::string_view name) {
  return "arch: " + std::string(name) + R"(
virtual_arch: 75
functions:
- name: kern
  kernel: true
  params: [8, 4, 8]
  registers: 32
  frame: 16
  barriers: 2
  code: nop x4
  calls: [foo, helper]
  indirect_calls: ["#ii"]
  shared:
  - {name: tile, size: 128}
  relocs:
  - {at: 0x10, type: ABS32_LO_32, to: gvar}
  - {at: 0x20, type: ABS32_LO_32, to: kern, add: 0x30}
  attributes:
  - {attr: EXIT_INSTR_OFFSETS, offsets: [0x30]}
- name: helper
  bind: weak
  code: nop
  address_taken: "#ii"
  prototype: "#ii"
  constants:
  - {name: literal, data: 0000803f}
  - {name: pair, size: 8}
globals:
- {name: pointer, size: 8, relocs: [{at: 0, type: R_CUDA_64, to: helper}]}
- {name: zeros, size: 64, managed: true}
- {name: shared_name, size: 4, common: true}
constants:
- {name: table, data: 0000803f}
undefined:
- foo
- gvar
- {name: dynamic, type: CUDA_OBJECT, other: shared}
)";
}

TEST(AssembleMinimal, makes_a_valid_object_for_every_target) {
  for (const arch::ArchInfo &arch : arch::all_archs()) {
    const Result<Bytes> image = assembled(with_arch(arch.name));
    ASSERT_TRUE(image) << arch.name << ": " << image.error().text();
    const Result<elf::ElfView> view = elf::ElfView::open(*image);
    ASSERT_TRUE(view) << view.error().text();
    for (const Finding &finding : verify_device_elf(*view))
      ADD_FAILURE() << arch.name << ": " << finding.what.text();
  }
}

elf::Symbol symbol(const elf::ElfView &view, std::string_view name, u32 *index = nullptr) {
  const elf::SymbolTable symbols = view.symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (symbols[i].name == name) {
      if (index)
        *index = i;
      return symbols[i];
    }
  ADD_FAILURE() << "no symbol " << name;
  return {};
}

TEST(AssembleMinimal, names_become_symbols_sections_and_records) {
  const Result<Bytes> image = assembled(with_arch("sm_90"));
  ASSERT_TRUE(image) << image.error().text();
  const Result<elf::ElfView> view = elf::ElfView::open(*image);
  ASSERT_TRUE(view) << view.error().text();
  u32 kern = 0, foo = 0, helper = 0;
  EXPECT_EQ(symbol(*view, "kern", &kern).other, elf::kOtherKernel);
  EXPECT_EQ(symbol(*view, "foo", &foo).type(), elf::SymbolType::Function); // because it is called
  EXPECT_TRUE(symbol(*view, "foo").undefined());
  EXPECT_EQ(symbol(*view, "gvar").other, elf::kOtherGlobal);
  EXPECT_EQ(symbol(*view, "dynamic").other, elf::kOtherShared);
  EXPECT_EQ(symbol(*view, "helper", &helper).binding(), elf::SymbolBinding::Weak);
  EXPECT_EQ(symbol(*view, "zeros").other, elf::kOtherGlobal | elf::kOtherManaged);
  EXPECT_TRUE(symbol(*view, "shared_name").common());
  EXPECT_EQ(symbol(*view, "tile").value, 16u); // its alignment
  EXPECT_EQ(view->find(".nv.constant0.kern")->size, 0x210u + 24);
  EXPECT_EQ(view->find(".text.kern")->info, kern);

  const elf::CallGraph graph = elf::decode_call_graph(view->find(".nv.callgraph")->data);
  EXPECT_EQ(graph.pairs(elf::CallPart::Calls),
            (std::vector<elf::CallPair>{{kern, foo}, {kern, helper}}));
  EXPECT_EQ(graph.pairs(elf::CallPart::AddressTaken).size(), 1u);
  EXPECT_EQ(graph.pairs(elf::CallPart::IndirectCalls).size(), 1u);
  EXPECT_EQ(graph.groups.size(), 4u);

  const elf::Section *bank = view->find(".nv.constant2.helper");
  ASSERT_TRUE(bank);
  EXPECT_EQ(static_cast<u32>(bank->type), static_cast<u32>(elf::SectionType::CudaConstantB0) + 2);
  EXPECT_EQ(bank->info, view->find(".text.helper")->index);
  EXPECT_EQ(bank->size, 16u);
  EXPECT_EQ(symbol(*view, "pair").value, 8u);
  EXPECT_EQ(symbol(*view, "pair").other, elf::kOtherConstant | 1);
  EXPECT_EQ(symbol(*view, "pair").binding(), elf::SymbolBinding::Local);

  const elf::RelocationTable relocations = view->relocations(*view->find(".rela.nv.global.init"));
  ASSERT_EQ(relocations.size(), 1u);
  EXPECT_EQ(relocations[0].symbol, helper);

  bool externs = false, registers = false;
  for (const elf::InfoRecord &record : elf::decode_info(view->find(".nv.info.kern")->data).records)
    if (record.attribute == elf::InfoAttribute::Externs)
      externs = std::get<elf::InfoWords>(elf::decode_value(record)).words == std::vector<u32>{foo};
  for (const elf::InfoRecord &record : elf::decode_info(view->find(".nv.info")->data).records)
    if (record.attribute == elf::InfoAttribute::Regcount)
      registers |=
          std::get<elf::InfoSymbolWord>(elf::decode_value(record)) == elf::InfoSymbolWord{kern, 32};
  EXPECT_TRUE(externs);
  EXPECT_TRUE(registers);
}

TEST(AssembleMinimal, a_stated_attribute_replaces_the_default) {
  const Result<Bytes> image = assembled("arch: sm_90\nfunctions:\n- name: k\n  kernel: true\n"
                                        "  attributes: [{attr: MAXREG_COUNT, value: 32}]\n");
  ASSERT_TRUE(image) << image.error().text();
  const Result<elf::ElfView> view = elf::ElfView::open(*image);
  std::vector<u16> limits;
  for (const elf::InfoRecord &record : elf::decode_info(view->find(".nv.info.k")->data).records)
    if (record.attribute == elf::InfoAttribute::MaxregCount)
      limits.push_back(record.value);
  EXPECT_EQ(limits, std::vector<u16>{32});
}

TEST(AssembleMinimal, registers_of_old_targets_are_in_the_text_header) {
  for (const auto &[arch, top] : {std::pair{"sm_75", 40u}, std::pair{"sm_90", 0u}}) {
    const Result<Bytes> image = assembled("arch: " + std::string(arch) +
                                          "\nfunctions: [{name: f, registers: 40, code: nop}]\n");
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_EQ(elf::ElfView::open(*image)->find(".text.f")->info >> 24, top);
  }
}

TEST(AssembleMinimal, executables_get_segments_and_plain_types) {
  const Result<Bytes> image =
      assembled("arch: sm_90\ntype: exec\nfunctions: [{name: k, kernel: true, code: nop x8}]\n"
                "globals: [{name: g, size: 64}]\n");
  ASSERT_TRUE(image) << image.error().text();
  const Result<elf::ElfView> view = elf::ElfView::open(*image);
  ASSERT_TRUE(view) << view.error().text();
  EXPECT_EQ(view->header().type, elf::FileType::Executable);
  EXPECT_EQ(view->segments().size(), 4u);
  EXPECT_EQ(view->find(".nv.global")->type, elf::SectionType::Nobits);
  EXPECT_EQ(symbol(*view, "g").type(), elf::SymbolType::Object);
}

TEST(AssembleMinimal, refuses_with_line_key_and_the_way_out) {
  struct Case {
    std::string_view yaml, message;
  };
  const Case cases[] = {
      {"{}", "line 1: `arch` is missing: a target such as sm_90"},
      {"arch: sm_1", "line 1, arch: 'sm_1' is no known target; write one such as sm_90"},
      {"arch: sm_90\ntype: core", "line 2, type: rel or exec is needed here"},
      {"arch: sm_90\nfunctoins: []", "line 2, functoins: unknown key; known here: arch, type"},
      {"arch: sm_90\nfunctions:\n- {kernel: true}", "line 3: a function needs a `name`"},
      {"arch: sm_90\nfunctions:\n- {name: f, calls: [g]}",
       "line 3: 'g' is not declared, or more than once; list it under `undefined` if another file "
       "defines it"},
      {"arch: sm_90\nfunctions:\n- {name: f, code: nop, relocs: [{at: 16, type: R_CUDA_32, to: "
       "f}]}",
       "line 3: `at` is 0x10, but there are 0x10 bytes"},
      {"arch: sm_90\nfunctions:\n- {name: f, params: [4]}",
       "line 3, params: only kernels have parameters here; add `kernel: true`"},
      {"arch: sm_75\nfunctions:\n- {name: f, kernel: true, params: [16000, 16000, 16000]}",
       "line 3: 48000 bytes of parameters; sm_75 takes at most"},
      {"arch: sm_90\nglobals: [{name: g, size: 2, data: 00112233}]",
       "line 2: `size` is 2, but `data` has 4 bytes"},
      {"arch: sm_90\nfunctions: [{name: f, constants: [{name: c, size: 4, common: true}]}]",
       "line 2: constants of a function cannot be `common`"},
      {"arch: sm_90\nglobals: [{name: g, size: 4, align: 3}]",
       "line 2: `align` must be a power of two"},
      {"arch: sm_90\nglobals: [{name: g, size: 0x40000000}, {name: h, size: 1}]",
       "line 2: the file would be larger than 0x40000000 bytes"},
      {"[]", "a document is a map: arch, type and what the file holds"},
  };
  for (const Case &c : cases) {
    const std::string text = minimal_refusal(c.yaml);
    EXPECT_TRUE(text.starts_with(c.message)) << c.yaml << "\n  " << text;
  }
}

} // namespace
} // namespace culink::text
