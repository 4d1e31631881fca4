// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of fuzz targets. One program has them all; the name that it is started by, `link_fuzz`
// for the target `link`, chooses. The build makes these names, and OSS-Fuzz gets a copy for each.
// CMake and pack_seeds.py read the rows, too: one line for each target.
#pragma once

#include <cstddef>
#include <string_view>

#include "support/types.h"

namespace culink::fuzz {

// Returns 0. An input that breaks a law of the target ends the program.
using Target = int(const u8 *data, size_t size);

Target archive_fuzz, assemble_fuzz, capi_fuzz, command_line_fuzz, cubin_reader_fuzz,
    decompress_fuzz, demangle_fuzz, describe_fuzz, diff_fuzz, dump_fuzz, fatbin_fuzz,
    host_object_fuzz, link_fuzz, nv_callgraph_fuzz, nv_capmerc_fuzz, nv_compat_fuzz,
    nv_host_refs_fuzz, nv_info_fuzz, nv_metadata_fuzz, nv_notes_fuzz, nv_rel_action_fuzz,
    nv_unified_fuzz, nvjitlink_fuzz, prune_fuzz, ptx_fuzz, stored_link_fuzz, symbol_codec_fuzz,
    verify_fuzz, view_fuzz;

// How inputs change: by libFuzzer's own mutations, or in the structure of a file or of two files.
enum class Mutation : u8 { Bytes, File, Files };

// Inputs to begin with: those of tests/fuzz/corpus/NAME, or the shipped cubins beside them.
enum class Seeds : u8 { Stored, Cubins };

struct TargetRow {
  std::string_view name;
  Target *run;
  Mutation mutation;
  Seeds seeds;
};

inline constexpr TargetRow kTargets[] = {
    {"archive", archive_fuzz, Mutation::File, Seeds::Stored},
    {"assemble", assemble_fuzz, Mutation::Bytes, Seeds::Stored},
    {"capi", capi_fuzz, Mutation::File, Seeds::Cubins},
    {"command_line", command_line_fuzz, Mutation::Bytes, Seeds::Stored},
    {"cubin_reader", cubin_reader_fuzz, Mutation::File, Seeds::Cubins},
    {"decompress", decompress_fuzz, Mutation::Bytes, Seeds::Stored},
    {"demangle", demangle_fuzz, Mutation::Bytes, Seeds::Stored},
    {"describe", describe_fuzz, Mutation::File, Seeds::Cubins},
    {"diff", diff_fuzz, Mutation::File, Seeds::Cubins},
    {"dump", dump_fuzz, Mutation::File, Seeds::Cubins},
    {"fatbin", fatbin_fuzz, Mutation::File, Seeds::Stored},
    {"host_object", host_object_fuzz, Mutation::File, Seeds::Stored},
    {"link", link_fuzz, Mutation::Files, Seeds::Cubins},
    {"nv_callgraph", nv_callgraph_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_capmerc", nv_capmerc_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_compat", nv_compat_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_host_refs", nv_host_refs_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_info", nv_info_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_metadata", nv_metadata_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_notes", nv_notes_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_rel_action", nv_rel_action_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nv_unified", nv_unified_fuzz, Mutation::Bytes, Seeds::Stored},
    {"nvjitlink", nvjitlink_fuzz, Mutation::File, Seeds::Cubins},
    {"prune", prune_fuzz, Mutation::Bytes, Seeds::Stored},
    {"ptx", ptx_fuzz, Mutation::Bytes, Seeds::Stored},
    {"stored_link", stored_link_fuzz, Mutation::Bytes, Seeds::Stored},
    {"symbol_codec", symbol_codec_fuzz, Mutation::Bytes, Seeds::Stored},
    {"verify", verify_fuzz, Mutation::File, Seeds::Cubins},
    {"view", view_fuzz, Mutation::File, Seeds::Cubins},
};

// The row of a program by its path, or nullptr.
inline const TargetRow *target_of_program(std::string_view path) {
  constexpr std::string_view kEnding = "_fuzz";
  std::string_view name = path.substr(path.rfind('/') + 1); // npos + 1 is 0
  if (name.ends_with(kEnding))
    name.remove_suffix(kEnding.size());
  for (const TargetRow &row : kTargets)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace culink::fuzz
