// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants of the compiler in the machine half of a link of Mercury code. They are laid out alike
// in both halves, but branch tables hold places in the code, which differ. The Mercury half says by
// relocations where they point; what that means in machine code is known from the tables of the
// object that has the function's code: there each label stands beside its place.
//
// What may surprise: banks also hold tables of copies of a function that are not in the output
// (Q040). Their labels are looked up in the code that is, and are 0 where it has no such label.

#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "link/mercury/machine_writer.h"

namespace culink {

namespace {

u64 label_key(u32 function, u64 label) {
  return u64{function} << 32 | (label & 0xffffffff);
}

// Finds the machine half of constants by where their Mercury half lies in memory.
class ConstantTwins {
public:
  ConstantTwins(std::span<const InputObject> mercury, std::span<const InputObject> machine) {
    for (u32 i = 0; i < mercury.size(); ++i)
      for (const elf::Section &section : mercury[i].view.sections())
        if (!section.data.empty() && mercury[i].kinds[section.index].is_constant())
          twins_.push_back({section.data, machine[i].section(section.index).data});
    std::sort(twins_.begin(), twins_.end(), [](const Twin &a, const Twin &b) {
      return std::less<>()(a.mercury.data(), b.mercury.data());
    });
  }

  // The bytes themselves where the machine half has no such place.
  [[nodiscard]] ByteSpan machine(ByteSpan mercury) const {
    auto next = std::upper_bound(
        twins_.begin(), twins_.end(), mercury.data(),
        [](const u8 *wanted, const Twin &t) { return std::less<>()(wanted, t.mercury.data()); });
    if (next == twins_.begin())
      return mercury;
    const Twin &twin = *std::prev(next);
    const u64 offset = static_cast<u64>(mercury.data() - twin.mercury.data());
    return offset < twin.mercury.size() && offset + mercury.size() <= twin.machine.size()
               ? twin.machine.subspan(offset, mercury.size())
               : mercury;
  }

private:
  struct Twin {
    ByteSpan mercury;
    ByteSpan machine;
  };
  std::vector<Twin> twins_; // by place in memory
};

} // namespace

// By function and label of its Mercury code: places in the machine code as it comes out.
MachineWriter::Labels MachineWriter::labels_of_tables() const {
  Labels labels;
  for (u32 i = 0; i < p_.objects.size(); ++i) {
    const InputObject &object = p_.objects[i];
    for (const elf::Section &table : object.view.sections()) {
      if (table.type != elf::SectionType::Rela || !object.kinds[table.info].is_constant() ||
          object.kinds[table.info].bank != p_.arch.banks.compiler)
        continue;
      const SectionLocation &text = layout_.placement.location_of[i][object.owner_of(table.info)];
      if (text.discarded || !text.section.valid() ||
          code_[text.section.value].object != ObjectId(i))
        continue;
      const Code &code = code_[text.section.value];
      const ByteSpan bank = inputs_.objects[i].section(table.info).data;
      const elf::RelocationTable entries = object.view.relocations(table);
      for (u32 e = 0; e < entries.size(); ++e) {
        const elf::Relocation entry = entries[e];
        if (entry.offset + 4 > bank.size())
          continue;
        const u64 place = load_le<u32>(bank.data() + entry.offset);
        labels[label_key(layout_.sections[text.section].function.value,
                         static_cast<u64>(entry.addend))] =
            static_cast<u32>(code.moves() ? code.moved_label(place) : place);
      }
    }
  }
  return labels;
}

void MachineWriter::fill_compiler_banks() {
  std::vector<OutId> banks;
  std::copy_if(order_.begin(), order_.end(), std::back_inserter(banks),
               [this](OutId id) { return is_compiler_bank(id); });
  if (banks.empty())
    return;
  const ConstantTwins twins(p_.objects, inputs_.objects);
  std::vector<std::vector<u8>> bytes_of(count_);
  for (const OutId id : banks) {
    const OutSection &s = layout_.sections[id];
    std::vector<u8> &bytes = bytes_of[id.value];
    bytes.resize(s.size);
    for (u32 i = 0; i < s.pieces.size(); ++i) {
      const ByteSpan from = twins.machine(s.pieces[i].bytes);
      if (s.pieces[i].offset + from.size() <= bytes.size())
        std::copy(from.begin(), from.end(), bytes.begin() + static_cast<i64>(s.pieces[i].offset));
    }
  }
  const Labels labels = labels_of_tables();
  for (const KeptRelocation &kept : plan_.relocations.kept) {
    const OutId bank = layout_.sections[kept.table].target;
    if (!bank.valid() || bank.value >= count_ || kept.against != KeptRelocation::Against::Entity ||
        kept.offset + 4 > bytes_of[bank.value].size() || !code_of(EntityId(kept.id)))
      continue;
    const auto label = labels.find(label_key(kept.id, static_cast<u64>(kept.addend)));
    store_le<u32>(bytes_of[bank.value].data() + kept.offset,
                  label == labels.end() ? 0 : label->second);
  }
  for (const OutId id : banks)
    elf_.append_copy(section(id), bytes_of[id.value]);
}

} // namespace culink
