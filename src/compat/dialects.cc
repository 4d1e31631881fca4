// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two ways to decide what a format leaves open. docs/compat.md explains each point.
#include "compat/dialects.h"

#include <array>

namespace culink {

namespace {

constexpr FileAction U = FileAction::Use;
constexpr FileAction I = FileAction::Ignore;
constexpr FileAction D = FileAction::Distrust;
constexpr FileAction R = FileAction::Refuse;

// What nvlink does with a file (Q080): the ending of its name comes first, then its content. By
// FileKind: device object, device image, host object, host image, fatbin, archive, PTX, LTO code,
// anything else.
constexpr std::array<FileRule, 11> kFileRules = {{
    {"cubin", {U, I, R, R, R, R, R, R, R}},
    {"fatbin", {R, R, R, R, U, R, R, R, R}},
    {"ptx", {U, I, R, R, U, R, U, R, R}},
    {"o", {U, I, U, I, I, U, I, I, I}},
    {"a", {D, I, U, I, I, U, I, I, I}},
    {"so", {I, I, I, I, I, U, I, I, I}},
    {"ltoir", {R, R, R, R, R, R, R, R, R}},
    {"nvvm", {R, R, R, R, R, R, R, R, R}},
    {"bc", {R, R, R, R, R, R, R, R, R}},
    {FileRule::kNoEnding, {I, I, I, I, I, I, I, I, I}},
    {FileRule::kAnyOther, {D, I, U, I, I, U, I, I, I}},
}};

InputHabits nvlink_input_habits() {
  constexpr u64 kSmallestFile = 56; // what nvlink reads of each
  return {.rules = kFileRules,
          .smallest_file = kSmallestFile,
          .silent = true,
          .drops_cut_files = true,
          .first_container_only = true,
          .host_members_only = true,
          .system_by_path = true,
          .distrusts_foreign_fatbins = true,
          .loses_ptx_files = true,
          .little_endian_only = true,
          .thin_from_here = true};
}

} // namespace

Dialect own_dialect() {
  Dialect d;
  d.tool = "culink";
  d.tool_version = CULINK_VERSION;
  d.tool_build = "";
  d.newest_toolkit = 134; // objects of 13.1 to 13.4 were linked and compared
  return d;
}

Dialect nvlink_13_0_88() {
  Dialect d;
  d.tool = "nvlink";
  d.tool_version = "Cuda compilation tools, release 13.0, V13.0.88";
  d.tool_build = "Build cuda_13.0.r13.0/compiler.36424714_0";
  d.lossless_relocatable = false;
  d.loses_old_barriers = true;
  d.copies_old_flags = true;
  d.loses_section_fff2 = true;
  d.tells_what_is_left_out = false;
  d.refuse_newer_toolkit = true;
  d.refuse_empty_link = true;
  d.repeat_internal_errors = true;
  d.miscompiles_constants = true;
  d.decides_about_runtime_in_order = true;
  d.forgets_mercury_marks = true;
  d.leaks_headers = true;
  d.joins_frames = true;
  d.repeats_first_of_name = true;
  d.input = nvlink_input_habits();
  return d;
}

} // namespace culink
