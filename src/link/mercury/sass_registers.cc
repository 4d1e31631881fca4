// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv_debug_info_reg_sass: which variable is in which register, from where to where in the code.
// Objects have a block for each function that was compiled with -G; blocks of all objects are kept,
// one object after the other, with offsets in the code as it comes out.
//
// What may surprise: functions are found by name. The first block about a name counts, wherever the
// code comes from; in all others the offsets become 0.
#include <cstring>

#include "base/bytes.h"
#include "base/name_map.h"
#include "elf/records/nv_registers.h"
#include "link/mercury/sass_debug.h"

namespace culink {

using elf::RegisterBlock;

namespace {

void clear_offsets(std::span<u8> table, const RegisterBlock &block) {
  for (const RegisterBlock::Record &record : block.records)
    std::memset(table.data() + record.offset, 0, 2 * sizeof(u32));
}

void move_offsets(std::span<u8> table, const RegisterBlock &block, const SassCode &code) {
  if (!code.moves())
    return;
  for (const RegisterBlock::Record &record : block.records) {
    store_le<u32>(table.data() + record.offset, static_cast<u32>(code.moved(record.start)));
    store_le<u32>(table.data() + record.offset + 4, static_cast<u32>(code.moved(record.end)));
  }
}

// The same records with other offsets, if a finalizer has made them.
void take_block(std::span<u8> table, const RegisterBlock &block, const ByteSpan *made) {
  if (made && made->size() == block.bytes.size())
    std::copy(made->begin(), made->end(), table.begin() + static_cast<i64>(block.offset));
}

class RegisterMover {
public:
  RegisterMover(const SassContext &c, const SassCodeList &code, const nvlink::MergedDebug &merged)
      : c_(c), code_(code), merged_(merged), first_of_name_(first_functions_of_name(c)),
        parts_(c, code, merged) {}

  // Changes the blocks of one object.
  void move(std::span<u8> table, u32 object) {
    const InputObject &input = c_.sass.objects[object];
    NameMap<u32> functions;
    for (u32 i = 0; i < input.symbols.size(); ++i)
      if (input.symbols[i].type() == elf::SymbolType::Function)
        functions.emplace(input.symbols[i].name, i);
    for (const RegisterBlock &block : elf::split_registers(table)) {
      const auto found = functions.find(block.function);
      const auto owner = first_of_name_.find(block.function);
      if (found == functions.end() || owner == first_of_name_.end())
        clear_offsets(table, block);
      else
        move_block(table, block, {ObjectId(object), found->second}, *owner);
    }
  }

private:
  void move_block(std::span<u8> table, const RegisterBlock &block, SymbolRef symbol,
                  const FunctionsByName::value_type &owner) {
    const u32 object = symbol.object.value;
    const EntityId function = c_.mercury.symbols.of(symbol.object, symbol.symbol);
    const nvlink::MergedDebug::Function *merged =
        function == owner.second ? merged_.find(function) : nullptr;
    const bool counts =
        merged ? std::binary_search(merged->objects.begin(), merged->objects.end(), object)
               : described_.insert(owner.first).second;
    const auto foreign = merged_.foreign_registers.find({object, block.function});
    const SymbolRef prevailing = c_.mercury.symbols[owner.second].prevailing;
    if (!counts)
      clear_offsets(table, block);
    else if (merged || prevailing == symbol)
      take_block(table, block, parts_.next(object, function, &FinalizedDebug::registers));
    else if (foreign != merged_.foreign_registers.end())
      take_block(table, block, &foreign->second);
    else if (have_equal_code(c_.planes(), symbol, prevailing))
      move_offsets(table, block, *code_.find(c_.layout(), owner.second));
    else
      clear_offsets(table, block);
  }

  const SassContext &c_;
  const SassCodeList &code_;
  const nvlink::MergedDebug &merged_;
  FunctionsByName first_of_name_;
  FinalizedParts parts_;
  NameSet described_; // functions
};

} // namespace

DebugSection make_sass_registers(const SassContext &c, const SassCodeList &code,
                                 const nvlink::MergedDebug &merged, OutId id) {
  DebugSection out = join_parts(c, id);
  if (out.bytes.empty())
    return out;
  RegisterMover mover(c, code, merged);
  for (size_t i = 0; i < out.parts.size(); ++i) {
    const u64 begin = out.parts[i].offset;
    const u64 end = i + 1 < out.parts.size() ? out.parts[i + 1].offset : out.bytes.size();
    mover.move(std::span(out.bytes).subspan(begin, end - begin), out.parts[i].object);
  }
  return out;
}

} // namespace culink
