// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resources that a kernel needs for all functions that it reaches:
//
//   constants   the compiler's constants of each function, in the kernel's own bank 2, at the
//               offset that the function's code uses
//   shared      space for each shared variable, without overlaps; dynamic memory, if any of the
//               functions uses it, where static memory ends
//   images      a slot after the parameters for each image, and a relocation that fills it
//
// Offsets come from place.cc. Each function with such resources is checked once per kernel.
#include <algorithm>
#include <map>

#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

using elf::SectionRole;

namespace {

class KernelChecker {
public:
  KernelChecker(Link &link, Report &report) : l_(link), report_(report) {}

  void run() {
    find_banks();
    find_placed_shared();
    mark_users();
    find_most_shared();
    const ReachedSets reached(l_.calls, marked_);
    for (u32 node = 0; node < l_.calls.functions(); ++node) {
      if (l_.code_of_node[node] == kNone || !l_.function(node).kernel())
        continue;
      const CodePlace &kernel = l_.code[l_.code_of_node[node]];
      // A kernel that is kept but is not a root needs only the resources that it refers to itself.
      const std::vector<u32> own(marked_[node] ? 1 : 0, node);
      const std::vector<u32> &users = l_.live.root[node] ? reached.of(node) : own;
      check_constants(kernel, users);
      if (l_.mercury) // offsets are checked in the machine code
        continue;
      check_shared(kernel, users);
      if (l_.live.root[node])
        check_images(kernel, users);
    }
    if (!l_.mercury)
      check_shared_symbols();
  }

private:
  // Finds the compiler's bank of each code section.
  void find_banks() {
    std::map<std::pair<u32, u32>, u32> banks; // by object and code section
    for (u32 i = 0; i < l_.program.objects.size(); ++i) {
      const Object &object = l_.program.objects[i];
      for (u32 s = 1; s < object.kinds.size(); ++s)
        if (const elf::SectionKind &kind = object.kinds[s]; !kind.mercury && kind.is_constant() &&
                                                            kind.bank == l_.arch.banks.compiler &&
                                                            object.code_of[s] != 0)
          banks[{i, object.code_of[s]}] = s;
    }
    for (const CodePlace &code : l_.code) {
      const auto bank = banks.find({code.object, code.section});
      bank_of_code_.push_back(bank == banks.end() ? 0 : bank->second);
    }
  }

  // Finds shared memory whose variables the compiler of a whole program has placed: a section
  // without symbols (Q117). Dynamic memory in an object of nvlink -r is skipped: its section is as
  // large as its alignment, or a symbol defines dynamic memory.
  void find_placed_shared() {
    const auto defines_dynamic = [](const elf::Symbol &symbol) {
      return in_shared_memory(symbol.other) && symbol.in_section() && symbol.size == 0;
    };
    for (u32 i = 0; i < l_.program.objects.size(); ++i) {
      const Object &object = l_.program.objects[i];
      const bool whole = object.view.header().type == elf::FileType::WholeProgram;
      std::map<std::pair<u32, u32>, u64> found;
      for (const elf::Section &section : object.view.sections())
        if (const elf::SectionKind &kind = object.kinds[section.index];
            !kind.mercury && kind.role == SectionRole::Shared &&
            object.named_end[section.index] == 0 && section.size > (whole ? 0 : section.align))
          found[{i, object.code_of[section.index]}] = section.size;
      if (!found.empty() && (whole || std::ranges::none_of(object.symbols, defines_dynamic)))
        placed_shared_.merge(found);
    }
  }

  void mark_users() {
    marked_.assign(l_.calls.functions(), false);
    for (u32 i = 0; i < l_.code.size(); ++i) {
      const u32 node = l_.calls.node_of[l_.code[i].entity];
      marked_[node] =
          bank_of_code_[i] != 0 || !l_.shared_uses[node].empty() || !l_.image_uses[node].empty();
    }
  }

  void check_constants(const CodePlace &kernel, const std::vector<u32> &users) {
    const u32 out = l_.owned(kernel.out, SectionRole::Constant, l_.arch.banks.compiler);
    std::vector<KeptEntry> kept;
    OffsetRanges covered;   // constants of definitions that do not prevail may follow (Q040)
    bool somewhere = false; // there are relocations at an unknown place
    for (const u32 user : users) {
      const u32 position = l_.code_of_node[user];
      if (position == kNone || bank_of_code_[position] == 0)
        continue;
      const CodePlace &code = l_.code[position];
      const Object &object = l_.program.objects[code.object];
      const elf::Section &bank = object.section(bank_of_code_[position]);
      const std::vector<u64> &bases = l_.constants_base[code.object];
      const u64 base = bases.empty() ? kUnknown : bases[bank.index];
      if (out != 0)
        l_.claimed[out] = true;
      if (base == kUnknown || bank.size == 0) { // no code refers to the constants
        somewhere = somewhere || object.first_table[bank.index] != 0;
        continue;
      }
      const std::string_view name = l_.program.entities[code.entity].name;
      if (out == 0) {
        report(FindingKind::Missing, kernel, bank.name, 0,
               "constants of " + std::string(name) + " in a bank of the kernel", "no bank");
        continue;
      }
      const elf::Section &section = l_.out.section(out);
      if (base % std::max<u64>(bank.align, 1) != 0 || section.align < bank.align)
        report(FindingKind::Alignment, kernel, section.name, base,
               "constants of " + std::string(name) + " aligned to " + hex(bank.align),
               hex(base) + " in a bank of alignment " + hex(section.align));
      const u64 end = std::min(object.named_end[bank.index], bank.size);
      covered.emplace_back(base, base + end);
      const std::vector<u8> restored =
          code.moved ? restore_tables(l_, code, bank.index, out, base) : std::vector<u8>{};
      check_block(l_,
                  {.object = code.object,
                   .section = bank.index,
                   .out = out,
                   .base = base,
                   .end = end,
                   .name = name,
                   .restored = restored},
                  kept, report_);
    }
    if (out != 0 && !somewhere)
      check_kept(l_, out, std::move(kept), report_, &covered);
  }

  void check_shared(const CodePlace &kernel, const std::vector<u32> &users) {
    std::vector<u32> variables;
    for (const u32 user : users)
      for (const u32 id : l_.shared_uses[user])
        if (l_.shared_offset[id] != kUnknown)
          variables.push_back(id);
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    std::stable_sort(variables.begin(), variables.end(),
                     [this](u32 a, u32 b) { return l_.shared_offset[a] < l_.shared_offset[b]; });
    const u32 section = l_.owned(kernel.out, SectionRole::Shared);
    if (section != 0 && l_.out.section(section).size != 0 &&
        l_.out.section(section).size < l_.arch.reserved_shared)
      report(FindingKind::Memory, kernel, l_.out.section(section).name, 0,
             "at least the reserved " + hex(l_.arch.reserved_shared),
             hex(l_.out.section(section).size));
    const u64 room = room_for_shared(section);
    check_static(kernel, variables, room);
    const auto placed = placed_shared_.find({kernel.object, kernel.section});
    u64 static_end = placed == placed_shared_.end() ? 0 : placed->second;
    if (room < static_end)
      report(FindingKind::Memory, kernel, ".nv.shared", 0, "at least " + hex(static_end),
             hex(room));
    for (const u32 id : variables)
      static_end = std::max(static_end, l_.shared_offset[id] + l_.program.entities[id].size);
    const u64 end = check_dynamic(kernel, users, static_end, room, section != 0);
    u64 align = 1;
    for (const u32 id : variables)
      align = std::max(align, l_.program.definition(l_.program.entities[id]).value);
    for (const u32 user : users)
      for (const u32 id : l_.shared_uses[user])
        align = std::max(align, l_.program.entities[id].dynamic_align);
    const bool certain = l_.exact && l_.live.root[l_.calls.node_of[kernel.entity]];
    // The sum is rounded up for dynamic memory of a function that the linker treats as a callee
    // (Q026).
    if (const u64 most = align_up((certain ? end : std::max(most_shared_, end)) + room_of_unused_,
                                  std::max(align, most_align_));
        room > most)
      report(FindingKind::Memory, kernel, l_.out.section(section).name, 0, "at most " + hex(most),
             hex(room));
    if (section != 0 && l_.out.section(section).align < align)
      report(FindingKind::Alignment, kernel, l_.out.section(section).name, 0,
             "alignment " + hex(align), hex(l_.out.section(section).align));
  }

  void check_static(const CodePlace &kernel, const std::vector<u32> &variables, u64 room) {
    const Entity *before = nullptr;
    u64 before_end = 0;
    for (const u32 id : variables) {
      const Entity &variable = l_.program.entities[id];
      const u64 offset = l_.shared_offset[id];
      const u64 align = std::max<u64>(l_.program.definition(variable).value, 1);
      const std::string name(variable.name);
      if (offset % align != 0)
        report(FindingKind::Alignment, kernel, ".nv.shared", offset,
               name + " aligned to " + hex(align), hex(offset));
      if (variable.size > room || offset > room - variable.size)
        report(FindingKind::Memory, kernel, ".nv.shared", offset,
               name + " to end inside " + hex(room) + " bytes", hex(offset + variable.size));
      if (before && offset < before_end)
        report(FindingKind::Overlap, kernel, ".nv.shared", offset,
               name + " behind " + std::string(before->name) + ", which ends at " + hex(before_end),
               hex(offset));
      if (!before || offset + variable.size > before_end) {
        before = &variable;
        before_end = offset + variable.size;
      }
    }
  }

  // Dynamic memory begins after all static memory and inside the section, whose size the launch
  // adds its own to; the section may end later, at its alignment. Returns the begin of dynamic
  // memory, or `static_end` if there is none.
  u64 check_dynamic(const CodePlace &kernel, const std::vector<u32> &users, u64 static_end,
                    u64 room, bool has_section) {
    u64 end = static_end;
    for (const u32 user : users) {
      const u64 start = l_.dynamic_start[user];
      if (start == kUnknown)
        continue;
      const std::string name(l_.function(user).name);
      if (start < static_end || start > room || (!has_section && start != 0))
        report(FindingKind::Memory, kernel, ".nv.shared", start,
               "dynamic memory of " + name + " between " + hex(static_end) +
                   ", where static memory ends, and " + hex(room),
               hex(start));
      u64 align = 16;
      for (const u32 id : l_.shared_uses[user])
        align = std::max(align, l_.program.entities[id].dynamic_align);
      if (start % align != 0)
        report(FindingKind::Alignment, kernel, ".nv.shared", start,
               "dynamic memory aligned to " + hex(align), hex(start));
      end = std::max(end, start);
    }
    return end;
  }

  // Computes the maximum for any kernel: a linker may include calls of overridden definitions and
  // of kernels that are not selected (Q026). Variables whose offset no field shows may be anywhere.
  void find_most_shared() {
    for (u32 id = 0; id < l_.program.entities.size(); ++id) {
      const Entity &entity = l_.program.entities[id];
      if (entity.function() || !in_shared_memory(entity.other))
        continue;
      most_align_ = std::max(most_align_, entity.dynamic_align);
      if (!entity.defined())
        continue;
      const u64 own_align = std::max<u64>(l_.program.definition(entity).value, 1);
      most_align_ = std::max(most_align_, own_align);
      if (l_.shared_offset[id] == kUnknown)
        room_of_unused_ += entity.size + own_align;
      else
        most_shared_ = std::max(most_shared_, l_.shared_offset[id] + entity.size);
    }
    for (const u64 start : l_.dynamic_start)
      if (start != kUnknown)
        most_shared_ = std::max(most_shared_, start);
  }

  void check_images(const CodePlace &kernel, const std::vector<u32> &users) {
    const u32 bank = l_.owned(kernel.out, SectionRole::Constant, l_.arch.banks.parameters);
    std::vector<u32> images;
    for (const u32 user : users)
      images.insert(images.end(), l_.image_uses[user].begin(), l_.image_uses[user].end());
    if (bank == 0 || (images.empty() && l_.out.first_table[bank] == 0))
      return;
    u64 parameters = 0;
    const Object &object = l_.program.objects[kernel.object];
    for (const elf::Section &section : object.view.sections())
      if (object.code_of[section.index] == kernel.section &&
          object.kinds[section.index].is_constant() &&
          object.kinds[section.index].bank == l_.arch.banks.parameters)
        parameters = section.size;
    std::vector<KeptEntry> entries;
    l_.out.each_relocation(bank, [&entries](const elf::Relocation &entry, bool) {
      entries.push_back({entry.offset, entry.addend, entry.type, entry.symbol});
    });
    std::sort(entries.begin(), entries.end(), [](const KeptEntry &a, const KeptEntry &b) {
      return std::tie(a.offset, a.symbol) < std::tie(b.offset, b.symbol);
    });
    check_slots(kernel, entries, parameters, l_.out.section(bank).size);
    for (const u32 id : images) {
      if (l_.slot_of[id] == kUnknown)
        continue;
      const Entity &image = l_.program.entities[id];
      const bool filled = std::any_of(entries.begin(), entries.end(), [&](const KeptEntry &entry) {
        return entry.symbol == image.out && entry.offset == l_.slot_of[id];
      });
      if (!filled)
        report(FindingKind::Relocation, kernel, l_.out.section(bank).name, l_.slot_of[id],
               "the index of " + std::string(image.name) + " in its slot", "none");
    }
  }

  // Each entry must fill a slot of four bytes after the parameters, and each image must have a slot
  // of its own.
  void check_slots(const CodePlace &kernel, const std::vector<KeptEntry> &entries, u64 parameters,
                   u64 end) {
    const auto number = [](arch::ImageKind kind) {
      return arch::image_slot_reloc(kind, arch::Plane::Sass).number;
    };
    for (size_t i = 0; i < entries.size(); ++i) {
      const KeptEntry &entry = entries[i];
      const elf::Symbol &symbol = l_.out.symbols[entry.symbol];
      const bool sampler = symbol.type() == elf::SymbolType::CudaSampler;
      const bool right = symbol.type() == elf::SymbolType::CudaTexture
                             ? entry.type == number(arch::ImageKind::Texture)
                         : sampler ? entry.type == number(arch::ImageKind::Sampler) ||
                                         entry.type == arch::find_reloc(0x1000c)->sass.data
                                   : symbol.type() == elf::SymbolType::CudaSurface &&
                                         entry.type == number(arch::ImageKind::Surface);
      const bool inside = entry.offset % 4 == 0 && entry.offset >= parameters &&
                          entry.offset + 4 <= end && entry.addend == 0;
      const bool apart = i == 0 || entries[i - 1].offset + 4 <= entry.offset;
      if (!right || !inside || !apart)
        report(FindingKind::Relocation, kernel, ".nv.constant0", entry.offset,
               "an image's index in a slot of its own behind the parameters",
               "number " + std::to_string(entry.type) + " against " + std::string(symbol.name));
    }
  }

  // Symbols must have the addresses that debuggers see, after the reserved area.
  void check_shared_symbols() {
    for (u32 id = 0; id < l_.program.entities.size(); ++id) {
      const Entity &entity = l_.program.entities[id];
      if (entity.function() || entity.out == 0 || l_.shared_offset[id] == kUnknown)
        continue;
      const elf::Symbol &symbol = l_.out.symbols[entity.out];
      const u64 expected = l_.shared_offset[id] + l_.arch.reserved_shared;
      if (symbol.in_section() && symbol.value != expected)
        report_.add(FindingKind::Symbol, entity.name, l_.out.section(symbol.section).name,
                    symbol.value, hex(expected), hex(symbol.value));
    }
  }

  void report(FindingKind kind, const CodePlace &kernel, std::string_view section, u64 offset,
              std::string expected, std::string found) {
    report_.add(kind, l_.program.entities[kernel.entity].name, section, offset, std::move(expected),
                std::move(found));
  }
  [[nodiscard]] u64 room_for_shared(u32 section) const {
    const u64 size = section == 0 ? 0 : l_.out.section(section).size;
    return size - std::min<u64>(size, l_.arch.reserved_shared);
  }

  Link &l_;
  Report &report_;
  std::vector<u32> bank_of_code_; // by position in l_.code: section of the input, or 0
  std::map<std::pair<u32, u32>, u64> placed_shared_; // bytes, by object and code section
  std::vector<bool> marked_; // by function node: has constants, shared variables or images
  u64 room_of_unused_ = 0, most_shared_ = 0; // in shared memory
  u64 most_align_ = 1;                       // of shared variables
};

} // namespace

void check_kernels(Link &link, Report &report) {
  if (link.executable)
    KernelChecker(link, report).run();
}

} // namespace culink::check
