// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cubin from raw machine code, as the back end of a compiler would write it: one kernel for
// sm_90,
//
//   extern "C" __global__ void answer(int *out) { out[threadIdx.x] = 42 + threadIdx.x; }
//
// with the records a driver needs to launch it. `write_cubin answer.cubin` writes the file; any
// program can load it with cuModuleLoad and launch "answer".
#include <array>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include "culink/elf_writer.h"

using namespace culink;
using namespace culink::elf;

namespace {

// 128-bit instructions as pairs of 64-bit words.
constexpr std::array<u64, 20> kCode = {
    0x00000a00ff017b82, 0x000fe20000000800, // LDC R1, c[0x0][0x28]      stack pointer
    0x0000000000057919, 0x000e2e0000002100, // S2R R5, SR_TID.X
    0x00008400ff027b82, 0x000e220000000a00, // LDC.64 R2, c[0x0][0x210]  parameter `out`
    0x0000820000047ab9, 0x000fe20000000a00, // ULDC.64 UR4, c[0x0][0x208]
    0x0000000405027825, 0x041fe200078e0002, // IMAD.WIDE.U32 R2, R5, 0x4, R2
    0x0000002a05057810, 0x000fca0007ffe0ff, // IADD3 R5, R5, 0x2a, RZ
    0x0000000502007986, 0x000fe2000c101904, // STG.E desc[UR4][R2.64], R5
    0x000000000000794d, 0x000fea0003800000, // EXIT                      at 0x70
    0xfffffffc00fc7947, 0x000fc0000383ffff, // BRA .
    0x0000000000007918, 0x000fc00000000000, // NOP
};
constexpr u32 kExitOffset = 0x70;
constexpr u32 kRegisters = 8;
constexpr u32 kParameterStart = 0x210; // where sm_90 kernels find their parameters in bank 0
constexpr u32 kParameterSize = 8;

void append_words(ElfWriter &elf, SectionId section, std::initializer_list<u32> words) {
  elf.append_copy(section, {reinterpret_cast<const u8 *>(words.begin()), words.size() * 4});
}

// Header word of an .nv.info record: format 4 has `size` bytes behind it, format 3 is a value.
constexpr u32 sized(u32 attribute, u32 size) {
  return 4 | attribute << 8 | size << 16;
}
constexpr u32 value(u32 attribute, u32 number) {
  return 3 | attribute << 8 | number << 16;
}

// A record (symbol, number). The symbol's number is filled in when the file is laid out.
void append_symbol_record(ElfWriter &elf, SectionId info, u32 attribute, SymbolId symbol,
                          u32 number) {
  append_words(elf, info, {sized(attribute, 8), 0, number});
  elf.store_symbol_number(info, elf.size(info) - 8, symbol);
}

// Which tool made the file, for which architecture and toolkit, and what the code needs from the
// machine: no feature of sm_90a (attribute 9), the usual classes.
void add_identity(ElfWriter &elf) {
  const SectionId cuinfo = elf.add_notes(
      {.virtual_sm = 90, .toolkit = 130, .tool = "write_cubin", .tool_version = "example"});
  const SectionId compat =
      elf.add_section({.name = ".nv.compat", .type = SectionType::CudaCompat, .align = 4});
  append_words(elf, compat,
               {2 | 9 << 8, 2 | 2 << 8 | 1 << 16, 2 | 5 << 8 | 5 << 16, 3 | 7 << 8 | 0x101 << 16,
                2 | 3 << 8, 2 | 6 << 8 | 1 << 16});
  elf.set_flags(cuinfo, kFlagCuinfoNote | kFlagInfoLink);
  elf.set_info(cuinfo, compat);
}

Result<std::vector<u8>> build() {
  ElfWriter elf({.type = FileType::Executable, .flags = 90 << 8 | kCodeKindSass});
  add_identity(elf);
  const SectionId info = elf.add_section(
      {.name = ".nv.info", .type = SectionType::CudaInfo, .align = 4, .link = elf.symtab()});

  const SectionId text = elf.add_section({.name = ".text.answer",
                                          .flags = kFlagAlloc | kFlagExec,
                                          .align = 128,
                                          .link = elf.symtab()});
  elf.append(text, {reinterpret_cast<const u8 *>(kCode.data()), sizeof(kCode)});
  elf.add_section_symbol(text);
  const SymbolId kernel = elf.add_symbol({.name = "answer",
                                          .binding = SymbolBinding::Global,
                                          .type = SymbolType::Function,
                                          .other = kOtherKernel,
                                          .section = text,
                                          .size = sizeof(kCode)});
  elf.set_info(text, kernel);

  const SectionId parameters = elf.add_section({.name = ".nv.constant0.answer",
                                                .flags = kFlagAlloc | kFlagInfoLink,
                                                .align = 4,
                                                .info = text});
  elf.append_zeros(parameters, kParameterStart + kParameterSize);
  const SymbolId parameter_bank = elf.add_section_symbol(parameters);

  append_symbol_record(elf, info, 0x2f, kernel, kRegisters); // REGCOUNT
  append_symbol_record(elf, info, 0x11, kernel, 0);          // FRAME_SIZE
  append_symbol_record(elf, info, 0x12, kernel, 0);          // MIN_STACK_SIZE

  const SectionId kernel_info = elf.add_section({.name = ".nv.info.answer",
                                                 .type = SectionType::CudaInfo,
                                                 .flags = kFlagInfoLink,
                                                 .align = 4,
                                                 .link = elf.symtab(),
                                                 .info = text});
  append_words(elf, kernel_info, {sized(0x37, 4), 130});             // CUDA_API_VERSION
  append_words(elf, kernel_info, {sized(0x17, 12), 0, 0, 0x21f000}); // KPARAM_INFO: 8 bytes at 0
  append_words(elf, kernel_info, {value(0x1b, 0xff)});               // MAXREG_COUNT
  append_words(elf, kernel_info, {sized(0x1c, 4), kExitOffset});     // EXIT_INSTR_OFFSETS
  append_words(elf, kernel_info, {value(0x19, kParameterSize)});     // CBANK_PARAM_SIZE
  append_symbol_record(elf, kernel_info, 0x0a, parameter_bank,       // PARAM_CBANK
                       kParameterStart | kParameterSize << 16);
  return elf.finish();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_cubin FILE\n");
    return 2;
  }
  const Result<std::vector<u8>> file = build();
  if (!file) {
    std::fprintf(stderr, "write_cubin: %s\n", file.error().text().c_str());
    return 1;
  }
  std::FILE *out = std::fopen(argv[1], "wb");
  const bool written = out && std::fwrite(file->data(), 1, file->size(), out) == file->size();
  if (!out || std::fclose(out) != 0 || !written) {
    std::perror(argv[1]);
    return 1;
  }
  return 0;
}
