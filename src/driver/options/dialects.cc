// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per release of the toolkit: the look of its files and the changes of its nvlink since the
// release before. Releases have nearly all in common, so a row starts from an earlier one and lists
// additions and fixes. A default link has the look of the row of its newest object.
//
// Then one row per linker that can be emulated: culink itself, then builds of nvlink, each with its
// release and its identity. docs/compat.md explains each defect and how to add a release.
#include "driver/options/dialects.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace culink {

namespace {

constexpr FileAction U = FileAction::Use;
constexpr FileAction I = FileAction::Ignore;
constexpr FileAction D = FileAction::Distrust;
constexpr FileAction R = FileAction::Refuse;

// The treatment of a file by nvlink (Q080): the extension of its name first, then its content. By
// FileKind: device object, device image, host object, host image, fatbin, archive, PTX, LTO code,
// other.
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

constexpr u64 kSmallestFile = 56; // bytes that nvlink reads of each file

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

// Several per line, in the order of the struct.
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

using elf::CompatAttribute;
using elf::CompatRecord;
using elf::InfoAttribute;
using elf::InfoRecord;
using elf::RecordFormat;

constexpr CompatRecord byte(CompatAttribute attribute, u8 value) {
  return {.format = RecordFormat::Byte, .attribute = attribute, .value = value};
}
constexpr CompatRecord half(CompatAttribute attribute, u16 value) {
  return {.format = RecordFormat::Half, .attribute = attribute, .value = value};
}

constexpr std::array kFastpath = {CompatAttribute::CanFastpathFinalize};
constexpr std::array kOpportunistic = {CompatAttribute::EnableOpportunisticFinalization};

// The default meaning of a section .nv.compat without these records, for example from a link of
// objects without such a section.
constexpr std::array kAssumed13_0 = {
    byte(CompatAttribute::IsaClass, 0),
    byte(CompatAttribute::InstTensormapV1, 3),
    byte(CompatAttribute::InstTcgen05Mma, 0),
    byte(CompatAttribute::EnableOpportunisticFinalization, 1),
    half(CompatAttribute::MercuryIsaMajorMinorVersion, 0x100),
};
constexpr std::array kAssumed13_1 = {kAssumed13_0[0], kAssumed13_0[1], kAssumed13_0[4]};
constexpr std::array kAssumed13_3 = {kAssumed13_0[0], kAssumed13_0[1]};

constexpr std::array kAdded13_3 = {half(CompatAttribute::Unnamed13, 0x100)};
constexpr std::array kAdded13_4 = {byte(CompatAttribute::CudaInternalTarget, 2), kAdded13_3[0]};

constexpr std::array kUnanimous13_1 = {CompatAttribute::InstTcgen05Mma};
constexpr std::array kUnanimous13_4 = {CompatAttribute::InstTcgen05Mma,
                                       CompatAttribute::FinalizerVersion};
constexpr std::array kFinalizer13_4 = {half(CompatAttribute::FinalizerVersion, 0x400)};
constexpr std::array kFinalizer13_5 = {half(CompatAttribute::FinalizerVersion, 0x440)};

constexpr std::array kFinalized13_2 = {
    InfoRecord{.format = RecordFormat::Half, .attribute = InfoAttribute::NvsalSwWar, .value = 1}};
constexpr std::array kFinalized13_4 = {
    kFinalized13_2[0],
    InfoRecord{.format = RecordFormat::Byte, .attribute = InfoAttribute::PreexitUsed}};

// nvlink of each release, without a name and a build.
constexpr auto kReleases = [] {
  Dialect r13_0{.tool = "nvlink",
                .newest_toolkit = 130,
                .release = {.compat = {.sass_drops = kFastpath, .assumes = kAssumed13_0}},
                .input = kNvlinkInputs,
                .command = kNvlinkCommand,
                .defects = kDefects13_0};

  Dialect r12_4 = r13_0;
  r12_4.newest_toolkit = r12_4.release.toolkit = 124;
  r12_4.release.old_abi = true;
  r12_4.input.old_headers_only = true;
  r12_4.command.ignores_relocatable = true;
  r12_4.command.conflicts_first = true;
  r12_4.defects.keeps_discarded_frames = true;
  r12_4.defects.leaves_blank_symbols = true;

  Dialect r13_1 = r13_0;
  r13_1.newest_toolkit = r13_1.release.toolkit = 131;
  r13_1.release.compat.drops = kOpportunistic;
  r13_1.release.compat.unanimous = kUnanimous13_1;
  r13_1.release.compat.assumes = kAssumed13_1;
  r13_1.release.compat.excluding_version = 0;
  r13_1.release.rounds_shared_size = true;
  r13_1.release.accelerates_any_target = false;
  r13_1.input.drops_unreadable = true;
  r13_1.defects.loses_place_in_cie = false;
  r13_1.defects.ignores_instances = false;
  r13_1.defects.keeps_first_alignment = true;

  Dialect r13_2 = r13_1;
  r13_2.newest_toolkit = r13_2.release.toolkit = 132;
  r13_2.release.compat.sass_drops = {};
  r13_2.release.reverses_externs = false;
  r13_2.release.finalizer_records = kFinalized13_2;
  r13_2.defects.resolves_shared_early = false;

  Dialect r13_3 = r13_2;
  r13_3.newest_toolkit = r13_3.release.toolkit = 133;
  r13_3.release.compat.adds = kAdded13_3;
  r13_3.release.compat.excluding_version = 0x101;
  r13_3.release.finalizes_any_code = true;
  r13_3.release.compat.assumes = kAssumed13_3;
  r13_3.release.zeroed_data_prevails = true;
  r13_3.input.tells_missing_host = true;
  r13_3.command.patch_option = "--astoolspatch";

  Dialect r13_4 = r13_3;
  r13_4.newest_toolkit = r13_4.release.toolkit = 134;
  r13_4.release.compat.adds = kAdded13_4;
  r13_4.release.compat.unanimous = kUnanimous13_4;
  r13_4.release.compat.finalizer = kFinalizer13_4;
  r13_4.release.finalizer_records = kFinalized13_4;
  r13_4.release.mirrors_calls = true;
  r13_4.release.weak_among_locals = false;
  r13_4.input.checks_archives = true;
  r13_4.command.patch_option = kNvlinkCommand.patch_option;
  r13_4.defects.misplaces_locals = true;
  r13_4.defects.keeps_unnamed_shared = true;
  r13_4.defects.requires_weak_definitions = true;
  r13_4.defects.recounts_image_calls = true;

  Dialect r13_5 = r13_4;
  r13_5.newest_toolkit = r13_5.release.toolkit = 135;
  r13_5.release.names_rel_tables = false;
  r13_5.release.compat.finalizer = kFinalizer13_5;
  r13_5.release.compacts_planes = true;
  r13_5.release.shares_debug_info = true;
  r13_5.release.ends_empty_lines = true;
  r13_5.defects.null_symbol_has_value = false;
  r13_5.defects.leaks_headers = false;

  return std::array{r12_4, r13_0, r13_1, r13_2, r13_3, r13_4, r13_5};
}();
static_assert(std::ranges::is_sorted(kReleases, {}, &Dialect::newest_toolkit));

// Returns the newest release that is not newer than `toolkit`; the oldest if all are newer.
constexpr const Dialect &release_row(u32 toolkit) {
  const Dialect *found = kReleases.data();
  for (const Dialect &row : kReleases)
    if (row.newest_toolkit <= toolkit)
      found = &row;
  return *found;
}

constexpr Dialect nvlink_row(std::string_view name, std::string_view version,
                             std::string_view build, u32 toolkit) {
  Dialect row = release_row(toolkit);
  row.name = name;
  row.tool_version = version;
  row.tool_build = build;
  return row;
}

// Returns the row of the library of the same linker, which has neither file names nor a command
// line.
constexpr Dialect library_row(std::string_view name, std::string_view version, u32 toolkit) {
  Dialect row =
      nvlink_row(name, version, "Build system must define TOOLS_VERSION_EXTENDED", toolkit);
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
            .release = release_row(130).release},
    nvlink_row("nvlink-13.0.88", "Cuda compilation tools, release 13.0, V13.0.88",
               "Build cuda_13.0.r13.0/compiler.36424714_0", 130),
    nvlink_row("nvlink-13.0.48", "Cuda compilation tools, release 13.0, V13.0.48",
               "Build cuda_13.0.r13.0/compiler.36260728_0", 130),
    nvlink_row("nvlink-13.1.115", "Cuda compilation tools, release 13.1, V13.1.115",
               "Build cuda_13.1.r13.1/compiler.37061995_0", 131),
    nvlink_row("nvlink-13.1.80", "Cuda compilation tools, release 13.1, V13.1.80",
               "Build cuda_13.1.r13.1/compiler.36836380_0", 131),
    nvlink_row("nvlink-13.2.86", "Cuda compilation tools, release 13.2, V13.2.86",
               "Build cuda_13.2.r13.2/compiler.37953736_0", 132),
    nvlink_row("nvlink-13.2.78", "Cuda compilation tools, release 13.2, V13.2.78",
               "Build cuda_13.2.r13.2/compiler.37668154_0", 132),
    nvlink_row("nvlink-13.2.51", "Cuda compilation tools, release 13.2, V13.2.51",
               "Build cuda_13.2.r13.2/compiler.37434383_0", 132),
    nvlink_row("nvlink-13.3.73", "Cuda compilation tools, release 13.3, V13.3.73",
               "Build cuda_13.3.r13.3/compiler.38244171_0", 133),
    nvlink_row("nvlink-13.3.33", "Cuda compilation tools, release 13.3, V13.3.33",
               "Build cuda_13.3.r13.3/compiler.37862127_0", 133),
    nvlink_row("nvlink-13.4.92", "Cuda compilation tools, release 13.4, V13.4.92",
               "Build cuda_13.4.r13.4/compiler.38855100_0", 134),
    nvlink_row("nvlink-13.4.59", "Cuda compilation tools, release 13.4, V13.4.59",
               "Build cuda_13.4.r13.4/compiler.38657139_0", 134),
    nvlink_row("nvlink-12.4.131", "Cuda compilation tools, release 12.4, V12.4.131",
               "Build cuda_12.4.r12.4/compiler.34097967_0", 124),
    // Only the library of this release (libnvJitLink) was available; version and build are its own.
    nvlink_row("nvlink-13.5.37", "Cuda compilation tools, release 13.5, V13.5.37",
               "Build system must define TOOLS_VERSION_EXTENDED", 135),
    library_row("nvjitlink-13.5.37", "Cuda compilation tools, release 13.5, V13.5.37", 135),
};
static_assert(kDialects[0].name.empty());

} // namespace

const Dialect &own_dialect() {
  return kDialects[0];
}

const Dialect &nvlink_13_0_88() {
  return kDialects[1];
}

const Release &find_release(u32 toolkit) {
  return release_row(toolkit).release;
}

const Dialect *find_dialect(std::string_view name) {
  for (const Dialect &row : kDialects)
    if (row.name == name)
      return &row;
  return nullptr;
}

namespace {

// "13.2" for 132.
std::string release_name(const Dialect &row) {
  return fmt::format("{}.{}", row.newest_toolkit / 10, row.newest_toolkit % 10);
}

const Dialect *find_release_by_name(std::string_view name) {
  for (const Dialect &row : kReleases)
    if (release_name(row) == name)
      return &row;
  return nullptr;
}

} // namespace

const Dialect *choose_dialect(const LinkRequest &request, Diagnostics &diag) {
  const Dialect *found = find_dialect(request.emulate);
  if (!found)
    diag.report(DiagId::UnknownEmulation, {request.emulate}, {},
                fmt::format("known linkers: {}", fmt::join(emulated_linkers(), ", ")));
  else if (!request.emulate.empty() && !request.dialect.empty())
    diag.report(DiagId::ConflictingOptions, {"--emulate", "--dialect"});
  else if (!request.dialect.empty() && !find_release_by_name(request.dialect))
    diag.report(DiagId::UnknownDialect, {request.dialect}, {},
                fmt::format("known releases: {}", fmt::join(known_dialects(), ", ")));
  else
    return found;
  return nullptr;
}

constexpr u32 kOldestToolkit = 118; // the oldest with known conventions

Dialect dialect_for(const Dialect &row, std::string_view chosen, u32 toolkit,
                    const arch::ArchInfo &target) {
  Dialect out = row;
  if (const Dialect *chosen_row = find_release_by_name(chosen))
    out.release = chosen_row->release;
  else if (row.name.empty() && toolkit != 0)
    out.release = find_release(toolkit);
  if (out.release.old_abi && row.name.empty() && chosen.empty())
    // Releases 11.8 to 12.9 share the conventions of 12.4; older objects get the oldest of these.
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
  for (const Dialect &row : kReleases)
    names.push_back(release_name(row));
  return names;
}

} // namespace culink
