// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call graph and everything that follows from it alone. ptxas lists direct calls, functions
// whose address is taken, and indirect calls, the latter two with a prototype. Functions that a
// descriptor relocation refers to or a variable points to also have their address taken (Q071,
// Q144). One search for cycles (Tarjan's, without recursion) orders the nodes; everything else is
// one sweep in that order.
#include "verify/link/calls.h"

#include <algorithm>

#include "elf/target/driver_functions.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink::check {

namespace {

// Tarjan's algorithm with an explicit stack.
class CircleFinder {
public:
  CircleFinder(Calls &calls, u32 nodes)
      : calls_(calls), index_(nodes, 0), low_(nodes, 0), next_(nodes, 0), on_stack_(nodes, false) {
    calls_.component.assign(nodes, 0);
    calls_.callees_first.reserve(nodes);
    for (u32 node = 0; node < nodes; ++node)
      if (index_[node] == 0)
        walk(node);
  }

private:
  void enter(u32 node) {
    index_[node] = low_[node] = ++count_;
    next_[node] = calls_.first[node];
    stack_.push_back(node);
    on_stack_[node] = true;
    path_.push_back(node);
  }
  void walk(u32 start) {
    enter(start);
    while (!path_.empty()) {
      const u32 node = path_.back();
      if (next_[node] < calls_.first[node + 1]) {
        const u32 callee = calls_.callees[next_[node]++];
        if (index_[callee] == 0)
          enter(callee);
        else if (on_stack_[callee])
          low_[node] = std::min(low_[node], index_[callee]);
        continue;
      }
      path_.pop_back();
      if (!path_.empty())
        low_[path_.back()] = std::min(low_[path_.back()], low_[node]);
      if (low_[node] == index_[node])
        close(node);
    }
  }
  void close(u32 node) {
    const u32 component = static_cast<u32>(calls_.circular.size());
    u32 members = 0;
    for (u32 last = kNone; last != node; ++members) {
      last = stack_.back();
      stack_.pop_back();
      on_stack_[last] = false;
      calls_.component[last] = component;
      calls_.callees_first.push_back(last);
    }
    const std::span<const u32> callees = calls_.of(node);
    calls_.circular.push_back(members > 1 ||
                              std::find(callees.begin(), callees.end(), node) != callees.end());
  }

  Calls &calls_;
  u32 count_ = 0;
  std::vector<u32> index_, low_, next_, stack_, path_;
  std::vector<bool> on_stack_;
};

class GraphReader {
public:
  GraphReader(const Program &program, bool all) : p_(program), all_(all) {}

  Calls run() {
    number_functions();
    for (u32 i = 0; i < p_.objects.size(); ++i)
      read(i);
    connect_prototypes();
    const u32 nodes = out_.functions() + prototypes_.size();
    sort_edges(nodes);
    CircleFinder(out_, nodes);
    return std::move(out_);
  }

private:
  void number_functions() {
    out_.node_of.assign(p_.entities.size(), kNone);
    for (u32 i = 0; i < p_.entities.size(); ++i)
      if (p_.entities[i].function()) {
        out_.node_of[i] = static_cast<u32>(out_.entity_of.size());
        out_.entity_of.push_back(i);
      }
    out_.taken.assign(out_.entity_of.size(), false);
    prototype_of_.assign(out_.entity_of.size(), kNone);
  }

  void read(u32 object) {
    const Object &file = p_.objects[object];
    for (const elf::CallGroup &group : file.calls.groups)
      for (const elf::CallPair &pair : group.pairs)
        read_pair(object, group.part, pair);
    for (const elf::Prototype &record : file.prototypes.records)
      if (const u32 f = node(object, record.symbol); f != kNone) {
        const u32 prototype = prototypes_.insert(file.string_at(record.string)).first;
        out_.declared.emplace_back(f, prototype);
        if (prototype_of_[f] == kNone)
          prototype_of_[f] = prototype;
      }
    read_descriptors(object);
    read_pointers(object);
  }

  void read_pair(u32 object, elf::CallPart part, const elf::CallPair &pair) {
    const u32 first = node(object, pair.first);
    if (first == kNone)
      return;
    const bool counted = counts(object, pair.first);
    switch (part) {
    case elf::CallPart::Calls:
      if (const u32 callee = node(object, pair.second); counted && callee != kNone)
        edges_.emplace_back(first, callee);
      break;
    case elf::CallPart::IndirectCalls:
      if (counted)
        edges_.emplace_back(
            first,
            out_.functions() + prototypes_.insert(p_.objects[object].string_at(pair.second)).first);
      break;
    case elf::CallPart::AddressTaken:
      if (p_.outcome[object][pair.first] == Outcome::Discarded)
        break;
      out_.taken[first] = true;
      out_.taken_as.emplace_back(
          first, prototypes_.insert(p_.objects[object].string_at(pair.second)).first);
      break;
    case elf::CallPart::IndirectTargets:
      if (const u32 callee = node(object, pair.second); counted && callee != kNone) {
        out_.taken[callee] = true;
        out_.named_targets.emplace_back(first, callee);
      }
      break;
    case elf::CallPart::Unmarked:
      break;
    }
  }

  void read_descriptors(u32 object) {
    const Object &file = p_.objects[object];
    for (u32 section = 1; section < file.kinds.size(); ++section)
      file.each_relocation(section, [&](const elf::Relocation &entry, bool) {
        const arch::RelocInfo *row = arch::find_reloc(entry.type);
        const u32 named = node(object, entry.symbol);
        if (!row || row->resolver != arch::Resolver::LoaderFunction || named == kNone)
          return;
        out_.taken[named] = true;
        add_launch(object, section, entry.offset, named);
      });
  }

  void read_pointers(u32 object) {
    const Object &file = p_.objects[object];
    for (u32 section = 1; section < file.kinds.size(); ++section) {
      const elf::SectionKind &kind = file.kinds[section];
      const bool variables = kind.role == elf::SectionRole::GlobalInit ||
                             (kind.is_constant() && !kind.holds_addresses());
      if (kind.mercury || !variables || file.code_of[section] != 0)
        continue;
      file.each_relocation(section, [&](const elf::Relocation &entry, bool) {
        if (const u32 named = node(object, entry.symbol); named != kNone)
          out_.taken[named] = true;
      });
    }
  }

  // Code of a definition that does not prevail is ignored.
  void add_launch(u32 object, u32 section, u64 offset, u32 kernel) {
    const Object &file = p_.objects[object];
    if (section >= file.kinds.size() || file.kinds[section].is_debug())
      return;
    if (!file.kinds[section].is_code()) {
      out_.launches.push_back({kNone, object, section, offset, kernel});
      return;
    }
    const u32 owner = file.owner_symbol(section);
    if (owner < file.symbols.size() && p_.outcome[object][owner] == Outcome::Prevails)
      out_.launches.push_back({node(object, owner), object, section, offset, kernel});
  }

  // A function whose address is taken without a prototype gets the prototype of its definition.
  void connect_prototypes() {
    std::vector<bool> has_target(out_.functions(), false);
    for (const auto &[function, prototype] : out_.taken_as)
      has_target[function] = true;
    for (u32 f = 0; f < out_.functions(); ++f)
      if (out_.taken[f] && !has_target[f] && prototype_of_[f] != kNone)
        out_.taken_as.emplace_back(f, prototype_of_[f]);
    for (const auto &[function, prototype] : out_.taken_as)
      edges_.emplace_back(out_.functions() + prototype, function);
    for (u32 i = 0; i < prototypes_.size(); ++i)
      out_.prototypes.push_back(prototypes_[i]);
  }

  void sort_edges(u32 nodes) {
    out_.first.assign(nodes + 1, 0);
    for (const auto &[from, to] : edges_)
      ++out_.first[from + 1];
    for (u32 i = 0; i < nodes; ++i)
      out_.first[i + 1] += out_.first[i];
    out_.callees.resize(edges_.size());
    std::vector<u32> next(out_.first.begin(), out_.first.end() - 1);
    for (const auto &[from, to] : edges_)
      out_.callees[next[from]++] = to;
  }

  [[nodiscard]] u32 node(u32 object, u32 symbol) const {
    const u32 entity = symbol < p_.entity_of[object].size() ? p_.entity_of[object][symbol] : kNone;
    return entity == kNone ? kNone : out_.node_of[entity];
  }
  // True if the call graph of an object is used for one of its functions.
  [[nodiscard]] bool counts(u32 object, u32 symbol) const {
    const Outcome outcome = p_.outcome[object][symbol];
    return outcome != Outcome::Discarded && (all_ || outcome != Outcome::Overridden);
  }

  const Program &p_;
  const bool all_;
  Calls out_;
  StringIndex prototypes_;
  std::vector<std::pair<u32, u32>> edges_;
  std::vector<u32> prototype_of_; // by function node
};

// A kernel that is not selected is still a root if live code refers to it, or data that live code
// refers to, because device code may launch it. A function whose address is taken is kept, but is
// reached only by calls.
class LiveFinder {
public:
  LiveFinder(const Program &program, const Calls &calls) : p_(program), calls_(calls) {
    out_.root.assign(calls.functions(), false);
    out_.needed = out_.root;
    out_.reached.assign(calls.nodes(), false);
    launched_by_.resize(calls.launches.empty() ? 0 : calls.functions());
    for (const Calls::Launch &launch : calls.launches)
      if (launch.from != kNone)
        launched_by_[launch.from].push_back(launch.kernel);
      else
        from_data_.push_back(launch);
  }

  Liveness run(const CheckOptions &options, bool keeps_all, bool at_most) {
    for (u32 f = 0; f < calls_.functions(); ++f) {
      const Entity &entity = calls_.function(p_, f);
      if (!options.is_selected || options.is_selected(entity.name, entity.local) ||
          (at_most && calls_.taken[f]))
        launch(f);
    }
    enter_driver_functions();
    follow();
    while (!from_data_.empty() && launch_from_data())
      follow();
    for (u32 f = 0; f < calls_.functions(); ++f)
      out_.needed[f] = keeps_all || out_.reached[f] || calls_.taken[f];
    for (u32 f = 0; f < calls_.functions(); ++f)
      if (const u32 outer = code_around(f); outer != kNone && out_.needed[outer])
        out_.needed[f] = true;
    return std::move(out_);
  }

private:
  // Returns the function whose code contains this one, and which is kept with it (`nvcc -ewp`).
  [[nodiscard]] u32 code_around(u32 f) const {
    const Entity &entity = calls_.function(p_, f);
    if (!entity.defined() || p_.definition(entity).value == 0)
      return kNone;
    const u32 owner = p_.objects[entity.object].owner_symbol(p_.definition(entity).section);
    const u32 outer =
        owner < p_.entity_of[entity.object].size() ? p_.entity_of[entity.object][owner] : kNone;
    return outer == kNone ? kNone : calls_.node_of[outer];
  }
  void reach(u32 node) {
    if (!out_.reached[node])
      work_.push_back(node);
    out_.reached[node] = true;
  }
  void launch(u32 kernel) {
    const Entity &entity = calls_.function(p_, kernel);
    if (!entity.kernel() || !entity.defined())
      return;
    out_.root[kernel] = true;
    reach(kernel);
  }
  // Functions that the driver calls by name are entered like kernels if a program defines them.
  // They are ignored in a program with only one kernel (Q140).
  void enter_driver_functions() {
    if (std::count(out_.root.begin(), out_.root.end(), true) == 1)
      return;
    for (u32 f = 0; f < calls_.functions(); ++f) {
      const Entity &entity = calls_.function(p_, f);
      if (!entity.defined() || entity.kernel() || !arch::is_driver_function(entity.name))
        continue;
      out_.root[f] = true;
      reach(f);
    }
  }
  void follow() {
    while (!work_.empty()) {
      const u32 node = work_.back();
      work_.pop_back();
      for (const u32 callee : calls_.of(node))
        reach(callee);
      if (node < launched_by_.size())
        for (const u32 kernel : launched_by_[node])
          launch(kernel);
    }
  }

  // Returns true if there are new kernels.
  bool launch_from_data() {
    for (u32 i = 0; i < p_.objects.size(); ++i) {
      const Object &object = p_.objects[i];
      for (u32 code = 1; code < object.kinds.size(); ++code) {
        const u32 owner = object.kinds[code].is_code() ? object.owner_symbol(code) : 0;
        const u32 id = owner < object.symbols.size() ? p_.entity_of[i][owner] : kNone;
        if (id != kNone && p_.outcome[i][owner] == Outcome::Prevails &&
            out_.reached[calls_.node_of[id]])
          object.each_relocation(
              code, [&](const elf::Relocation &entry, bool) { launch_named(i, entry.symbol); });
      }
    }
    return !work_.empty();
  }

  // Launches the kernels in a variable that live code refers to, or in a section as a whole.
  void launch_named(u32 object, u32 symbol) {
    const elf::Symbol &named = p_.objects[object].symbols[symbol];
    u32 section = named.section;
    u64 begin = 0, end = ~u64{0};
    if (named.type() != elf::SymbolType::Section) {
      const u32 id = p_.entity_of[object][symbol];
      if (id == kNone || p_.entities[id].function() || !p_.entities[id].defined())
        return;
      const elf::Symbol &definition = p_.definition(p_.entities[id]);
      object = p_.entities[id].object;
      section = definition.section;
      begin = definition.value;
      end = begin + definition.size;
    }
    for (const Calls::Launch &one : from_data_)
      if (one.object == object && one.section == section && one.offset >= begin && one.offset < end)
        launch(one.kernel);
  }

  const Program &p_;
  const Calls &calls_;
  std::vector<std::vector<u32>> launched_by_; // by function
  std::vector<Calls::Launch> from_data_;
  std::vector<u32> work_;
  Liveness out_;
};

} // namespace

Calls build_calls(const Program &program, bool all) {
  return GraphReader(program, all).run();
}

Liveness find_live(const Program &program, const Calls &calls, const CheckOptions &options,
                   bool keeps_all, bool at_most) {
  return LiveFinder(program, calls).run(options, keeps_all, at_most);
}

// In a cycle every function needs the maximum of all members, and the stack has no bound.
Needs sum_up(const Program &program, const Calls &calls) {
  Needs out;
  out.registers.assign(calls.nodes(), 0);
  out.stack.assign(calls.nodes(), 0);
  // Returns a number of a function; 0 without a definition or a record.
  const auto number = [&](u32 node, std::vector<u32> Object::*list) {
    if (node >= calls.functions() || !calls.function(program, node).defined())
      return u32{0};
    const Entity &entity = calls.function(program, node);
    const u32 own = (program.objects[entity.object].*list)[entity.symbol];
    return own == kNone ? 0 : own;
  };
  calls.each_component([&](u32 component, std::span<const u32> nodes) {
    u32 registers = 0;
    u64 deepest = calls.circular[component] ? Needs::kUnbounded : 0;
    for (const u32 node : nodes) {
      registers = std::max(registers, number(node, &Object::registers));
      for (const u32 callee : calls.of(node)) {
        registers = std::max(registers, out.registers[callee]);
        deepest = std::max(deepest, out.stack[callee]);
      }
    }
    for (const u32 node : nodes) {
      out.registers[node] = registers;
      out.stack[node] =
          deepest == Needs::kUnbounded ? deepest : deepest + number(node, &Object::frame);
    }
  });
  return out;
}

ReachedSets::ReachedSets(const Calls &calls, const std::vector<bool> &marked)
    : calls_(calls), sets_(1), set_of_(calls.circular.size(), 0) {
  std::vector<u32> parts, own;
  const auto make_unique = [](std::vector<u32> &list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  calls.each_component([&](u32 component, std::span<const u32> nodes) {
    parts.clear();
    own.clear();
    for (const u32 node : nodes) {
      if (node < calls.functions() && marked[node])
        own.push_back(node);
      for (const u32 callee : calls.of(node))
        if (const u32 set = set_of_[calls.component[callee]]; set != 0)
          parts.push_back(set);
    }
    make_unique(parts);
    if (own.empty() && parts.size() <= 1) {
      set_of_[component] = parts.empty() ? 0 : parts[0];
      return;
    }
    for (const u32 part : parts)
      own.insert(own.end(), sets_[part].begin(), sets_[part].end());
    make_unique(own);
    set_of_[component] = static_cast<u32>(sets_.size());
    sets_.push_back(own);
  });
}

} // namespace culink::check
