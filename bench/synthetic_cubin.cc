// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large cubins for measurements, made in a moment with the ELF writer instead of with an hour of
// compilation. The contents are plausible and cheap: every kernel runs the same no-operations.
#include "synthetic_cubin.h"

#include <fmt/format.h>

#include "culink/elf_writer.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/target/arch.h"
#include "support/bytes.h"

namespace culink::bench {

using namespace elf;

namespace {

constexpr u64 kParameterBank = 0x210 + 8;
constexpr u32 kCallTarget = 75; // R_CUDA_ABS55_16_34

void add_register_count(ElfWriter &elf, SectionId info, SymbolId kernel) {
  std::vector<u8> record;
  const std::vector<u8> payload = encode_payload(InfoSymbolWord{0, 24});
  append_record(record, InfoRecord{RecordFormat::Sized, InfoAttribute::Regcount, 0, payload, 0});
  const u64 at = elf.append_copy(info, record);
  elf.store_symbol_number(info, at + kRecordHeaderSize, kernel);
}

// A kernel and the four sections that describe it.
void add_kernel(ElfWriter &elf, SectionId module_info, const std::string &name, ByteSpan code) {
  const std::string text_name = ".text." + name, info_name = ".nv.info." + name,
                    bank_name = ".nv.constant0." + name;
  const SectionId text = elf.add_section(
      {.name = text_name, .flags = kFlagAlloc | kFlagExec, .align = 128, .link = elf.symtab()});
  elf.append(text, code);
  const SymbolId symbol = elf.add_symbol({.name = name,
                                          .type = SymbolType::Function,
                                          .other = kOtherKernel,
                                          .section = text,
                                          .size = code.size()});
  elf.set_info(text, symbol);
  elf.add_section_symbol(text);
  const SectionId info = elf.add_section({.name = info_name,
                                          .type = SectionType::CudaInfo,
                                          .flags = kFlagInfoLink,
                                          .align = 4,
                                          .link = elf.symtab(),
                                          .info = text});
  std::vector<u8> records;
  append_record(records, InfoRecord{RecordFormat::Half, InfoAttribute::CbankParamSize, 8, {}, 0});
  append_record(records, InfoRecord{RecordFormat::Half, InfoAttribute::MaxregCount, 255, {}, 0});
  elf.append_copy(info, records);
  const SectionId bank = elf.add_section({.name = bank_name,
                                          .type = SectionType::CudaConstantB0,
                                          .flags = kFlagAlloc | kFlagInfoLink,
                                          .align = 4,
                                          .info = text});
  elf.append_zeros(bank, kParameterBank);
  const SectionId relocations = elf.add_relocation_section(text, true);
  elf.add_relocation(relocations, {.offset = 0, .type = kCallTarget, .symbol = symbol});
  add_register_count(elf, module_info, symbol);
}

} // namespace

Result<std::vector<u8>> synthetic_cubin(u32 functions, u64 code_bytes) {
  std::vector<u8> code(align_up(code_bytes, 128));
  for (u64 i = 0; i < code.size(); ++i)
    code[i] = arch::kNop[i % arch::kNop.size()];

  ElfWriter elf({.flags = 90 << 8 | kCodeKindSass});
  elf.add_notes({.virtual_sm = 90, .tool = "culink bench"});
  const SectionId info = elf.add_section(
      {.name = ".nv.info", .type = SectionType::CudaInfo, .align = 4, .link = elf.symtab()});
  for (u32 i = 0; i < functions; ++i)
    add_kernel(elf, info, fmt::format("_Z11kernel_{:05}Pf", i), code);
  const SectionId calls = elf.add_section({.name = ".nv.callgraph",
                                           .type = SectionType::CudaCallgraph,
                                           .align = 4,
                                           .entsize = 8,
                                           .link = elf.symtab()});
  CallGraph graph;
  for (const CallPart part : {CallPart::Calls, CallPart::AddressTaken, CallPart::IndirectCalls,
                              CallPart::IndirectTargets})
    graph.groups.push_back({part, {}, 0});
  elf.append_copy(calls, encode_call_graph(graph));
  return elf.finish();
}

} // namespace culink::bench
