// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of ELF and of NVIDIA's device ELF that the code uses. Enums have a fixed underlying
// type, so they can hold values without a name. Part of the installed API.
#pragma once

#include "culink/types.h"

namespace culink::elf {

inline constexpr u8 kElfMagic[4] = {0x7f, 'E', 'L', 'F'};

// Positions in e_ident.
inline constexpr u32 kIdentClass = 4;
inline constexpr u32 kIdentData = 5;
inline constexpr u32 kIdentVersion = 6;
inline constexpr u32 kIdentOsAbi = 7;
inline constexpr u32 kIdentAbiVersion = 8;

enum class ElfClass : u8 { Elf32 = 1, Elf64 = 2 };
inline constexpr u8 kDataLittleEndian = 1;
inline constexpr u8 kDataBigEndian = 2;

inline constexpr u8 kOsAbiCuda = 0x41;    // toolkits 12.9 and later, ABI version 8
inline constexpr u8 kOsAbiCudaOld = 0x33; // before, ABI version 7 and lower
inline constexpr u16 kMachineCuda = 190;

enum class FileType : u16 {
  None = 0,
  Relocatable = 1,
  Executable = 2,
  Shared = 3,
  Core = 4,
  WholeProgram = 0xff00, // a relocatable object of `nvcc -ewp`
};

enum class SectionType : u32 {
  Null = 0,
  Progbits = 1,
  Symtab = 2,
  Strtab = 3,
  Rela = 4,
  Note = 7,
  Nobits = 8,
  Rel = 9,
  SymtabShndx = 18,
  CudaInfo = 0x70000000,
  CudaCallgraph = 0x70000001,
  CudaPrototype = 0x70000002,
  CudaResolvedRela = 0x70000003,
  CudaMetadata = 0x70000004,
  CudaConstant = 0x70000006,
  CudaGlobal = 0x70000007,
  CudaGlobalInit = 0x70000008,
  CudaLocal = 0x70000009,
  CudaShared = 0x7000000a,
  CudaRelocInfo = 0x7000000b,
  CudaMercury = 0x7000000c,
  CudaMercurySassMap = 0x7000000d,
  CudaUft = 0x7000000e,
  CudaUidx = 0x70000010,
  CudaUftEntry = 0x70000011,
  CudaUdt = 0x70000012,
  CudaUdtEntry = 0x70000014,
  CudaReservedShared = 0x70000015,
  CudaCapmerc = 0x70000016,
  CudaConstantB0 = 0x70000064, // bank N is CudaConstantB0 + N, N up to 17
  CudaConstantB17 = 0x70000075,
  MercuryConstantParams = 0x70000078,
  MercuryConstantImgHdr = 0x70000079,
  MercuryConstantDriver = 0x7000007a,
  MercuryConstantOpt = 0x7000007b,
  MercuryConstantUser = 0x7000007c,
  MercuryConstantPic = 0x7000007d,
  MercuryConstantTools = 0x7000007e,
  MercuryRela = 0x70000082,
  MercuryInfo = 0x70000083,
  MercuryConstantOpt2 = 0x70000084,
  MercurySymtab = 0x70000085,
  CudaCompat = 0x70000086,
  CudaHost = 0x70000087,
  MercuryResolvedRela = 0x70000088,
  MercuryCallgraph = 0x7000008a, // since 13.4
  MercuryPrototype = 0x7000008b,
};

inline constexpr u64 kFlagWrite = 0x1;
inline constexpr u64 kFlagAlloc = 0x2;
inline constexpr u64 kFlagExec = 0x4;
inline constexpr u64 kFlagInfoLink = 0x40;
inline constexpr u64 kFlagCuinfoNote = 0x1000000;
inline constexpr u64 kFlagTkinfoNote = 0x2000000;
inline constexpr u64 kFlagMercury = 0x10000000;

// Section indices with a meaning of their own.
inline constexpr u32 kSectionUndefined = 0;
inline constexpr u32 kSectionLoReserve = 0xff00;
inline constexpr u32 kSectionAbsolute = 0xfff1;
inline constexpr u32 kSectionCommon = 0xfff2;
inline constexpr u32 kSectionXindex = 0xffff;

enum class SymbolBinding : u8 { Local = 0, Global = 1, Weak = 2 };

enum class SymbolType : u8 {
  NoType = 0,
  Object = 1,
  Function = 2,
  Section = 3,
  File = 4,
  Common = 5,
  CudaTexture = 10,
  CudaSampler = 11,
  CudaSurface = 12,
  CudaObject = 13, // data in an object file; its memory space is in st_other
};

// Bits of st_other. The low two are ELF's visibility.
inline constexpr u8 kOtherVisibilityMask = 0x03;
inline constexpr u8 kOtherManaged = 0x04; // of a variable
inline constexpr u8 kOtherUnified = 0x04; // of a function
inline constexpr u8 kOtherKernel = 0x10;
inline constexpr u8 kOtherGlobal = 0x20;
inline constexpr u8 kOtherShared = 0x40;
inline constexpr u8 kOtherConstant = 0x80;

enum class SegmentType : u32 { Null = 0, Load = 1, Note = 4, Phdr = 6 };
inline constexpr u32 kSegmentExec = 1;
inline constexpr u32 kSegmentWrite = 2;
inline constexpr u32 kSegmentRead = 4;

// Types with a size but no bytes in the file.
[[nodiscard]] constexpr bool has_no_file_data(SectionType type) {
  return type == SectionType::Null || type == SectionType::Nobits ||
         type == SectionType::CudaGlobal || type == SectionType::CudaLocal ||
         type == SectionType::CudaShared || type == SectionType::CudaReservedShared;
}

[[nodiscard]] constexpr bool is_symbol_table(SectionType type) {
  return type == SectionType::Symtab || type == SectionType::MercurySymtab;
}

// Tables of relocations with explicit addends.
[[nodiscard]] constexpr bool is_rela(SectionType type) {
  return type == SectionType::Rela || type == SectionType::CudaResolvedRela ||
         type == SectionType::MercuryRela || type == SectionType::MercuryResolvedRela;
}

[[nodiscard]] constexpr bool is_relocation_table(SectionType type) {
  return type == SectionType::Rel || is_rela(type);
}

} // namespace culink::elf
