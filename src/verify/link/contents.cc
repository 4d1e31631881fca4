// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of the output, block by block. A code section is one block; a data section has one
// of each input, and its table of relocations is compared when all are known. Sections are
// independent of each other, so several threads take them; findings are joined in order.
#include "verify/link/contents.h"

#include <algorithm>

#include "support/bytes.h"

namespace culink::check {

namespace {

void check_code_header(const Link &link, const CodePlace &code, Report &report) {
  const Object &in = link.program.objects[code.object];
  const elf::Section &from = in.section(code.section), &to = link.out.section(code.out);
  const auto differ = [&](std::string expected, std::string found) {
    report.add({FindingKind::Symbol, std::string(link.program.entities[code.entity].name),
                std::string(to.name), 0, std::move(expected), std::move(found)});
  };
  if (from.size != to.size && !code.moved && !link.mercury) // capsules are compared as a whole
    differ(hex(from.size) + " bytes of code", hex(to.size));
  if (to.align < from.align)
    differ("alignment " + hex(from.align), hex(to.align));
  const u32 owner = link.out.owner_symbol(code.out);
  if (owner >= link.out.symbols.size() ||
      link.canonical[owner] != link.canonical[link.program.entities[code.entity].out])
    differ("sh_info of the function", std::to_string(owner));
  if (from.info >> 24 != to.info >> 24)
    differ(std::to_string(from.info >> 24) + " registers in sh_info",
           std::to_string(to.info >> 24));
}

// Code in which instructions have moved: the same relocations, of the same instructions. Those
// against the function itself are places in its code, which have moved, too.
void check_moved_code(const Link &link, const CodePlace &code, std::vector<KeptEntry> expected,
                      Report &report) {
  std::vector<KeptEntry> found = kept_in_output(link, code.out);
  const u32 self = link.canonical[link.program.entities[code.entity].out];
  for (KeptEntry &entry : found) {
    entry.offset = code.restored.origin_of(entry.offset).value_or(kUnknown);
    if (entry.symbol != self)
      continue;
    for (const KeptEntry &one : expected)
      if (one.offset == entry.offset && one.symbol == self && one.type == entry.type &&
          code.restored.place_before(static_cast<u64>(one.addend),
                                     static_cast<u64>(entry.addend)) ==
              static_cast<u64>(one.addend))
        entry.addend = one.addend;
  }
  compare_kept(link, code.out, std::move(expected), std::move(found), report);
}

void check_code(const Link &link, const CodePlace &code, std::vector<KeptEntry> &kept,
                Report &report) {
  check_code_header(link, code, report);
  const u32 node = link.calls.node_of[code.entity];
  kept.clear();
  Block block{.object = code.object,
              .section = code.section,
              .out = code.out,
              .end = link.program.objects[code.object].section(code.section).size,
              .node = node,
              .name = link.program.entities[code.entity].name,
              .live = link.live.reached[node],
              .any_bytes = link.mercury,
              .any_schedule = link.options.finalized,
              .restored = code.restored.code};
  check_block(link, block, kept, report);
  if (code.moved)
    check_moved_code(link, code, kept, report);
  else
    check_kept(link, code.out, kept, report);
}

// The blocks of one data section of the output.
using BlocksOf = std::vector<std::vector<Block>>;

void add_scattered(const Link &link, BlocksOf &blocks) {
  for (const Entity &entity : link.program.entities) {
    if (entity.function() || !entity.defined() || entity.out == 0)
      continue;
    const elf::Symbol &in = link.program.definition(entity);
    const elf::Symbol &out = link.out.symbols[entity.out];
    if (!link.place_of[entity.object][in.section].scattered || !out.in_section())
      continue;
    blocks[out.section].push_back({.object = entity.object,
                                   .section = in.section,
                                   .out = out.section,
                                   .base = out.value - in.value,
                                   .begin = in.value,
                                   .end = in.value + in.size,
                                   .name = entity.name});
  }
}

// By section of the output, the code that a finalizer has changed; kNone elsewhere.
std::vector<u32> list_moved_code(const Link &link) {
  std::vector<u32> out(link.out.view.sections().size(), kNone);
  for (u32 i = 0; i < link.code.size(); ++i)
    if (link.code[i].moved)
      out[link.code[i].out] = i;
  return out;
}

// Relocatable files have the tables of branches of such code beside it (kernels.cc has those of
// executables).
std::vector<u8> restored_tables(const Link &link, const std::vector<u32> &moved,
                                const Block &block) {
  const u32 section = link.program.objects[block.object].code_of[block.section];
  const u32 code = section == 0 ? kNone : moved[link.place_of[block.object][section].section];
  return code == kNone
             ? std::vector<u8>{}
             : restore_tables(link, link.code[code], block.section, block.out, block.base);
}

// Of the compiler's constants only what symbols name is part of the program.
u64 end_of_block(const Link &link, const Object &object, const elf::Section &section) {
  const bool compiler = object.kinds[section.index].is_constant() &&
                        object.kinds[section.index].bank == link.arch.banks.compiler &&
                        object.code_of[section.index] != 0;
  return compiler ? std::min(section.size, object.named_end[section.index]) : section.size;
}

BlocksOf list_data_blocks(const Link &link) {
  BlocksOf blocks(link.out.view.sections().size());
  for (u32 i = 0; i < link.program.objects.size(); ++i) {
    const Object &object = link.program.objects[i];
    for (const elf::Section &section : object.view.sections()) {
      const Place &place = link.place_of[i][section.index];
      if (place.section == 0 || place.scattered || object.kinds[section.index].is_code())
        continue;
      blocks[place.section].push_back({.object = i,
                                       .section = section.index,
                                       .out = place.section,
                                       .base = place.base,
                                       .end = end_of_block(link, object, section),
                                       .name = object.kinds[section.index].owner,
                                       .debug = object.kinds[section.index].is_debug()});
    }
  }
  add_scattered(link, blocks);
  return blocks;
}

} // namespace

void check_contents(Link &link, WorkerPool &pool, Report &report) {
  constexpr u32 kGrain = 32;
  const u32 count = static_cast<u32>(link.code.size());
  const BlocksOf blocks = list_data_blocks(link);
  const std::vector<u32> moved = list_moved_code(link);
  std::vector<u32> data; // sections of the output
  for (u32 s = 0; s < blocks.size(); ++s)
    if (!blocks[s].empty())
      data.push_back(s);
  std::vector<Report> reports(count / kGrain + 1), data_reports(data.size());
  pool.for_ranges(count, kGrain, [&](u32 begin, u32 end) {
    std::vector<KeptEntry> kept;
    for (u32 i = begin; i < end; ++i)
      check_code(link, link.code[i], kept, reports[begin / kGrain]);
  });
  pool.for_each(static_cast<u32>(data.size()), [&](u32 i) {
    std::vector<KeptEntry> kept;
    for (Block block : blocks[data[i]]) {
      const std::vector<u8> restored = restored_tables(link, moved, block);
      block.restored = restored;
      check_block(link, block, kept, data_reports[i]);
    }
    // Relocations of parameter banks fill slots of images, of which no input knows (kernels.cc).
    const bool parameters = link.executable && link.out.kinds[data[i]].is_constant() &&
                            link.out.kinds[data[i]].bank == link.arch.banks.parameters;
    if (!parameters || !kept.empty())
      check_kept(link, data[i], std::move(kept), data_reports[i]);
  });
  for (Report &part : reports)
    report.append(std::move(part));
  for (Report &part : data_reports)
    report.append(std::move(part));
}

} // namespace culink::check
