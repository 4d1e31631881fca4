// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identical code folding. Each function that may be folded is described by one string: all that the
// output would hold of it, with the program's numbers of variables in place of the object's numbers
// of symbols. Two functions are the same if their strings are, and if the functions that they refer
// to are. Callees are described before their callers, which name the function that replaces a
// callee; so one walk is enough, however deep the calls are. Callees in a cycle have no such
// function yet and are named themselves: functions that call each other are only folded if they
// call the same ones, or each itself.
//
// A folded function is treated like a weak function of which another copy prevails: its symbols
// name the other one, and its definition is discarded. No later pass has to know of folding.
#include "link/resolve/fold_identical.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace culink {

namespace {

using elf::SectionRole;

// A function that may be the same as another one.
struct Candidate {
  FunctionId function;
  SymbolRef definition;
  u64 code_key = 0;         // equal for equal code
  std::string description;  // without the functions that it refers to
  std::vector<u32> targets; // those, by FunctionId
};

// What belongs to the sections and symbols of one object, each list sorted by owner.
struct Belongings {
  using Pairs = std::vector<std::pair<u32, u32>>;

  explicit Belongings(const InputObject &object);

  [[nodiscard]] static std::span<const std::pair<u32, u32>> of(const Pairs &pairs, u32 owner) {
    const auto range = std::ranges::equal_range(pairs, owner, {}, &std::pair<u32, u32>::first);
    return {range.begin(), range.end()};
  }

  Pairs tables;           // section, relocation table
  Pairs sections;         // code section, section that belongs to it
  Pairs infos;            // code section, position in InputObject::infos
  std::vector<u32> names; // by section: function symbols in it
  // Records of the module about a symbol.
  std::vector<std::pair<u32, elf::InfoRecord>> records;
};

Belongings::Belongings(const InputObject &object) : names(object.view.sections().size()) {
  for (const elf::Section &section : object.view.sections()) {
    if (elf::is_relocation_table(section.type))
      tables.emplace_back(section.info, section.index);
    else if (const u32 owner = object.owner_of(section.index); owner != 0)
      sections.emplace_back(owner, section.index);
  }
  for (const elf::Symbol &symbol : object.symbols)
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section())
      ++names[symbol.section];
  for (u32 i = 0; i < object.infos.size(); ++i) {
    infos.emplace_back(object.infos[i].text, i);
    if (object.infos[i].text == 0)
      for (const elf::InfoRecord &record : object.infos[i].records)
        if (elf::symbol_word_count(record) != 0)
          records.emplace_back(load_le<u32>(record.payload.data()), record);
  }
  std::ranges::sort(tables);
  std::ranges::sort(sections);
  std::ranges::sort(infos);
  std::ranges::stable_sort(records, {}, &std::pair<u32, elf::InfoRecord>::first);
}

// Describes functions of one object.
class Describer {
public:
  // `mercury`: this is the Mercury plane of the object.
  Describer(const InputObject &object, ObjectId id, const Resolution &symbols,
            const CallGraph &calls, bool mercury)
      : object_(object), id_(id), symbols_(symbols), calls_(calls), mercury_(mercury),
        belongings_(object) {}

  // True if everything that belongs to the function can be compared.
  [[nodiscard]] bool can_describe(u32 symbol) const;
  void describe(u32 symbol, Candidate &out) const;

private:
  void add_code(const elf::Symbol &function, Candidate &out) const;
  void add_section(u32 index, Candidate &out) const;
  void add_record(const elf::InfoRecord &record, Candidate &out) const;
  void add_symbol(u32 symbol, Candidate &out) const;
  [[nodiscard]] static bool is_known(const elf::InfoRecord &record) {
    return elf::info_row(record.attribute) != nullptr;
  }

  template <typename T> static void add(T value, Candidate &out) {
    out.description.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  static void add_bytes(ByteSpan bytes, Candidate &out) {
    add(u64{bytes.size()}, out);
    out.description.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  [[nodiscard]] auto records_about(u32 symbol) const {
    return std::ranges::equal_range(belongings_.records, symbol, {},
                                    &std::pair<u32, elf::InfoRecord>::first);
  }

  const InputObject &object_;
  const ObjectId id_;
  const Resolution &symbols_;
  const CallGraph &calls_;
  const bool mercury_;
  const Belongings belongings_;
};

bool Describer::can_describe(u32 symbol) const {
  const elf::Symbol &function = object_.symbols[symbol];
  if (!function.in_section())
    return false;
  const u32 text = function.section;
  if (!object_.kinds[text].is_code() || object_.owner_of_code(text) != symbol ||
      function.value != 0 || belongings_.names[text] != 1)
    return false;
  for (const auto &[owner, section] : Belongings::of(belongings_.sections, text))
    if (const SectionRole role = object_.kinds[section].role;
        role != SectionRole::Info && role != SectionRole::CapmercText &&
        role != SectionRole::MercuryText && role != SectionRole::MercurySassMap)
      return false; // memory or constants of its own
  for (const auto &[owner, info] : Belongings::of(belongings_.infos, text))
    for (const elf::InfoRecord &record : object_.infos[info].records)
      if (!is_known(record))
        return false;
  return std::ranges::all_of(records_about(symbol),
                             [](const auto &one) { return is_known(one.second); });
}

void Describer::describe(u32 symbol, Candidate &out) const {
  const elf::Symbol &function = object_.symbols[symbol];
  add(object_.toolkit, out);
  add(object_.sm, out);
  add(object_.virtual_sm, out);
  add(object_.registers[symbol], out);
  add_code(function, out);
  for (const auto &[owner, section] : Belongings::of(belongings_.sections, function.section))
    if (object_.kinds[section].role != SectionRole::Info)
      add_section(section, out);
  for (const auto &[owner, info] : Belongings::of(belongings_.infos, function.section))
    for (const elf::InfoRecord &record : object_.infos[info].records)
      add_record(record, out);
  for (const auto &[named, record] : records_about(symbol))
    add_record(record, out);
}

void Describer::add_code(const elf::Symbol &function, Candidate &out) const {
  add(function.other, out);
  add(function.size, out);
  add(object_.section(function.section).info >> 24, out); // registers
  add_section(function.section, out);
}

void Describer::add_section(u32 index, Candidate &out) const {
  const elf::Section &section = object_.section(index);
  add(section.type, out);
  add(section.flags, out);
  add(section.align, out);
  add(section.size, out);
  // A capsule begins with the number of the section of its machine code.
  const bool capsule = mercury_ && object_.kinds[index].is_code();
  add_bytes(section.data.subspan(capsule ? std::min<u64>(section.data.size(), sizeof(u32)) : 0),
            out);
  for (const auto &[target, table] : Belongings::of(belongings_.tables, index)) {
    const elf::RelocationTable entries = object_.view.relocations(object_.section(table));
    add(entries.size(), out);
    add(entries.has_addends(), out);
    for (const elf::Relocation entry : entries) {
      add(entry.offset, out);
      add(entry.addend, out);
      add(entry.type, out);
      add_symbol(entry.symbol, out);
    }
  }
}

void Describer::add_record(const elf::InfoRecord &record, Candidate &out) const {
  const u32 symbols = elf::symbol_word_count(record);
  add(record.format, out);
  add(record.attribute, out);
  add(record.value, out);
  for (u32 i = 0; i < symbols; ++i)
    add_symbol(load_le<u32>(record.payload.data() + u64{i} * 4), out);
  add_bytes(record.payload.subspan(u64{symbols} * 4), out);
}

// Symbols without an entity are labels and sections, which are never the same.
void Describer::add_symbol(u32 symbol, Candidate &out) const {
  const EntityId entity = symbols_.of(id_, symbol);
  const FunctionId function = entity.valid() ? calls_.function_of[entity.value] : FunctionId{};
  if (function.valid()) {
    add('f', out);
    out.targets.push_back(function.value);
  } else if (entity.valid()) {
    add('v', out);
    add(entity.value, out);
  } else {
    add('s', out);
    add(id_.value, out);
    add(symbol, out);
  }
}

class Folder {
public:
  Folder(const std::vector<InputObject> &objects, const std::vector<InputObject> *sass,
         const Resolution &symbols, const CallGraph &calls, const LiveSet &live, WorkerPool &pool)
      : objects_(objects), sass_(sass), symbols_(symbols), calls_(calls), live_(live), pool_(pool) {
  }

  // By entity: its replacement; none: itself.
  std::vector<EntityId> run();

private:
  void find_candidates();
  [[nodiscard]] std::vector<bool> find_excluded() const;
  void compare_code();
  void describe();
  void add_calls(Candidate &candidate) const;
  void find_same();
  void name_targets(Candidate &candidate) const;
  [[nodiscard]] std::vector<Candidate *> in_order_of_calls() const;
  // Calls `work` with a Describer of the object, once for each form of its code.
  template <typename Work> void for_planes(u32 object, Work work) const {
    work(Describer(objects_[object], ObjectId(object), symbols_, calls_, sass_ != nullptr));
    if (sass_)
      work(Describer((*sass_)[object], ObjectId(object), symbols_, calls_, false));
  }
  void for_objects(const std::function<void(u32, std::vector<Candidate> &)> &work);

  const std::vector<InputObject> &objects_;
  const std::vector<InputObject> *sass_;
  const Resolution &symbols_;
  const CallGraph &calls_;
  const LiveSet &live_;
  WorkerPool &pool_;
  std::vector<std::vector<Candidate>> of_object_;
  std::vector<Candidate *> candidates_;              // that have equal code
  std::vector<u32> candidate_of_;                    // by FunctionId: position + 1
  std::vector<std::pair<FunctionId, u32>> indirect_; // callers through pointers, prototypes; sorted
  std::vector<u32> stands_for_;                      // by FunctionId
};

std::vector<EntityId> Folder::run() {
  find_candidates();
  compare_code();
  describe();
  find_same();
  std::vector<EntityId> out(symbols_.entities.size());
  for (u32 f = 0; f < stands_for_.size(); ++f)
    if (stands_for_[f] != f)
      out[calls_.functions[f].value] = calls_.functions[stands_for_[f]];
  return out;
}

void Folder::for_objects(const std::function<void(u32, std::vector<Candidate> &)> &work) {
  pool_.for_each(static_cast<u32>(objects_.size()), [&](u32 i) {
    if (!of_object_[i].empty())
      work(i, of_object_[i]);
  });
}

// By FunctionId: functions that are known not only by callers.
std::vector<bool> Folder::find_excluded() const {
  std::vector<bool> out(calls_.functions.size());
  for (const CallGraph::Taken &taken : calls_.taken)
    out[taken.function.value] = true;
  for (const auto &[kernel, inner] : calls_.inside)
    out[kernel.value] = out[inner.value] = true;
  for (const EntityId id : symbols_.driver_functions)
    out[calls_.function_of[id.value].value] = true;
  return out;
}

void Folder::find_candidates() {
  of_object_.resize(objects_.size());
  const std::vector<bool> excluded = find_excluded();
  for (u32 f = 0; f < calls_.functions.size(); ++f) {
    const Entity &entity = symbols_[calls_.functions[f]];
    if (excluded[f] || !live_.live[f] || !entity.defined() || is_kernel_mark(entity.other) ||
        live_.kernel[f] || entity.prevailing != entity.first_definition)
      continue;
    const InputObject &object = objects_[entity.prevailing.object.value];
    if (!object.system && !object.has_unified &&
        object.symbols[entity.prevailing.symbol].in_section())
      of_object_[entity.prevailing.object.value].push_back(
          {FunctionId(f), entity.prevailing, 0, {}, {}});
  }
  for_objects([&](u32 i, std::vector<Candidate> &candidates) {
    for_planes(i, [&](const Describer &describer) {
      std::erase_if(candidates, [&](const Candidate &one) {
        return !describer.can_describe(one.definition.symbol);
      });
    });
  });
}

// Compares code first, because descriptions are long and little code occurs twice.
void Folder::compare_code() {
  for_objects([&](u32 i, std::vector<Candidate> &candidates) {
    const InputObject &object = (sass_ ? *sass_ : objects_)[i];
    for (Candidate &one : candidates) {
      const ByteSpan code = object.section(object.symbols[one.definition.symbol].section).data;
      one.code_key =
          u64{code.size()} << 32 |
          StringIndex::hash_of({reinterpret_cast<const char *>(code.data()), code.size()});
    }
  });
  std::vector<u64> keys;
  for (const std::vector<Candidate> &list : of_object_)
    for (const Candidate &one : list)
      keys.push_back(one.code_key);
  std::ranges::sort(keys);
  for_objects([&](u32, std::vector<Candidate> &candidates) {
    std::erase_if(candidates, [&](const Candidate &one) {
      const auto same = std::ranges::equal_range(keys, one.code_key);
      return same.end() - same.begin() < 2;
    });
  });
}

void Folder::describe() {
  for (const CallGraph::Taken &call : calls_.indirect)
    indirect_.emplace_back(call.function, call.prototype.value);
  std::ranges::sort(indirect_);
  for_objects([&](u32 i, std::vector<Candidate> &candidates) {
    for_planes(i, [&](const Describer &describer) {
      for (Candidate &one : candidates)
        describer.describe(one.definition.symbol, one);
    });
    std::ranges::for_each(candidates, [this](Candidate &one) { add_calls(one); });
  });
  candidate_of_.resize(calls_.functions.size());
  for (std::vector<Candidate> &list : of_object_)
    for (Candidate &one : list) {
      candidates_.push_back(&one);
      candidate_of_[one.function.value] = static_cast<u32>(candidates_.size());
    }
}

// Adds the call graph's facts about a function: direct calls, targets of indirect ones, prototypes.
void Folder::add_calls(Candidate &candidate) const {
  const u32 f = candidate.function.value;
  const auto add = [&](u32 number) {
    candidate.description.append(reinterpret_cast<const char *>(&number), sizeof number);
  };
  add(calls_.prototype_of[f].value);
  add(static_cast<u32>(calls_.calls[f].size()));
  for (const FunctionId callee : calls_.calls[f])
    candidate.targets.push_back(callee.value);
  if (calls_.targets.size() != 0) {
    add(static_cast<u32>(calls_.targets[f].size()));
    for (const FunctionId callee : calls_.targets[f])
      candidate.targets.push_back(callee.value);
  }
  const auto through = std::ranges::equal_range(indirect_, candidate.function, {},
                                                &std::pair<FunctionId, u32>::first);
  for (const auto &[caller, prototype] : through)
    add(prototype);
}

// A function that refers to itself does not name its number, which would make it unique.
void Folder::name_targets(Candidate &candidate) const {
  for (const u32 target : candidate.targets) {
    const u32 number = target == candidate.function.value ? FunctionId::kNone : stands_for_[target];
    candidate.description.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
}

// The candidates, callees first. Without recursion: calls may be as deep as the program is long.
std::vector<Candidate *> Folder::in_order_of_calls() const {
  std::vector<Candidate *> out;
  std::vector<bool> begun(candidates_.size());
  std::vector<std::pair<u32, size_t>> path; // candidate, how many of its targets were looked at
  const auto begin = [&](u32 candidate) {
    if (!begun[candidate])
      path.emplace_back(candidate, 0);
    begun[candidate] = true;
  };
  for (u32 root = 0; root < candidates_.size(); ++root) {
    begin(root);
    while (!path.empty()) {
      auto &[number, looked_at] = path.back();
      Candidate *const candidate = candidates_[number];
      if (looked_at == candidate->targets.size()) {
        out.push_back(candidate);
        path.pop_back();
      } else if (const u32 next = candidate_of_[candidate->targets[looked_at++]]; next != 0) {
        begin(next - 1);
      }
    }
  }
  return out;
}

// The first of identical functions in the program replaces the others.
void Folder::find_same() {
  stands_for_.resize(calls_.functions.size());
  std::iota(stands_for_.begin(), stands_for_.end(), 0);
  StringIndex descriptions;
  std::vector<std::vector<u32>> same; // by number of the description
  for (Candidate *candidate : in_order_of_calls()) {
    name_targets(*candidate);
    const auto [number, is_new] = descriptions.insert(candidate->description);
    if (is_new)
      same.emplace_back();
    same[number].push_back(candidate->function.value);
    stands_for_[candidate->function.value] = same[number].front();
  }
  for (const std::vector<u32> &functions : same)
    for (const u32 first = std::ranges::min(functions); const u32 f : functions)
      stands_for_[f] = first;
}

} // namespace

Resolution fold_identical(const std::vector<InputObject> &objects,
                          const std::vector<InputObject> *sass, Resolution symbols,
                          const CallGraph &calls, const LiveSet &live, WorkerPool &pool) {
  const std::vector<EntityId> into = Folder(objects, sass, symbols, calls, live, pool).run();
  for (u32 e = 0; e < into.size(); ++e)
    if (into[e].valid()) {
      Entity &entity = symbols.entities[e];
      symbols.folded.push_back({EntityId(e), into[e], entity.prevailing});
      entity.prevailing = entity.first_definition = {};
    }
  if (symbols.folded.empty())
    return symbols;
  pool.for_each(static_cast<u32>(objects.size()), [&](u32 o) {
    for (u32 s = 0; s < symbols.entity_of[o].size(); ++s)
      if (EntityId &id = symbols.entity_of[o][s]; id.valid() && into[id.value].valid()) {
        id = into[id.value];
        if (DefinitionOutcome &outcome = symbols.outcome_of[o][s];
            outcome != DefinitionOutcome::None)
          outcome = DefinitionOutcome::DiscardedForStrong;
      }
  });
  return symbols;
}

} // namespace culink
