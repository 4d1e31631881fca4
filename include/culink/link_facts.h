// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/types.h"

namespace culink {

// Bytes in one constant bank.
struct BankFacts {
  u32 bank = 0;
  u64 bytes = 0;
};

// One function of the inputs, linked or not, in order of first reference.
struct FunctionFacts {
  std::string name;           // mangled
  std::string file;           // the input its code is from; empty: provided by the system
  bool kernel = false;        // an entry point
  bool live = false;          // part of the output
  bool address_taken = false; // may be called through pointers
  u32 registers = 0;          // its own, as compiled; 0: not known, or an alias
  u64 code_bytes = 0;
  std::vector<u32> calls;         // positions in LinkFacts::functions, the newest first
  std::vector<u32> pointer_calls; // those that it may call through pointers
};

// The resources of a kernel, including the functions that it calls.
struct KernelFacts {
  u32 function = 0; // position in LinkFacts::functions
  u32 registers = 0;
  u32 barriers = 0;
  u64 stack = 0;
  bool recursive = false; // the stack has no bound, and `stack` is the kernel's own frame
  u64 shared = 0;         // static, and the area that the target reserves
  u64 local = 0;
  std::vector<BankFacts> constants; // its own banks, ascending
  u32 textures = 0;
  u32 samplers = 0;
  u32 surfaces = 0;
};

// A function or variable that is part of the output.
struct SymbolFacts {
  std::string name;    // mangled
  std::string file;    // the input it is from
  std::string section; // of the output
  u64 value = 0;       // in the section
  u64 size = 0;
};

// A definition in an input that is not part of the output.
struct DiscardedFacts {
  std::string name; // mangled
  std::string file;
  u64 size = 0;
  std::string why; // "unused", "copy of a.cubin is linked"
};

// A device function that is not part of the output because it was folded into an identical one.
struct FoldedFacts {
  std::string name; // mangled
  std::string file;
  std::string into; // the other one, mangled
  u64 size = 0;     // of the code
};

// How an input refers to a symbol of LinkOptions::trace_symbols, or to any with all_references.
struct ReferenceFacts {
  std::string name; // mangled
  std::string file;
  std::string what; // "defines it", "refers to it"
};

// Why a function or variable is live, or why a function is not.
enum class LiveReason : u8 {
  None,            // not live: nothing refers to it except perhaps code that is not live
  NotSelected,     // not live: a kernel that LinkOptions::kernels_used does not name
  NoHostReference, // not live: a kernel that host code does not refer to
  Folded,          // not live: folded into the function in the chain (LinkOptions::fold_identical)
  Kernel,          // an entry point
  SelectedKernel,  // an entry point that LinkOptions::kernels_used names
  HostReference,   // an entry point that host code refers to
  DriverFunction,  // the driver knows it by its name
  Call,            // the function before it in the chain calls it
  PointerCall,     // the function before it in the chain may call it through a pointer
  AddressTaken,    // its address is taken, perhaps by code that is not live; keeps no callees
  AddressTaker,    // in chains only: takes the address of the next one; may not be live
  Reference,       // the code or the initial value before it in the chain refers to it
  AllCode,         // no other reason: -g, -r and --preserve-relocs keep all functions
  AllVariables,    // no other reason: variables of the inputs are kept
};

// A function or variable in a chain of reasons.
struct LiveStep {
  LiveReason reason = LiveReason::None;
  std::string name; // mangled; empty: something in the file
  std::string file; // the input it is from; empty: provided by the system
};

// Why a symbol of LinkOptions::why_live is part of the output or not.
struct LivenessFacts {
  std::string asked; // as LinkOptions::why_live names it
  std::string name;  // mangled
  bool live = false;
  LiveReason reason = LiveReason::None;
  // Live: the shortest chain from an entry point, or from what takes an address, to the symbol
  // itself. Not live: the first of the functions that refer to it.
  std::vector<LiveStep> chain;
};

// A section of the output.
struct SectionFacts {
  std::string name;
  u32 type = 0;
  u64 flags = 0;
  u64 offset = 0;
  u64 size = 0;
};

// The data for reports.
struct LinkFacts {
  std::string target;
  bool mercury = false; // the output has Mercury code
  std::vector<FunctionFacts> functions;
  std::vector<KernelFacts> kernels; // in the order in which the inputs define them
  u64 global_bytes = 0;
  std::vector<BankFacts> constants; // of the whole program, ascending
  std::vector<SectionFacts> sections;
  // With LinkOptions::map: in order of first reference.
  std::vector<SymbolFacts> symbols;
  std::vector<DiscardedFacts> discarded;
  // With LinkOptions::fold_identical: in order of first reference.
  std::vector<FoldedFacts> folded;
  // With LinkOptions::trace_symbols or all_references: in the order of the inputs.
  std::vector<ReferenceFacts> references;
  // With LinkOptions::why_live: in its order, then in order of first reference.
  std::vector<LivenessFacts> liveness;
  u32 objects = 0;                 // how many were linked
  std::vector<std::string> inputs; // their names, in order
};

} // namespace culink
