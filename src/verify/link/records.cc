// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records: registers, stack, barriers and other records of a function in .nv.info. They must equal
// the records of the prevailing definition. A kernel's records cover all functions that it reaches:
// the most registers, the deepest stack (no bound if there is a cycle of calls), the most barriers,
// all flags, and all functions that the driver must provide.
//
// What may surprise: a linker may include calls of overridden definitions (Q026). If there are any,
// numbers must lie between those of both call graphs.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "elf/records/nv_info.h"
#include "elf/target/elf_flags.h"
#include "elf/text_info.h"
#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

using elf::InfoAttribute;
using elf::InfoRecord;

namespace {

// Attributes whose records a linker or engine may change.
struct AttributeRow {
  enum class Change : u8 {
    None,
    Always,
    OfKernels,
    OfUnbounded, // of kernels with unbounded stacks
    Flag,        // kernels get the flag from functions that they reach
  };
  InfoAttribute attribute{};
  Change change = Change::None; // compared one by one, or not at all
  bool repeats = false;         // a function may have several
  bool by_engine = false;       // engines add it
  bool for_chip = false;        // depends on the chip that the code is for
};
using Change = AttributeRow::Change;

// Flags come first: their positions are bits of Summary::flags. A later release finds PREEXIT_USED
// and NVSAL_SW_WAR in code of an earlier one. 0x67 is in code of sm_107 and has no name. Images get
// their slots in machine code. With Mercury code, a kernel also gets PREEXIT_USED from functions
// that it reaches.
constexpr AttributeRow kAttributes[] = {
    {InfoAttribute::CtaidzUsed, Change::Flag},
    {InfoAttribute::ReservedSmemUsed, Change::Flag},
    {InfoAttribute::Tcgen05OneCtaUsed, Change::Flag},
    {InfoAttribute::Tcgen05TwoCtaUsed, Change::Flag},
    {InfoAttribute::Language, Change::Flag},
    {InfoAttribute::ClusterLaunchControlUsed, Change::Flag},
    {InfoAttribute::Externs, Change::Always},
    {InfoAttribute::NumBarriers, Change::Always},
    {InfoAttribute::AtEntryFragments, Change::Always},
    {.attribute = InfoAttribute::SparseMmaMask, .change = Change::Always, .repeats = true},
    {.attribute = InfoAttribute::BindlessImageOffsets,
     .change = Change::OfKernels,
     .repeats = true},
    {.attribute = InfoAttribute::BindlessTextureBank, .change = Change::OfKernels, .repeats = true},
    {.attribute = InfoAttribute::BindlessSurfaceBank, .change = Change::OfKernels, .repeats = true},
    {InfoAttribute::NumMbarriers, Change::OfKernels},
    {InfoAttribute::VrcCtaInitCount, Change::OfKernels},
    {InfoAttribute::RegReconfig, Change::OfKernels},
    {InfoAttribute::GridAttributes, Change::OfKernels},
    {.attribute = InfoAttribute::PreexitUsed, .change = Change::OfKernels, .by_engine = true},
    {InfoAttribute::CrsStackSize, Change::OfUnbounded},
    {.attribute = InfoAttribute::NvsalSwWar, .by_engine = true},
    {.attribute = InfoAttribute{0x67}, .by_engine = true},
    {.attribute = InfoAttribute::SwWar, .for_chip = true},
};

const AttributeRow &row_of(InfoAttribute attribute) {
  static constexpr AttributeRow kOther;
  for (const AttributeRow &row : kAttributes)
    if (row.attribute == attribute)
      return row;
  return kOther;
}

bool is_changed(const AttributeRow &row, bool kernel, bool unbounded) {
  return row.change == Change::Always ||
         (kernel && row.change != Change::None && (row.change != Change::OfUnbounded || unbounded));
}

// Replaces offsets in code by the offset of the next instruction that both the code of the
// definition and the code of the output have.
void replace_offsets(elf::InfoValue &value, const InfoRecord &record, const auto &replace) {
  if (auto *list = std::get_if<elf::InfoWords>(&value);
      list && elf::effective_shape(record) == elf::InfoShape::Offsets) {
    std::ranges::for_each(list->words, replace);
  } else if (auto *rows = std::get_if<elf::InfoTable>(&value)) {
    for (size_t i = 0; i < rows->words.size(); i += rows->columns)
      replace(rows->words[i]);
  } else if (auto *table = std::get_if<elf::InfoBranchTargets>(&value)) {
    for (elf::InfoBranch &branch : table->branches) {
      replace(branch.offset);
      std::ranges::for_each(branch.targets, replace);
    }
  } else if (auto *remarks = std::get_if<elf::InfoAnnotations>(&value)) {
    for (elf::InfoAnnotation &remark : remarks->annotations)
      replace(remark.offset);
  }
}

// Numbers from the records of a function, or from all functions that it reaches.
struct Summary {
  u32 barriers = 0;
  u32 contexts = 0; // VRC_CTA_INIT_COUNT
  u32 flags = 0;    // bits, by position in kAttributes
};

// The value of a function with an unknown number; a sum that includes it is also unknown.
constexpr u32 kUnknownMbarriers = 0xffff;

Summary read_summary(const elf::InfoRecords &records) {
  Summary out;
  for (const InfoRecord &record : records) {
    if (record.attribute == InfoAttribute::NumBarriers)
      out.barriers = std::max<u32>(out.barriers, record.value & 0xff);
    if (record.attribute == InfoAttribute::VrcCtaInitCount)
      out.contexts = std::max<u32>(out.contexts, record.value & 0xff);
    if (const AttributeRow &row = row_of(record.attribute); row.change == Change::Flag)
      out.flags |= 1u << (&row - kAttributes);
  }
  return out;
}

// Mercury code of toolkit 12 has the first version of its instructions. Only a link records it.
bool is_first_version(const InfoRecord &record) {
  return record.attribute == InfoAttribute::MercuryIsaVersion && record.value == 0x100;
}

class RecordChecker {
public:
  RecordChecker(Link &link, Report &report) : l_(link), report_(report) {}

  void run() {
    for (const Object &object : l_.program.objects)
      for_other_chip_.push_back(arch::target_of(object.view).arch != &l_.arch);
    const Needs least = sum_up(l_.program, l_.calls);
    const Needs most = l_.exact ? least : sum_up(l_.program, l_.all_calls);
    unbounded_.assign(l_.calls.functions(), false);
    std::vector<bool> listed(l_.calls.functions(), false); // functions with EXTERNS or mbarriers
    for (u32 node = 0; node < l_.calls.functions(); ++node) {
      unbounded_[node] = most.stack[node] == Needs::kUnbounded;
      if (l_.code_of_node[node] != kNone)
        check_numbers(node, least, most);
    }
    for (u32 i = 0; i < l_.code.size(); ++i) {
      check_function(i);
      for (const InfoRecord &record :
           l_.program.objects[l_.code[i].object].records(l_.code[i].section))
        if (record.attribute == InfoAttribute::Externs ||
            record.attribute == InfoAttribute::NumMbarriers ||
            record.attribute == InfoAttribute::AtEntryFragments)
          listed[l_.calls.node_of[l_.code[i].entity]] = true;
    }
    if (!l_.executable) {
      for (const CodePlace &code : l_.code)
        check_barriers_of_object(code);
      return;
    }
    const std::vector<Summary> lower = summaries(l_.calls);
    std::vector<Summary> upper = l_.exact ? lower : summaries(l_.all_calls);
    // The only kernel of a program may get records from all functions (Q017).
    only_ =
        std::count(l_.live.root.begin(), l_.live.root.end(), true) == 1 || l_.options.is_selected;
    if (only_)
      for (Summary &summary : upper)
        summary = {.barriers = kNone, .flags = kNone};
    const ReachedSets reached(l_.calls, listed);
    for (const CodePlace &code : l_.code) {
      const u32 node = l_.calls.node_of[code.entity];
      const std::vector<u32> own(1, node);
      if (l_.live.root[node]) {
        check_kernel(code, lower[node], upper[node], least.stack[node] == Needs::kUnbounded);
        check_lists(code, reached.of(node));
      } else if (!l_.program.entities[code.entity].kernel()) {
        const Summary summary = own_summary(code);
        check_kernel(code, summary, summary, false);
        check_lists(code, own);
      }
    }
  }

private:
  [[nodiscard]] Summary own_summary(const CodePlace &code) const {
    const Object &object = l_.program.objects[code.object];
    Summary out = read_summary(object.records(code.section));
    out.barriers = std::max(out.barriers, elf::text_barriers(object.section(code.section).flags));
    return out;
  }

  [[nodiscard]] std::vector<Summary> summaries(const Calls &calls) const {
    std::vector<Summary> out(calls.nodes());
    for (const CodePlace &code : l_.code)
      out[calls.node_of[code.entity]] = own_summary(code);
    calls.each_component([&](u32, std::span<const u32> nodes) {
      Summary sum;
      const auto add = [&sum](const Summary &more) {
        sum.barriers = std::max(sum.barriers, more.barriers);
        sum.flags |= more.flags;
      };
      for (const u32 node : nodes) {
        add(out[node]);
        for (const u32 callee : calls.of(node))
          add(out[callee]);
      }
      for (const u32 node : nodes)
        out[node] = sum;
    });
    return out;
  }

  // Registers, frame and stack are in the records of the module.
  void check_numbers(u32 node, const Needs &least, const Needs &most) {
    const Entity &entity = l_.function(node);
    const Object &object = l_.program.objects[entity.object];
    const auto text = [](u64 value) {
      return value == kNone ? std::string("none") : std::to_string(value);
    };
    const auto check = [&](const char *what, u64 low, u64 high, u32 found) {
      if (found >= low && found <= high)
        return;
      report(node, fmt::format("{} {}", what, low == high ? text(low) : text(low) + " or more"),
             text(found));
    };
    const bool kernel = l_.live.root[node] && l_.executable;
    const u32 registers = object.registers[entity.symbol];
    const u32 found = l_.out.registers[entity.out];
    if (registers == kNone) // there is no record to raise
      check("registers", kNone, kNone, found);
    else if (kernel)
      check("registers", least.registers[node], most.registers[node], found);
    else // the linker may treat a kernel that is not a root as one
      check("registers", registers, entity.kernel() ? most.registers[node] : registers, found);
    const u32 frame = object.frame[entity.symbol];
    // A function inside the code of a kernel has the kernel's frame, or 0 in Mercury code.
    const bool inside = l_.has_mercury && object.symbols[entity.symbol].value != 0;
    check("frame", inside ? 0 : frame, frame, l_.out.frame[entity.out]);
    if (kernel)
      check("stack", least.stack[node], most.stack[node], l_.out.stack[entity.out]);
  }

  // Compares all records that linkers do not change.
  void check_function(u32 position) {
    const CodePlace &code = l_.code[position];
    const u32 node = l_.calls.node_of[code.entity];
    const bool kernel = l_.executable && l_.program.entities[code.entity].kernel();
    const bool other_chip = l_.options.finalized && for_other_chip_[code.object];
    const auto list = [&](u32 object) {
      const Object &file = object == kNone ? l_.out : l_.program.objects[object];
      const elf::InfoRecords records = file.records(object == kNone ? code.out : code.section);
      std::vector<std::string> out;
      for (const InfoRecord &record : records)
        if (const AttributeRow &row = row_of(record.attribute);
            !is_changed(row, kernel, unbounded_[node]) &&
            !(l_.options.finalized && row.by_engine) && !(other_chip && row.for_chip) &&
            !(object == kNone && is_first_version(record) && !names_version(code)))
          out.push_back(image_of(object, record, records.bytes(), code));
      std::sort(out.begin(), out.end());
      return out;
    };
    const Object &in = l_.program.objects[code.object];
    const u32 from = in.records_of[code.section], to = l_.out.records_of[code.out];
    if (from != 0 && to == 0)
      return report(node, std::string(in.section(from).name), "no such section");
    std::set<InfoAttribute> seen;
    for (const InfoRecord &record : l_.out.records(code.out))
      if (const AttributeRow &row = row_of(record.attribute);
          is_changed(row, kernel, unbounded_[node]) && !row.repeats &&
          !seen.insert(record.attribute).second)
        report(node, fmt::format("one record {:#x}", static_cast<u32>(record.attribute)), "two");
    const std::vector<std::string> expected = list(code.object), found = list(kNone);
    if (expected == found)
      return;
    std::vector<std::string> missing, extra;
    std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                        std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                        std::back_inserter(extra));
    const auto text = [](const std::vector<std::string> &records) {
      return records.empty()
                 ? std::string("no record")
                 : "record " +
                       bytes_text(
                           as_bytes(records[0]).first(std::min<size_t>(records[0].size(), 24)));
    };
    report(node, text(missing), text(extra));
  }

  [[nodiscard]] bool names_version(const CodePlace &code) const {
    for (const InfoRecord &record : l_.program.objects[code.object].records(code.section))
      if (record.attribute == InfoAttribute::MercuryIsaVersion)
        return true;
    return false;
  }

  // SPARSE_MMA_MASK: kernels get additional bits; functions without a mask and aliases may get a
  // record that means "no mask" (Q018).
  void check_masks(u32 node, const CodePlace &code) {
    constexpr u32 kNoMask = 0x8000;
    const auto masks = [](const elf::InfoRecords &records) {
      std::set<u32> out;
      for (const InfoRecord &record : records)
        if (record.attribute == InfoAttribute::SparseMmaMask)
          out.insert(record.value);
      return out;
    };
    const std::set<u32> own = masks(l_.program.objects[code.object].records(code.section));
    std::set<u32> found = masks(l_.out.records(code.out));
    const auto covers = [&](u32 mask) {
      return std::any_of(found.begin(), found.end(),
                         [mask](u32 one) { return (mask & ~one) == 0; });
    };
    if (l_.live.root[node]) {
      if (!std::all_of(own.begin(), own.end(), covers))
        report(node, "the bits of its mask", "not all of them");
      return;
    }
    if (!own.contains(kNoMask))
      found.erase(kNoMask);
    if (own != found)
      report(node, "its mask", found.empty() ? "none" : fmt::format("{:#x}", *found.begin()));
  }

  void check_kernel(const CodePlace &code, const Summary &least, const Summary &most,
                    bool unbounded) {
    const u32 node = l_.calls.node_of[code.entity];
    const Summary own = own_summary(code);
    Summary found = read_summary(l_.out.records(code.out));
    if (l_.out.view.header().ident[elf::kIdentOsAbi] == elf::kOsAbiCudaOld)
      found.barriers = std::max(found.barriers, elf::text_barriers(l_.out.section(code.out).flags));
    bool marked = false;
    for (const InfoRecord &record : l_.out.records(code.out))
      if (record.attribute == InfoAttribute::CrsStackSize && record.payload.size() >= 4)
        marked = load_le<u32>(record.payload.data()) == 0xffffffff;
    const bool kernel = l_.live.root[node];
    check_masks(node, code);
    if (found.contexts < own.contexts || (!kernel && found.contexts != own.contexts))
      report(node, fmt::format("VRC_CTA_INIT_COUNT {}", own.contexts),
             std::to_string(found.contexts));
    if (found.barriers < least.barriers || found.barriers > most.barriers)
      report(node, fmt::format("barriers {}", least.barriers), std::to_string(found.barriers));
    if ((least.flags & ~found.flags) != 0 || (found.flags & ~most.flags) != 0)
      report(node, fmt::format("flags of what it reaches {:#x}", least.flags),
             fmt::format("{:#x}", found.flags));
    if (unbounded && !marked)
      report(node, "CRS_STACK_SIZE without a bound", "none");
  }

  // In an object, code keeps the compiler's number: its callees may change until it is linked.
  void check_barriers_of_object(const CodePlace &code) {
    const u32 found = std::max(read_summary(l_.out.records(code.out)).barriers,
                               elf::text_barriers(l_.out.section(code.out).flags));
    if (const u32 expected = own_summary(code).barriers; found != expected)
      report(l_.calls.node_of[code.entity], fmt::format("barriers {}", expected),
             std::to_string(found));
  }

  struct ListedThings {
    std::set<u32> externs, fragments;
    u32 mbarriers = 0;
  };

  // Returns functions that the driver provides and kernels that are launched, as symbols of the
  // output; code that must run before a kernel; barriers in shared memory.
  [[nodiscard]] ListedThings listed_by(u32 object, u32 code) const {
    const Object &file = object == kNone ? l_.out : l_.program.objects[object];
    ListedThings out;
    for (const InfoRecord &record : file.records(code)) {
      if (record.attribute == InfoAttribute::NumMbarriers)
        out.mbarriers = std::min(out.mbarriers + record.value, kUnknownMbarriers);
      if (record.attribute == InfoAttribute::AtEntryFragments)
        for (const u32 word : elf::words_of(record))
          out.fragments.insert(word);
      if (record.attribute != InfoAttribute::Externs)
        continue;
      for (const u32 symbol : elf::words_of(record)) {
        const Entity *entity =
            object == kNone || symbol >= file.symbols.size() ? nullptr : l_.entity(object, symbol);
        if (object == kNone)
          out.externs.insert(symbol);
        else if (entity && entity->out != 0 && (!entity->defined() || entity->kernel()))
          out.externs.insert(entity->out);
      }
    }
    return out;
  }

  void check_lists(const CodePlace &code, const std::vector<u32> &reached) {
    const u32 node = l_.calls.node_of[code.entity];
    ListedThings expected;
    for (const u32 user : reached) {
      if (l_.code_of_node[user] == kNone)
        continue;
      const CodePlace &callee = l_.code[l_.code_of_node[user]];
      const ListedThings more = listed_by(callee.object, callee.section);
      expected.externs.insert(more.externs.begin(), more.externs.end());
      expected.fragments.insert(more.fragments.begin(), more.fragments.end());
      expected.mbarriers = std::min(expected.mbarriers + more.mbarriers, kUnknownMbarriers);
    }
    const bool kernel = l_.live.root[node];
    const ListedThings found = listed_by(kNone, code.out);
    const bool more_allowed = kernel && (only_ || !l_.exact);
    if (more_allowed ? found.mbarriers < expected.mbarriers : found.mbarriers != expected.mbarriers)
      report(node, fmt::format("mbarriers {}", expected.mbarriers),
             std::to_string(found.mbarriers));
    const auto name = [this](u32 symbol) {
      return symbol < l_.out.symbols.size() ? std::string(l_.out.symbols[symbol].name)
                                            : "symbol " + std::to_string(symbol);
    };
    for (const u32 symbol : expected.externs)
      if (!found.externs.contains(symbol))
        report(node, "EXTERNS with " + name(symbol), "not listed");
    for (const u32 symbol : found.externs)
      if (!more_allowed ? !expected.externs.contains(symbol)
                        : symbol >= l_.out.symbols.size() ||
                              l_.out.symbols[symbol].type() != elf::SymbolType::Function)
        report(node, "EXTERNS without " + name(symbol), "listed");
    if (kernel && !std::includes(found.fragments.begin(), found.fragments.end(),
                                 expected.fragments.begin(), expected.fragments.end()))
      report(node, "all code that has to run at entry", "not all of it");
  }

  // Returns a record in a comparable form: its symbols are replaced by those of the output.
  [[nodiscard]] std::string image_of(u32 object, const InfoRecord &record, ByteSpan section,
                                     const CodePlace &code) const {
    const ByteSpan bytes = section.subspan(record.offset, record.encoded_size());
    std::string out(as_text(bytes));
    if (code.moved && record.sized()) {
      elf::InfoValue value = elf::decode_value(record);
      replace_offsets(value, record, [&](u32 &offset) {
        offset = static_cast<u32>(object == kNone ? code.restored.first_kept_of_output(offset)
                                                  : code.restored.first_kept(offset));
      });
      out.replace(elf::kRecordHeaderSize, record.payload.size(),
                  as_text(elf::encode_payload(value)));
    }
    if (elf::symbol_word_count(record) == 0)
      return out;
    const u32 symbol = load_le<u32>(record.payload.data());
    const Object &file = object == kNone ? l_.out : l_.program.objects[object];
    u32 mapped = symbol;
    if (symbol != 0 && symbol < file.symbols.size()) {
      const elf::Symbol &named = file.symbols[symbol];
      const bool bank =
          named.type() == elf::SymbolType::Section || record.attribute == InfoAttribute::ParamCbank;
      if (bank && named.in_section()) {
        const u32 place =
            object == kNone ? named.section : l_.place_of[object][named.section].section;
        mapped = l_.section_symbol[place];
      } else if (object != kNone && !bank) {
        const Entity *entity = l_.entity(object, symbol);
        mapped = entity ? entity->out : 0;
      }
    }
    store_le<u32>(reinterpret_cast<u8 *>(out.data()) + elf::kRecordHeaderSize, mapped);
    return out;
  }

  void report(u32 node, std::string expected, std::string found) {
    report_.add(FindingKind::Records, l_.function(node).name, ".nv.info", 0, std::move(expected),
                std::move(found));
  }

  Link &l_;
  Report &report_;
  std::vector<bool> unbounded_;      // by function node
  std::vector<bool> for_other_chip_; // by object
  bool only_ = false;                // numbers of kernels may be larger than needed
};

} // namespace

void check_records(Link &link, Report &report) {
  check_module_records(link, report);
  RecordChecker(link, report).run();
}

// Records of the module: registers, frame and stack of each function. The class above checks their
// values. This part checks for duplicates: readers of the file do not agree on which one is used.

namespace {

// True for attributes of the module that are a number of a function.
bool is_number_of_function(elf::InfoAttribute attribute) {
  return attribute == elf::InfoAttribute::Regcount || attribute == elf::InfoAttribute::FrameSize ||
         attribute == elf::InfoAttribute::MinStackSize ||
         attribute == elf::InfoAttribute::MaxStackSize;
}

} // namespace

// The module must have each number of a function once, except equal ones of folded functions.
void check_module_records(const Link &link, Report &report) {
  std::map<std::pair<elf::InfoAttribute, u32>, u32> seen;
  for (const elf::Section &section : link.out.view.sections()) {
    const elf::SectionKind &kind = link.out.kinds[section.index];
    if (kind.mercury || kind.role != elf::SectionRole::Info || link.out.code_of[section.index] != 0)
      continue;
    for (const elf::InfoRecord &record : elf::InfoRecords(section.data)) {
      const std::vector<u32> words = elf::words_of(record);
      if (!is_number_of_function(record.attribute) || words.size() != 2)
        continue;
      const auto [first, is_new] = seen.emplace(std::pair(record.attribute, words[0]), words[1]);
      if (!is_new && first->second != words[1])
        report.add(FindingKind::Records,
                   words[0] < link.out.symbols.size() ? link.out.symbols[words[0]].name : "",
                   ".nv.info", record.offset,
                   fmt::format("{} in record {:#x}, as in the first one", first->second,
                               static_cast<u32>(record.attribute)),
                   std::to_string(words[1]));
    }
  }
}

} // namespace culink::check
