// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per linker whose output can be asked for: culink itself, then releases of nvlink.
// Releases have nearly all in common, so a further row starts from an earlier one and names what
// was fixed, what is new and who it says it is. docs/compat.md explains each defect
// and how to add a release.
#include "driver/options/dialects.h"

#include <array>

#include <fmt/format.h>

#include "driver/options/releases.h"

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

constexpr u64 kSmallestFile = 56; // what nvlink reads of each

constexpr InputRules kNvlinkInputs = {.files = kFileRules,
                                      .smallest_file = kSmallestFile,
                                      .silent = true,
                                      .drops_cut_files = true,
                                      .first_container_only = true,
                                      .host_members_only = true,
                                      .system_by_path = true,
                                      .distrusts_foreign_fatbins = true,
                                      .trusts_lto_files = true,
                                      .loses_ptx_files = true,
                                      .little_endian_only = true,
                                      .any_type_links = true,
                                      .thin_from_here = true};

constexpr CommandRules kNvlinkCommand = {
    .refuses_empty_link = true, .dash_is_a_file = true, .needs_nvvm = true, .measures_time = false};

constexpr InputRules inputs_of(u32 toolkit) {
  InputRules rules = kNvlinkInputs;
  rules.old_headers_only = toolkit < 130;
  rules.drops_unreadable = toolkit >= 131;
  rules.tells_missing_host = toolkit >= 133;
  rules.checks_archives = toolkit >= 134;
  return rules;
}

constexpr CommandRules command_of(u32 toolkit) {
  CommandRules rules = kNvlinkCommand;
  rules.ignores_relocatable = toolkit < 130;
  rules.conflicts_first = toolkit < 130;
  if (toolkit == 133)
    rules.patch_option = "--astoolspatch";
  return rules;
}

// Several on a line, in the order of the struct.
// clang-format off
constexpr Defects kDefects13_0 = {
    .one_byte_fits_any = true, .loses_unified_marks = true, .joins_opaque_by_name = true,
    .sections_by_name = true, .loses_weak_over_common = true, .refuses_early_alias = true,
    .refuses_dead_alias = true, .null_symbol_has_value = true, .loses_section_fff2 = true,
    .fills_indices = true,
    .demotes_launched_kernels = true, .forgets_pointed_to = true, .selects_debugged = true,
    .keeps_dynamic_symbol = true, .refuses_dynamic_twice = true, .accepts_sized_dynamic = true,
    .misreads_instances = true, .ignores_instances = true, .loses_placed_shared = true,
    .limits_debug_shared = true,
    .refuses_deleted_constants = true, .keeps_overridden_tables = true, .forgets_pointers = true,
    .merges_equal_constants = true, .guesses_alignment = true, .crashes_packing = true,
    .takes_bank_flags = true, .keeps_image_base = true,
    .resolves_early = true, .resolves_shared_early = true, .truncates_values = true,
    .accepts_overruns = true, .loses_field_addends = true, .shares_lists = true,
    .refuses_unlisted = true,
    .loses_barriers = true, .wraps_stack = true, .ignores_driver_registers = true,
    .keeps_overridden_frames = true, .mixes_debug_info = true, .loses_place_in_cie = true,
    .alias_takes_code = true, .registers_by_name = true,
    .loses_mercury_marks = true, .leaks_headers = true, .repeats_first_of_name = true,
    .drops_unknown_sections = true, .refuses_newer_toolkit = true, .refuses_foreign_programs = true,
    .runtime_in_order = true, .lto_by_host_objects = true, .lto_forgets_letter = true,
    .lto_drops_variables = true, .lto_order_by_chance = true,
    .keeps_stale_list = true, .always_demangles = true,
};
// clang-format on

constexpr Defects make_defects_12_4() {
  Defects row = kDefects13_0;
  row.keeps_discarded_frames = true;
  row.leaves_blank_symbols = true;
  return row;
}

constexpr Defects make_defects_13_1() {
  Defects row = kDefects13_0;
  row.loses_place_in_cie = false;
  row.ignores_instances = false;
  row.keeps_first_alignment = true;
  return row;
}

constexpr Defects make_defects_13_2() {
  Defects row = make_defects_13_1();
  row.resolves_shared_early = false;
  return row;
}

constexpr Defects make_defects_13_4() {
  Defects row = make_defects_13_2();
  row.misplaces_locals = true;
  row.keeps_unnamed_shared = true;
  row.requires_weak_definitions = true;
  row.recounts_image_calls = true;
  return row;
}

constexpr Defects make_defects_13_5() {
  Defects row = make_defects_13_4();
  row.null_symbol_has_value = false;
  row.leaks_headers = false;
  return row;
}

// A release of nvlink; `toolkit` is ten times the number of its objects' toolkit.
constexpr Dialect nvlink_row(std::string_view name, std::string_view version,
                             std::string_view build, u32 toolkit, const Defects &defects) {
  return {.name = name,
          .tool = "nvlink",
          .tool_version = version,
          .tool_build = build,
          .newest_toolkit = toolkit,
          .release = find_release(toolkit),
          .input = inputs_of(toolkit),
          .command = command_of(toolkit),
          .defects = defects};
}

// The library of the same linker, which has neither a file to name nor a command line.
constexpr Dialect library_row(std::string_view name, std::string_view version, u32 toolkit,
                              const Defects &defects) {
  Dialect row = nvlink_row(name, version, "Build system must define TOOLS_VERSION_EXTENDED",
                           toolkit, defects);
  row.tool = "nvJIT API";
  row.tool_object = "in-memory-ELF-image";
  row.tool_options = "JIT API Command Line Options";
  return row;
}

constexpr std::array kDialects = {
    Dialect{.name = "",
            .tool = "culink",
            .tool_version = CULINK_VERSION,
            .newest_toolkit = 134, // objects of 13.1 to 13.4 were linked and compared
            .release = find_release(130)},
    nvlink_row("nvlink-13.0.88", "Cuda compilation tools, release 13.0, V13.0.88",
               "Build cuda_13.0.r13.0/compiler.36424714_0", 130, kDefects13_0),
    nvlink_row("nvlink-13.0.48", "Cuda compilation tools, release 13.0, V13.0.48",
               "Build cuda_13.0.r13.0/compiler.36260728_0", 130, kDefects13_0),
    nvlink_row("nvlink-13.1.115", "Cuda compilation tools, release 13.1, V13.1.115",
               "Build cuda_13.1.r13.1/compiler.37061995_0", 131, make_defects_13_1()),
    nvlink_row("nvlink-13.1.80", "Cuda compilation tools, release 13.1, V13.1.80",
               "Build cuda_13.1.r13.1/compiler.36836380_0", 131, make_defects_13_1()),
    nvlink_row("nvlink-13.2.86", "Cuda compilation tools, release 13.2, V13.2.86",
               "Build cuda_13.2.r13.2/compiler.37953736_0", 132, make_defects_13_2()),
    nvlink_row("nvlink-13.2.78", "Cuda compilation tools, release 13.2, V13.2.78",
               "Build cuda_13.2.r13.2/compiler.37668154_0", 132, make_defects_13_2()),
    nvlink_row("nvlink-13.2.51", "Cuda compilation tools, release 13.2, V13.2.51",
               "Build cuda_13.2.r13.2/compiler.37434383_0", 132, make_defects_13_2()),
    nvlink_row("nvlink-13.3.73", "Cuda compilation tools, release 13.3, V13.3.73",
               "Build cuda_13.3.r13.3/compiler.38244171_0", 133, make_defects_13_2()),
    nvlink_row("nvlink-13.3.33", "Cuda compilation tools, release 13.3, V13.3.33",
               "Build cuda_13.3.r13.3/compiler.37862127_0", 133, make_defects_13_2()),
    nvlink_row("nvlink-13.4.92", "Cuda compilation tools, release 13.4, V13.4.92",
               "Build cuda_13.4.r13.4/compiler.38855100_0", 134, make_defects_13_4()),
    nvlink_row("nvlink-13.4.59", "Cuda compilation tools, release 13.4, V13.4.59",
               "Build cuda_13.4.r13.4/compiler.38657139_0", 134, make_defects_13_4()),
    nvlink_row("nvlink-12.4.131", "Cuda compilation tools, release 12.4, V12.4.131",
               "Build cuda_12.4.r12.4/compiler.34097967_0", 124, make_defects_12_4()),
    // Only its library could be had (libnvJitLink), whose version and build these are.
    nvlink_row("nvlink-13.5.37", "Cuda compilation tools, release 13.5, V13.5.37",
               "Build system must define TOOLS_VERSION_EXTENDED", 135, make_defects_13_5()),
    library_row("nvjitlink-13.5.37", "Cuda compilation tools, release 13.5, V13.5.37", 135,
                make_defects_13_5()),
};
static_assert(kDialects[0].name.empty());

} // namespace

const Dialect &own_dialect() {
  return kDialects[0];
}

const Dialect &nvlink_13_0_88() {
  return kDialects[1];
}

const Dialect *find_dialect(std::string_view name) {
  for (const Dialect &row : kDialects)
    if (row.name == name)
      return &row;
  return nullptr;
}

namespace {

// "13.2" for 132.
std::string release_name(const Release &row) {
  return fmt::format("{}.{}", row.toolkit / 10, row.toolkit % 10);
}

const Release *find_release_by_name(std::string_view name) {
  for (const Release &row : releases::kReleases)
    if (release_name(row) == name)
      return &row;
  return nullptr;
}

template <typename Names> std::string joined(const Names &names) {
  std::string out;
  for (const auto &name : names)
    out.append(out.empty() ? "" : ", ").append(name);
  return out;
}

} // namespace

const Dialect *choose_dialect(const LinkRequest &request, Diagnostics &diag) {
  const Dialect *found = find_dialect(request.emulate);
  if (!found)
    diag.report(DiagId::UnknownEmulation, {request.emulate}, {},
                "known linkers: " + joined(emulated_linkers()));
  else if (!request.emulate.empty() && !request.dialect.empty())
    diag.report(DiagId::ConflictingOptions, {"--emulate", "--dialect"});
  else if (!request.dialect.empty() && !find_release_by_name(request.dialect))
    diag.report(DiagId::UnknownDialect, {request.dialect}, {},
                "known releases: " + joined(known_dialects()));
  else
    return found;
  return nullptr;
}

constexpr u32 kOldestToolkit = 118; // whose conventions we know

Dialect dialect_for(const Dialect &row, std::string_view chosen, u32 toolkit,
                    const arch::ArchInfo &target) {
  Dialect out = row;
  if (const Release *release = find_release_by_name(chosen))
    out.release = *release;
  else if (row.name.empty() && toolkit != 0)
    out.release = find_release(toolkit);
  if (out.release.old_abi && row.name.empty() && chosen.empty())
    // The conventions of 12.4 are those of 11.8 to 12.9; who names an older one gets the oldest.
    out.release.toolkit = std::max(toolkit, kOldestToolkit);
  if (out.release.old_abi && target.has_mercury_plane) // 12.8 has these targets, with the new ABI
    out.release = find_release(130);
  return out;
}

const Dialect &dialect_of(const CommandLine &line) {
  const Dialect *found = find_dialect(line.value(OptionId::Emulate));
  return found ? *found : own_dialect();
}

std::vector<std::string_view> emulated_linkers() {
  std::vector<std::string_view> names;
  for (const Dialect &row : kDialects)
    if (!row.name.empty())
      names.push_back(row.name);
  return names;
}

std::vector<std::string> known_dialects() {
  std::vector<std::string> names;
  for (const Release &row : releases::kReleases)
    names.push_back(release_name(row));
  return names;
}

} // namespace culink
