// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result of finalizing one object. From sm_100 on, nvlink lets a finalizer schedule the code of
// the linked program again. It works on one function at a time, so the code of each object can be
// finalized in advance: as a link of that object alone, in which every function is live. The linker
// then takes the functions it needs and applies its own relocations to them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "link/model/diagnostics.h"
#include "link/model/instruction_map.h"
#include "support/types.h"

namespace culink {

// The parts of debug sections that belong to one function, in the order of each section. Mostly
// there is one part; the output of an earlier link may have several, of overridden definitions
// (Q106).
struct FinalizedDebug {
  struct Frame {
    ByteSpan cie, fde; // both from the length on
  };
  std::vector<Frame> frames; // in .debug_frame
  // Sequences in .debug_line and .nv_debug_line_sass, from DW_LNE_set_address (00 09 02) on.
  std::vector<ByteSpan> lines;
  std::vector<ByteSpan> sass_lines;
  std::vector<ByteSpan> registers; // blocks of .nv_debug_info_reg_sass, from the name on
  // Code offsets in .debug_loc and .debug_info, in the order of the section.
  std::vector<i64> location_offsets;
  std::vector<i64> info_offsets;
};

// A relocation of machine code that calls a function of the driver where Mercury code has an
// instruction (docs/compilers.md). The Mercury plane knows nothing of it.
struct DriverCall {
  u64 offset = 0;
  u32 type = 0;
  i64 addend = 0;
  std::string_view callee;
};

// One function of an object after finalization. All spans are parts of FinalizedObject::image.
struct FinalizedFunction {
  std::string_view name;
  u32 section = 0;  // of its code in the object
  ByteSpan text;    // .text.F
  ByteSpan capsule; // .nv.capmerc.text.F; the linker sets its first word
  ByteSpan info;    // .nv.info.F, newest record first, as in every linked file
  FinalizedDebug debug;
  std::vector<DriverCall> driver_calls; // in the engine's order; next two: if there are any
  u32 registers = 0;
  u32 frame = 0;
  InstructionMap moved; // from the code of the object to `text`
};

struct FinalizedObject {
  std::vector<u8> image; // the object, linked alone
  u32 toolkit = 0;       // of the engine, times ten, as it reports; 0: not reported
  std::vector<FinalizedFunction> functions;

  [[nodiscard]] bool empty() const { return image.empty(); }
};

// Everything on which the finalized code of an object depends.
struct FinalizeRequest {
  struct Object {
    std::string_view name; // for messages
    ByteSpan bytes;        // the object as it was read
    // Code sections in the output. If the engine fails for the object, these are finalized alone.
    std::vector<u32> wanted = {};
    u64 code_bytes = 0; // of these; 0: not known
    // All objects with weak definitions of functions that this one defines, it included, in their
    // order (Q106). If there are any, all are linked together, and functions have names and debug
    // parts only; nothing at all if the engine cannot do that.
    std::vector<ByteSpan> together = {};
    // Functions whose debug registers are removed from the first of those objects.
    std::vector<std::string_view> hidden = {};
  };
  std::string target;          // "sm_103"
  bool debug = false;          // link option -g
  bool relocatable = false;    // link option -r: code that can be linked again
  std::vector<Object> objects; // those with functions in the output
  // Some object of the link, among these or not, has code that was compiled with -G: functions and
  // the record 0x53 in .nv.merc.nv.info. It changes the code of all.
  bool debug_code = false;
  // Some object of the link has samplers. This changes the code of all objects: calls of the driver
  // for textures record it.
  bool independent_textures = false;
  // Local functions of one name in one object are kept apart, which engines do not do (Q110).
  bool distinct_names = true;
  bool sound_as_compiled = false; // the code of all these objects runs on the target as it is
  bool required = true;           // else a refused object is a warning if that holds
};

// Returns the results in the order of the objects; nothing after an error, or after a warning that
// an engine has refused an object.
using FinalizeObjects =
    std::function<std::vector<FinalizedObject>(const FinalizeRequest &, Diagnostics &)>;

} // namespace culink
