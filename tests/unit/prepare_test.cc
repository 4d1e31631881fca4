// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/finalize/prepare.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_registers.h"
#include "elf/wire.h"
#include "recorded_answers.h"
#include "support/bytes.h"

namespace culink {
namespace {

struct Prepared {
  explicit Prepared(const std::string &name, bool debug_code = false)
      : before(recorded_bytes(name)), old_view(elf::ElfView::open(before).value()),
        after(prepare_object(old_view, {.debug_code = debug_code, .distinct_names = true}).value()),
        view(elf::ElfView::open(after).value()) {}

  std::vector<u8> before;
  elf::ElfView old_view;
  std::vector<u8> after;
  elf::ElfView view;
};

u32 symbol_named(const elf::SymbolTable &symbols, std::string_view part) {
  for (u32 i = 1; i < symbols.size(); ++i)
    if (symbols[i].name.find(part) != std::string_view::npos &&
        symbols[i].type() == elf::SymbolType::Function)
      return i;
  return 0;
}

TEST(PrepareObject, GivesUndefinedSymbolsNamesOfTheDriverInBothTables) {
  const Prepared prepared("steps.cubin");
  for (const char *table : {".symtab", ".nv.merc.symtab"}) {
    const elf::SymbolTable before = prepared.old_view.symbols(*prepared.old_view.find(table));
    const elf::SymbolTable after = prepared.view.symbols(*prepared.view.find(table));
    ASSERT_EQ(before.size(), after.size());
    bool changed = false;
    for (u32 i = 1; i < after.size(); ++i) {
      EXPECT_EQ(before[i].section, after[i].section);
      if (before[i].name == after[i].name)
        continue;
      changed = true;
      EXPECT_TRUE(before[i].undefined());
      EXPECT_EQ(after[i].name, "__cuda_syscall_" + std::string(before[i].name));
      EXPECT_EQ(after[i].type(), elf::SymbolType::Function);
      EXPECT_EQ(after[i].binding(), elf::SymbolBinding::Global);
    }
    EXPECT_TRUE(changed) << table;
  }
}

TEST(PrepareObject, MakesSharedVariablesOfOtherFilesDynamic) {
  const std::string path = "../golden/shared_variables_of_other_files/";
  for (const bool other_defines_it : {false, true}) {
    const std::vector<u8> user = recorded_bytes(path + "user.cubin");
    const elf::ElfView object = elf::ElfView::open(user).value();
    NameSet defined;
    if (other_defines_it)
      defined.insert("sized");
    const std::vector<u8> file = prepare_object(object, {.defined = defined}).value();
    const elf::ElfView view = elf::ElfView::open(file).value();
    for (const char *table : {".symtab", ".nv.merc.symtab"}) {
      const elf::SymbolTable before = object.symbols(*object.find(table));
      const elf::SymbolTable after = view.symbols(*view.find(table));
      u32 variables = 0;
      for (u32 i = 1; i < after.size(); ++i)
        if (after[i].name == "sized") {
          ++variables;
          EXPECT_EQ(before[i].size, 256u);
          EXPECT_EQ(after[i].size, other_defines_it ? 256u : 0u);
          EXPECT_EQ(after[i].type(), before[i].type());
        }
      EXPECT_EQ(variables, 1u) << table;
    }
  }
  const Prepared owner(path + "owner.cubin");
  for (u32 i = 1; i < owner.view.symbols().size(); ++i)
    EXPECT_EQ(owner.view.symbols()[i].size, owner.old_view.symbols()[i].size);
}

TEST(PrepareObject, LeavesWhatTheOtherCopiesDefine) {
  const std::vector<u8> bytes = recorded_bytes("steps.cubin");
  const elf::ElfView object = elf::ElfView::open(bytes).value();
  NameSet defined;
  for (u32 i = 1; i < object.symbols().size(); ++i)
    if (object.symbols()[i].undefined())
      defined.insert(object.symbols()[i].name);
  const std::vector<u8> file = prepare_object(object, {.defined = defined}).value();
  const elf::ElfView view = elf::ElfView::open(file).value();
  for (u32 i = 1; i < view.symbols().size(); ++i)
    EXPECT_EQ(view.symbols()[i].name, object.symbols()[i].name);
}

bool is_kernel(const elf::Symbol &symbol) {
  return (symbol.other & elf::kOtherKernel) != 0;
}

TEST(PrepareObject, KernelsOfOneCopyAreKernelsInAll) {
  const Prepared user("steps.cubin");
  const elf::SymbolTable symbols = user.view.symbols();
  u32 undefined = 1;
  while (
      !(symbols[undefined].undefined() && symbols[undefined].type() == elf::SymbolType::Function))
    ASSERT_LT(++undefined, symbols.size());
  std::vector<std::vector<u8>> files = {user.after, user.after};
  u8 *entry =
      files[1].data() + user.view.find(".symtab")->offset + undefined * sizeof(elf::wire::Sym64);
  auto symbol = load_le<elf::wire::Sym64>(entry);
  symbol.st_shndx = 1;
  symbol.st_other |= elf::kOtherKernel;
  store_le(entry, symbol);
  agree_on_kernels(files);
  const elf::ElfView view = elf::ElfView::open(files[0]).value();
  for (const char *table : {".symtab", ".nv.merc.symtab"}) {
    const elf::SymbolTable after = view.symbols(*view.find(table));
    for (u32 i = 1; i < after.size(); ++i) {
      const bool wanted = after[i].name == symbols[undefined].name;
      EXPECT_TRUE(!after[i].undefined() || is_kernel(after[i]) == wanted)
          << table << ": " << after[i].name;
    }
  }
}

TEST(PrepareObject, TakesTheAddressOfEveryDeviceFunction) {
  const Prepared prepared("steps.cubin");
  const elf::SymbolTable symbols = prepared.view.symbols();
  const elf::CallGraph graph = elf::decode_call_graph(prepared.view.find(".nv.callgraph")->data);
  EXPECT_TRUE(graph.violations.empty());
  const std::vector<elf::CallPair> taken = graph.pairs(elf::CallPart::AddressTaken);
  for (const char *name : {"helper", "lonely"}) {
    const u32 symbol = symbol_named(symbols, name);
    EXPECT_EQ(std::count_if(taken.begin(), taken.end(),
                            [&](const elf::CallPair &pair) { return pair.first == symbol; }),
              1)
        << name;
  }
  const u32 kernel = symbol_named(symbols, "steps");
  EXPECT_TRUE(std::none_of(taken.begin(), taken.end(),
                           [&](const elf::CallPair &pair) { return pair.first == kernel; }));
  const elf::CallGraph old = elf::decode_call_graph(prepared.old_view.find(".nv.callgraph")->data);
  EXPECT_EQ(graph.pairs(elf::CallPart::Calls), old.pairs(elf::CallPart::Calls));
}

u32 barrier_marks(const elf::ElfView &view) {
  u32 marks = 0;
  for (const elf::InfoRecord &record : elf::InfoRecords(view.find(".nv.merc.nv.info")->data))
    marks += record.attribute == elf::InfoAttribute::GenErrbarAtExit ? 1 : 0;
  return marks;
}

TEST(PrepareObject, MarksSamplersOfOtherObjectsOnce) {
  const auto marks = [](ByteSpan file) {
    const elf::ElfView view = elf::ElfView::open(file).value();
    u32 out = 0;
    for (const elf::InfoRecord &record : elf::InfoRecords(view.find(".nv.merc.nv.info")->data))
      out += record.attribute == elf::InfoAttribute::TexmodeIndependent ? 1 : 0;
    return out;
  };
  const Prepared prepared("doubles.cubin");
  EXPECT_EQ(marks(prepared.after), 0u);
  const std::vector<u8> marked =
      prepare_object(prepared.old_view, {.independent_textures = true}).value();
  EXPECT_EQ(marks(marked), 1u);
  const elf::ElfView view = elf::ElfView::open(marked).value();
  EXPECT_EQ(marks(prepare_object(view, {.independent_textures = true}).value()), 1u);
}

TEST(PrepareObject, MarksDebugCodeOnce) {
  EXPECT_EQ(barrier_marks(Prepared("doubles.cubin").view), 0u);
  EXPECT_EQ(barrier_marks(Prepared("doubles.cubin", true).view), 1u);
  const u32 compiled = barrier_marks(Prepared("steps.cubin").old_view); // one per function
  EXPECT_EQ(barrier_marks(Prepared("steps.cubin").view), compiled);
  EXPECT_EQ(barrier_marks(Prepared("steps.cubin", true).view), compiled);
}

TEST(PrepareObject, LeavesCodeAlone) {
  const Prepared prepared("steps.cubin", true);
  for (const elf::Section &section : prepared.old_view.sections())
    if (section.name.starts_with(".text.") || section.name.starts_with(".nv.capmerc.")) {
      EXPECT_TRUE(std::ranges::equal(section.data, prepared.view.find(section.name)->data));
    }
}

TEST(PrepareObject, TellsLocalFunctionsOfOneNameApart) {
  const Prepared prepared("../golden/records_of_local_functions/both.expected");
  std::set<std::string_view> names;
  for (const elf::Section &section : prepared.view.sections()) {
    EXPECT_TRUE(names.insert(section.name).second) << section.name;
    const elf::Section &old = prepared.old_view.sections()[section.index];
    EXPECT_TRUE(section.name.starts_with(old.name));
    if (old.name == ".text.helper") {
      EXPECT_TRUE(std::ranges::equal(section.data, old.data));
    }
  }
  for (const char *table : {".symtab", ".nv.merc.symtab"}) {
    const elf::SymbolTable symbols = prepared.view.symbols(*prepared.view.find(table));
    std::set<std::string_view> functions;
    for (u32 i = 1; i < symbols.size(); ++i)
      if (symbols[i].type() == elf::SymbolType::Function) {
        EXPECT_TRUE(functions.insert(symbols[i].name).second) << symbols[i].name;
      }
    EXPECT_EQ(functions, (std::set<std::string_view>{"first", "helper", "helper~1", "second"}));
  }
}

TEST(PrepareObject, RefusesObjectsWithoutMercuryCode) {
  const MappedFile file =
      MappedFile::open(CULINK_SOURCE_DIR "/examples/vector_math/sm_90/main.cubin").value();
  const elf::ElfView view = elf::ElfView::open(file.bytes()).value();
  EXPECT_FALSE(prepare_object(view, {.distinct_names = true}).ok());
}

TEST(PrepareObject, KeepsWhatIsWantedAlone) {
  const std::vector<u8> bytes = recorded_bytes("steps.cubin");
  const elf::ElfView object = elf::ElfView::open(bytes).value();
  const elf::Symbol helper = object.symbols()[symbol_named(object.symbols(), "helper")];
  const std::vector<u32> only = {helper.section};
  const std::vector<u8> file =
      prepare_object(object, {.distinct_names = true, .only = only}).value();
  const elf::ElfView view = elf::ElfView::open(file).value();
  const elf::CallGraph graph = elf::decode_call_graph(view.find(".nv.callgraph")->data);
  std::set<std::string_view> taken;
  for (const elf::CallPair &pair : graph.pairs(elf::CallPart::AddressTaken))
    taken.insert(view.symbols()[pair.first].name);
  EXPECT_EQ(taken, std::set<std::string_view>{helper.name});
  EXPECT_EQ(kernels_in(object, only), "");
  const elf::Symbol kernel = object.symbols()[symbol_named(object.symbols(), "steps")];
  EXPECT_EQ(kernels_in(object, std::vector<u32>{helper.section, kernel.section}), kernel.name);
}

TEST(HideRegisters, TakesTheNameFromBothForms) {
  const Prepared prepared("steps.cubin");
  std::vector<u8> file = prepared.after;
  const char *tables[] = {".nv_debug_info_reg_sass", ".nv.merc.nv_debug_info_reg_sass"};
  const std::string name(
      elf::split_registers(prepared.view.find(tables[0])->data).front().function);
  const std::vector<std::string_view> hidden = {name};
  hide_registers(hidden, file);
  const elf::ElfView view = elf::ElfView::open(file).value();
  for (const char *table : tables) {
    const auto before = elf::split_registers(prepared.view.find(table)->data);
    const auto after = elf::split_registers(view.find(table)->data);
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < after.size(); ++i)
      EXPECT_EQ(after[i].function == before[i].function, before[i].function != name) << table;
  }
}

} // namespace
} // namespace culink
