// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "examples.h"
#include "link/resolve/call_graph.h"
#include "link/resolve/resolve.h"

namespace culink {
namespace {

// Many objects that declare functions and variables, some of which others declare, too: enough for
// several shards of names. Sizes of some variables contradict each other.
class ManyDeclarations {
public:
  static constexpr u32 kObjects = 100;
  static constexpr u32 kSymbols = 500;

  ManyDeclarations() {
    names_.reserve(size_t{kObjects} * kSymbols);
    for (u32 o = 0; o < kObjects; ++o) {
      InputObject &object = objects.emplace_back(
          InputObject{.name = "object" + std::to_string(o), .view = without_sections()});
      object.symbols.resize(1);
      for (u32 s = 1; s < kSymbols; ++s)
        object.symbols.push_back(declaration(o, s));
      object.registers.assign(kSymbols, InputObject::kNoRegisters);
    }
  }

  std::vector<InputObject> objects;

private:
  elf::ElfView without_sections() const {
    const Result<elf::ElfView> view = elf::ElfView::open(bytes_);
    EXPECT_TRUE(view);
    return view->with_sections({});
  }
  elf::Symbol declaration(u32 object, u32 number) {
    const bool function = number % 3 == 0;
    // Every fifth name is that of another object, too.
    const u32 owner = number % 5 == 0 ? (object * 7 + number) % (kObjects / 4) : object;
    elf::Symbol out;
    out.name = names_.emplace_back((function ? "f" : "v") + std::to_string(owner) + "_" +
                                   std::to_string(number));
    const bool local = number % 11 == 0 && function;
    const elf::SymbolType type = function ? elf::SymbolType::Function : elf::SymbolType::Object;
    const elf::SymbolBinding binding =
        local ? elf::SymbolBinding::Local : elf::SymbolBinding::Global;
    out.info = static_cast<u8>(static_cast<u32>(binding) << 4 | static_cast<u32>(type));
    out.size = number % 25 == 0 && !function ? 4 + object % 2 : 4;
    return out;
  }

  const std::vector<u8> bytes_ = test::read_example(test::kObject);
  std::vector<std::string> names_;
};

// Entities in order of first occurrence, functions of an object before its variables.
std::vector<std::vector<u32>> number_one_by_one(const std::vector<InputObject> &objects) {
  std::map<std::string_view, u32> known;
  std::vector<std::vector<u32>> out;
  u32 count = 0;
  for (const InputObject &object : objects) {
    std::vector<u32> &numbers = out.emplace_back(object.symbols.size(), EntityId::kNone);
    for (const bool functions : {true, false})
      for (u32 s = 1; s < object.symbols.size(); ++s) {
        const elf::Symbol &symbol = object.symbols[s];
        if ((symbol.type() == elf::SymbolType::Function) != functions)
          continue;
        if (symbol.binding() == elf::SymbolBinding::Local)
          numbers[s] = count++;
        else if (const auto [at, is_new] = known.emplace(symbol.name, count); true)
          numbers[s] = at->second, count += is_new ? 1 : 0;
      }
  }
  return out;
}

TEST(Resolve, numbers_entities_in_order_of_first_occurrence_with_any_number_of_threads) {
  const ManyDeclarations program;
  const std::vector<std::vector<u32>> expected = number_one_by_one(program.objects);
  const LinkPolicy policy;
  for (const u32 threads : {1u, 2u, 7u}) {
    WorkerPool pool(threads);
    Diagnostics diag;
    const Resolution symbols = resolve_symbols(program.objects, policy, pool, diag);
    for (u32 o = 0; o < program.objects.size(); ++o)
      for (u32 s = 1; s < program.objects[o].symbols.size(); ++s) {
        const EntityId id = symbols.of(ObjectId(o), s);
        ASSERT_EQ(id.value, expected[o][s]) << "object " << o << ", symbol " << s;
        ASSERT_EQ(symbols[id].name, program.objects[o].symbols[s].name);
      }
    const CallGraph calls = build_call_graph(program.objects, symbols, policy, pool, diag);
    for (u32 f = 0; f < calls.functions.size(); ++f) {
      ASSERT_TRUE(symbols[calls.functions[f]].function);
      ASSERT_EQ(calls.function_of[calls.functions[f].value].value, f);
    }
  }
}

TEST(Resolve, reports_in_the_order_of_the_objects) {
  const ManyDeclarations program;
  const LinkPolicy policy;
  std::vector<std::string> first;
  for (const u32 threads : {1u, 7u}) {
    WorkerPool pool(threads);
    Diagnostics diag;
    (void)resolve_symbols(program.objects, policy, pool, diag);
    std::vector<std::string> texts;
    u32 object = 0;
    for (const Diagnostic &message : diag.all()) {
      ASSERT_EQ(message.id, DiagId::SizeMismatch);
      const u32 next = static_cast<u32>(std::stoul(message.origins.back().file.substr(6)));
      EXPECT_GE(next, object);
      object = next;
      texts.push_back(diagnostic_text(message));
    }
    EXPECT_GT(texts.size(), 100u);
    if (threads == 1)
      first = texts;
    EXPECT_EQ(texts, first);
  }
}

} // namespace
} // namespace culink
