// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant banks of the SASS plane. Compiler constants are laid out alike on both planes, but
// branch tables hold offsets in the code, which differ. The Mercury plane has relocations for them;
// the offset of a label in SASS comes from the tables of the object with the function's code, which
// have each label beside its offset. Parameters of kernels are in the SASS plane only.
//
// What may surprise: banks also hold tables of definitions that were discarded (Q040). Their labels
// are looked up in the code that prevails, and are 0 where it has no such label.
#include "link/mercury/sass_constants.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "support/bytes.h"

namespace culink {

namespace {

// By function and label of its Mercury code: offsets in the SASS of the output.
using Labels = std::unordered_map<u64, u32>;

u64 label_key(u32 function, u64 label) {
  return u64{function} << 32 | (label & 0xffffffff);
}

// Finds the SASS form of constants by the address of their Mercury form in memory.
class ConstantPairs {
public:
  explicit ConstantPairs(const Planes &planes) {
    for (u32 i = 0; i < planes.mercury.size(); ++i)
      for (const elf::Section &section : planes.mercury[i].view.sections())
        if (!section.data.empty() && planes.mercury[i].kinds[section.index].is_constant())
          pairs_.push_back({section.data, planes.sass[i].section(section.index).data});
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair &a, const Pair &b) {
      return std::less<>()(a.mercury.data(), b.mercury.data());
    });
  }

  // Returns the SASS form, or the argument if the SASS plane has none.
  [[nodiscard]] ByteSpan sass(ByteSpan mercury) const {
    auto next = std::upper_bound(
        pairs_.begin(), pairs_.end(), mercury.data(),
        [](const u8 *wanted, const Pair &p) { return std::less<>()(wanted, p.mercury.data()); });
    if (next == pairs_.begin())
      return mercury;
    const Pair &pair = *std::prev(next);
    const u64 offset = static_cast<u64>(mercury.data() - pair.mercury.data());
    return offset < pair.mercury.size() && offset + mercury.size() <= pair.sass.size()
               ? pair.sass.subspan(offset, mercury.size())
               : mercury;
  }

private:
  struct Pair {
    ByteSpan mercury;
    ByteSpan sass;
  };
  std::vector<Pair> pairs_; // by address in memory
};

bool is_branch_table(const InputObject &mercury, const elf::Section &table, u8 bank) {
  return table.type == elf::SectionType::Rela && mercury.kinds[table.info].is_constant() &&
         mercury.kinds[table.info].bank == bank;
}

// Words for which a table has two labels, sorted.
std::vector<u64> mixed_words(const elf::RelocationTable &entries) {
  std::vector<std::pair<u64, i64>> labels;
  for (u32 e = 0; e < entries.size(); ++e)
    labels.emplace_back(entries[e].offset, entries[e].addend);
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  std::vector<u64> out;
  for (size_t e = 1; e < labels.size(); ++e)
    if (labels[e].first == labels[e - 1].first)
      out.push_back(labels[e].first);
  return out;
}

// Known facts about branch tables of machine code.
struct TableValues {
  Labels labels;
  struct Word {
    OutId bank;
    u64 offset;
    u32 value;
  };
  std::vector<Word> words; // of tables that are mixed up
};

// Returns the finalizer's bank; nothing if it does not correspond to the bank of the object.
ByteSpan finalized_bank(std::span<const FinalizedObject> finalized, u32 object,
                        const elf::Section &bank) {
  if (object >= finalized.size() || finalized[object].empty())
    return {};
  const Result<elf::ElfView> image = elf::ElfView::open(finalized[object].image);
  const elf::Section *made = image ? image->find(bank.name) : nullptr;
  return made && made->data.size() == bank.data.size()
             ? ByteSpan(finalized[object].image).subspan(made->offset, made->size)
             : ByteSpan{};
}

// Tables that nvlink -r has made of two definitions have lost their offsets (Q040), and only a
// finalizer still knows them.
bool take_finalized_words(const SassContext &c, std::span<const FinalizedObject> finalized,
                          u32 object, const elf::Section &bank, const std::vector<u64> &mixed,
                          TableValues &out) {
  const ByteSpan made = finalized_bank(finalized, object, bank);
  const SectionLocation &at = c.layout().placement.location_of[object][bank.index];
  if (made.empty() || at.discarded || !at.section.valid())
    return false;
  for (const u64 offset : mixed)
    if (offset + 4 <= made.size())
      out.words.push_back({at.section, at.offset + offset, load_le<u32>(made.data() + offset)});
  return true;
}

TableValues read_tables(const SassContext &c, const SassCodeList &code,
                        std::span<const FinalizedObject> finalized, Diagnostics &diag) {
  TableValues out;
  for (u32 i = 0; i < c.mercury.objects.size(); ++i) {
    const InputObject &object = c.mercury.objects[i];
    for (const elf::Section &table : object.view.sections()) {
      if (!is_branch_table(object, table, c.mercury.arch.banks.compiler))
        continue;
      const SectionLocation &text =
          c.layout().placement.location_of[i][object.owner_of(table.info)];
      if (text.discarded || !text.section.valid() ||
          code[text.section].definition.object != ObjectId(i))
        continue;
      const elf::Section &bank = c.sass.objects[i].section(table.info);
      const elf::RelocationTable entries = object.view.relocations(table);
      const std::vector<u64> mixed = mixed_words(entries);
      if (!mixed.empty() && !take_finalized_words(c, finalized, i, bank, mixed, out))
        diag.report(DiagId::BadInput,
                    {object.name, elf::describe_section(bank) +
                                      ": branch tables of two definitions are mixed up, as "
                                      "nvlink -r leaves them; link the objects themselves"});
      for (const elf::Relocation entry : entries) {
        if (entry.offset + 4 > bank.data.size() ||
            std::binary_search(mixed.begin(), mixed.end(), entry.offset))
          continue;
        const u64 offset = load_le<u32>(bank.data.data() + entry.offset);
        const SassCode &owner = code[text.section];
        out.labels[label_key(c.function(text.section).value, static_cast<u64>(entry.addend))] =
            static_cast<u32>(owner.moves() ? owner.moved_label(offset) : offset);
      }
    }
  }
  return out;
}

const elf::Section *find_parameters(const SassContext &c, const SassCode &code) {
  const InputObject &object = c.sass.objects[code.definition.object.value];
  for (const elf::Section &bank : object.view.sections())
    if (object.owner_of(bank.index) == code.section && object.kinds[bank.index].is_constant() &&
        object.kinds[bank.index].bank == c.sass.arch.banks.parameters)
      return c.sass.policy.sections_by_name ? object.view.find(bank.name) : &bank;
  return nullptr;
}

bool is_image_list(const OutSection &section) {
  return section.type == elf::SectionType::MercuryConstantImgHdr;
}

// Returns the bytes of a bank before relocations are applied.
std::vector<u8> join_pieces(const elf::SectionTable &sections, OutId id,
                            const ConstantPairs &pairs) {
  std::vector<u8> bytes(sections[id].size);
  for (const Piece &piece : sections.pieces(id)) {
    const ByteSpan from = pairs.sass(piece.bytes);
    if (piece.offset + from.size() <= bytes.size())
      std::copy(from.begin(), from.end(), bytes.begin() + static_cast<i64>(piece.offset));
  }
  return bytes;
}

} // namespace

bool is_compiler_bank(const OutSection &section, const arch::ArchInfo &arch) {
  return static_cast<u32>(section.type) ==
         static_cast<u32>(elf::SectionType::CudaConstantB0) + arch.banks.compiler;
}

std::vector<ParameterBank> find_parameter_banks(const SassContext &c, const SassCodeList &code) {
  std::vector<ParameterBank> out;
  std::unordered_map<u32, OutId> images_of; // by OutId of a text section
  for (const OutId id : c.shape.order)
    if (is_image_list(c.section(id)))
      images_of[c.section(id).target().value] = id;
  for (const OutId id : c.shape.order) {
    const EntityId function = c.function(id);
    if (!function.valid() || !is_kernel_mark(c.mercury.symbols[function].other))
      continue;
    const elf::Section *bank = find_parameters(c, code[id]);
    if (!bank)
      continue;
    const auto images = images_of.find(id.value);
    out.push_back({id, images == images_of.end() ? OutId{} : images->second, bank});
  }
  return out;
}

std::vector<ImageBank> find_image_banks(const SassContext &c, const SassCodeList &code) {
  std::vector<ImageBank> out;
  for (const OutId id : c.shape.order)
    if (is_image_list(c.section(id))) {
      const elf::Section *bank = find_parameters(c, code[c.section(id).target()]);
      out.push_back({id, bank ? bank->data : ByteSpan{}});
    }
  return out;
}

bool has_mixed_tables(const InputObject &mercury, const arch::ArchInfo &arch) {
  const auto &sections = mercury.view.sections();
  return std::any_of(sections.begin(), sections.end(), [&](const elf::Section &table) {
    return is_branch_table(mercury, table, arch.banks.compiler) &&
           !mixed_words(mercury.view.relocations(table)).empty();
  });
}

std::vector<SectionBytes> fill_compiler_banks(const SassContext &c, const SassCodeList &code,
                                              std::span<const FinalizedObject> finalized,
                                              Diagnostics &diag) {
  std::vector<SectionBytes> out;
  std::vector<u32> number(c.layout().sections.size(), kNoIndex); // by OutId: in `out`
  for (const OutId id : c.shape.order)
    if (is_compiler_bank(c.section(id), c.sass.arch)) {
      number[id.value] = static_cast<u32>(out.size());
      out.push_back({id, {}});
    }
  if (out.empty())
    return out;
  const ConstantPairs pairs(c.planes());
  for (SectionBytes &bank : out)
    bank.bytes = join_pieces(c.layout().sections.table, bank.section, pairs);
  const auto [labels, words] = read_tables(c, code, finalized, diag);
  for (const KeptRelocation &kept : c.plan.relocations.kept) {
    const OutId target = c.section(kept.table).target();
    if (!target.valid() || number[target.value] == kNoIndex ||
        kept.against != KeptRelocation::Against::Entity ||
        !code.find(c.layout(), EntityId(kept.id)))
      continue;
    std::vector<u8> &bytes = out[number[target.value]].bytes;
    if (kept.offset + 4 > bytes.size())
      continue;
    const auto label = labels.find(label_key(kept.id, static_cast<u64>(kept.addend)));
    store_le<u32>(bytes.data() + kept.offset, label == labels.end() ? 0 : label->second);
  }
  for (const TableValues::Word &word : words)
    if (number[word.bank.value] != kNoIndex)
      if (std::vector<u8> &bytes = out[number[word.bank.value]].bytes;
          word.offset + 4 <= bytes.size())
        store_le<u32>(bytes.data() + word.offset, word.value);
  return out;
}

} // namespace culink
