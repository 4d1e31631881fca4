// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ELF structures as stored in files, little-endian, classes 64 and 32. Access them with load_le
// and store_le only: a member of an archive is not aligned.
#pragma once

#include "support/types.h"

namespace culink::elf::wire {

struct Ehdr64 {
  u8 e_ident[16];
  u16 e_type;
  u16 e_machine;
  u32 e_version;
  u64 e_entry;
  u64 e_phoff;
  u64 e_shoff;
  u32 e_flags;
  u16 e_ehsize;
  u16 e_phentsize;
  u16 e_phnum;
  u16 e_shentsize;
  u16 e_shnum;
  u16 e_shstrndx;
};
static_assert(sizeof(Ehdr64) == 64);

struct Ehdr32 {
  u8 e_ident[16];
  u16 e_type;
  u16 e_machine;
  u32 e_version;
  u32 e_entry;
  u32 e_phoff;
  u32 e_shoff;
  u32 e_flags;
  u16 e_ehsize;
  u16 e_phentsize;
  u16 e_phnum;
  u16 e_shentsize;
  u16 e_shnum;
  u16 e_shstrndx;
};
static_assert(sizeof(Ehdr32) == 52);

struct Shdr64 {
  u32 sh_name;
  u32 sh_type;
  u64 sh_flags;
  u64 sh_addr;
  u64 sh_offset;
  u64 sh_size;
  u32 sh_link;
  u32 sh_info;
  u64 sh_addralign;
  u64 sh_entsize;
};
static_assert(sizeof(Shdr64) == 64);

struct Shdr32 {
  u32 sh_name;
  u32 sh_type;
  u32 sh_flags;
  u32 sh_addr;
  u32 sh_offset;
  u32 sh_size;
  u32 sh_link;
  u32 sh_info;
  u32 sh_addralign;
  u32 sh_entsize;
};
static_assert(sizeof(Shdr32) == 40);

struct Sym64 {
  u32 st_name;
  u8 st_info;
  u8 st_other;
  u16 st_shndx;
  u64 st_value;
  u64 st_size;
};
static_assert(sizeof(Sym64) == 24);

struct Sym32 {
  u32 st_name;
  u32 st_value;
  u32 st_size;
  u8 st_info;
  u8 st_other;
  u16 st_shndx;
};
static_assert(sizeof(Sym32) == 16);

struct Rel64 {
  u64 r_offset;
  u64 r_info; // symbol << 32 | type
};
static_assert(sizeof(Rel64) == 16);

struct Rela64 {
  u64 r_offset;
  u64 r_info;
  i64 r_addend;
};
static_assert(sizeof(Rela64) == 24);

struct Rel32 {
  u32 r_offset;
  u32 r_info; // symbol << 8 | type
};
static_assert(sizeof(Rel32) == 8);

struct Rela32 {
  u32 r_offset;
  u32 r_info;
  i32 r_addend;
};
static_assert(sizeof(Rela32) == 12);

struct Phdr64 {
  u32 p_type;
  u32 p_flags;
  u64 p_offset;
  u64 p_vaddr;
  u64 p_paddr;
  u64 p_filesz;
  u64 p_memsz;
  u64 p_align;
};
static_assert(sizeof(Phdr64) == 56);

struct Phdr32 {
  u32 p_type;
  u32 p_offset;
  u32 p_vaddr;
  u32 p_paddr;
  u32 p_filesz;
  u32 p_memsz;
  u32 p_flags;
  u32 p_align;
};
static_assert(sizeof(Phdr32) == 32);

struct Nhdr {
  u32 n_namesz;
  u32 n_descsz;
  u32 n_type;
};
static_assert(sizeof(Nhdr) == 12);

} // namespace culink::elf::wire
