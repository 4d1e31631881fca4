// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each kind of input gives, in culink's way and in nvlink's.
#include "input/collect.h"

#include <gtest/gtest.h>

#include "driver/options/dialects.h"
#include "host_file.h"
#include "input/file_kind.h"

namespace culink {
namespace {

using test::archive_of;
using test::Bytes;
using test::bytes_of;
using test::container;
using test::HostFile;
using test::Member;
using test::rdc_object;

// Collects from a list of inputs.
struct Taken {
  Diagnostics diag;
  CollectedInputs found;

  Taken(const Dialect &dialect, const std::vector<std::pair<std::string, Bytes>> &inputs,
        const char *target = "sm_90", bool optimises = false) {
    InputCollector collector(*arch::find_arch(target), dialect, {.optimises = optimises}, diag);
    u64 number = 0;
    for (const auto &[name, bytes] : inputs)
      collector.add(name, bytes, std::pair<u64, u64>{0, ++number});
    found = collector.take();
  }

  [[nodiscard]] std::vector<std::string> code() const {
    std::vector<std::string> out;
    for (const DeviceCode &one : found.code)
      out.push_back(one.name + (one.form == DeviceCode::Form::Ptx ? " ptx" : ""));
    return out;
  }
  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> out;
    for (const Diagnostic &one : diag.all())
      out.emplace_back(diag_row(one.id).key);
    return out;
  }
};

using Words = std::vector<std::string>;

Bytes device_file(u16 type) {
  HostFile file;
  file.machine = 190;
  file.type = type;
  return file.build64();
}

// One file of each kind, by FileKind.
Bytes sample(FileKind kind) {
  HostFile library = rdc_object("_so", container({{}}));
  library.type = 3;
  library.segments = 2;
  switch (kind) {
  case FileKind::DeviceObject:
    return device_file(1);
  case FileKind::DeviceImage:
    return device_file(2);
  case FileKind::HostObject:
    return rdc_object("_id", container({{}})).build64();
  case FileKind::HostImage:
    return library.build64();
  case FileKind::Fatbin:
    return container({{}});
  case FileKind::Archive:
    return archive_of({{"m.o", rdc_object("_id", container({{}})).build64()}});
  case FileKind::Ptx:
    return bytes_of(".version 9.0\n.target sm_90\n.address_size 64\n// nothing else in it");
  case FileKind::LtoIr:
    return bytes_of("\xed\x43\x4e\x7f" + std::string(60, 'x'));
  case FileKind::Unknown:
  case FileKind::Count_:
    break;
  }
  return Bytes(100, 'r');
}

constexpr std::array<FileKind, kFileKindCount> kKinds = {
    FileKind::DeviceObject, FileKind::DeviceImage, FileKind::HostObject,
    FileKind::HostImage,    FileKind::Fatbin,      FileKind::Archive,
    FileKind::Ptx,          FileKind::LtoIr,       FileKind::Unknown};

struct EndingRow {
  const char *name;
  const char *what; // by kind: L linked, i ignored, E error
};

// Q080: what nvlink did with the same bytes under many names.
constexpr EndingRow kEndings[] = {
    {"x.cubin", "LiEEEEEEE"}, {"x.fatbin", "EEEELEEEE"}, {"x.ptx", "LiEELELEE"},
    {"x.o", "LiLiiLiii"},     {"x.a", "iiLiiLiii"},      {"x.so", "iiiiiLiii"},
    {"x.ltoir", "EEEEEEEEE"}, {"x.nvvm", "EEEEEEEEE"},   {"x.bc", "EEEEEEEEE"},
    {"x.xyz", "iiLiiLiii"},   {"x.obj", "iiLiiLiii"},    {"x.lo", "iiLiiLiii"},
    {"x.CUBIN", "iiLiiLiii"}, {"x.lib", "iiLiiLiii"},    {"x.cu", "iiLiiLiii"},
    {"x.so.1", "iiLiiLiii"},  {"x", "iiiiiiiii"},        {"dir.o/x", "iiiiiiiii"},
};

TEST(Collect, nvlink_goes_by_the_ending_first) {
  for (const EndingRow &row : kEndings)
    for (size_t k = 0; k < kFileKindCount; ++k) {
      const Taken run(nvlink_13_0_88(), {{row.name, sample(kKinds[k])}});
      const char what = run.diag.failed() ? 'E' : run.found.code.empty() ? 'i' : 'L';
      EXPECT_EQ(what, row.what[k]) << row.name << " " << describe_file_kind(kKinds[k]);
      EXPECT_TRUE(run.diag.failed() || run.diag.all().empty()) << "must be silent";
    }
}

TEST(Collect, content_decides_whatever_the_name) {
  for (const EndingRow &row : kEndings) {
    const std::string_view ending = name_ending(row.name);
    const bool promises = ending == "cubin" || ending == "fatbin" || ending == "ptx";
    const char *expected = promises ? "LwEELLLEE" : "LwLiLLLEw"; // w: ignored with a warning
    for (size_t k = 0; k < kFileKindCount; ++k) {
      const Taken run(own_dialect(), {{row.name, sample(kKinds[k])}});
      const char what = run.diag.failed()         ? 'E'
                        : !run.diag.all().empty() ? 'w'
                        : run.found.code.empty()  ? 'i'
                                                  : 'L';
      EXPECT_EQ(what, expected[k]) << row.name << " " << describe_file_kind(kKinds[k]);
    }
  }
}

TEST(Collect, names_of_bytes_in_memory_do_not_matter) {
  Diagnostics diag;
  const Dialect dialect = nvlink_13_0_88();
  InputCollector collector(*arch::find_arch("sm_90"), dialect, {}, diag);
  collector.add("first", device_file(1));
  EXPECT_EQ(collector.take().code.size(), 1u);
}

TEST(Collect, short_files) {
  for (const char *name : {"x.o", "x.cubin", "x", "x.so"}) {
    EXPECT_TRUE(Taken(nvlink_13_0_88(), {{name, Bytes{}}}).diag.all().empty());
    EXPECT_TRUE(Taken(nvlink_13_0_88(), {{name, Bytes(1)}}).diag.failed());
    EXPECT_TRUE(Taken(nvlink_13_0_88(), {{name, Bytes(55)}}).diag.failed());
    EXPECT_EQ(Taken(own_dialect(), {{name, Bytes{}}}).ids(), Words{"nothing-to-link"});
    EXPECT_EQ(Taken(own_dialect(), {{"x.o", Bytes(55)}}).ids(), Words{"nothing-to-link"});
    EXPECT_EQ(Taken(own_dialect(), {{"x.cubin", Bytes(55)}}).ids(), Words{"wrong-kind"});
  }
}

TEST(Collect, cut_cubins_are_ignored_by_nvlink_only) {
  const Bytes good = device_file(1);
  for (size_t size = 56; size < good.size(); size += 7) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_TRUE(Taken(nvlink_13_0_88(), {{"x.cubin", cut}}).found.code.empty()) << size;
    EXPECT_EQ(Taken(own_dialect(), {{"x.cubin", cut}}).found.code.size(), 1u) << size;
  }
}

struct HostRow {
  const char *what;
  HostFile file;
  const char *nvlink; // code found, or the error
  const char *own;
};

TEST(Collect, sections_of_host_objects) {
  const Bytes fatbin = container({{}});
  const std::vector<HostRow> rows = {
      {"as compiled", rdc_object("_a", fatbin), "a.o", "a.o"},
      {"no segment", HostFile().with("__nv_relfatbin", fatbin), "", "nothing-to-link"},
      {"a segment of junk", HostFile().with("__nv_relfatbin", fatbin).with(".nvFatBinSegment", "x"),
       "a.o", "a.o"},
      {"a whole program", HostFile().with(".nv_fatbin", fatbin).with(".nvFatBinSegment", "x"), "",
       ""},
      {"segment only", HostFile().with(".nvFatBinSegment", "x"), "bad-host-object",
       "bad-host-object"},
      {"bad magic", rdc_object("_a", bytes_of("12345678901234567890")), "bad-host-object",
       "bad-host-object"},
      {"one byte", rdc_object("_a", bytes_of("1")), "bad-host-object", "bad-host-object"},
      {"plain", HostFile().with(".text", "x"), "", ""},
  };
  for (const HostRow &row : rows)
    for (const bool own : {false, true}) {
      const Taken run(own ? own_dialect() : nvlink_13_0_88(), {{"a.o", row.file.build64()}});
      const std::string what = !run.ids().empty()   ? run.ids().front()
                               : run.code().empty() ? ""
                                                    : run.code().front();
      EXPECT_EQ(what, own ? row.own : row.nvlink) << row.what;
    }
}

// What mutants of host objects looked like that were left out without a word.
TEST(Collect, damaged_host_objects_are_not_passed_over) {
  HostFile odd = rdc_object("_a", container({{}}));
  odd.type = 7;
  EXPECT_EQ(Taken(own_dialect(), {{"a.o", odd.build64()}}).ids(), Words{"bad-input"});
  EXPECT_TRUE(Taken(nvlink_13_0_88(), {{"a.o", odd.build64()}}).ids().empty());
  for (const u16 type : {2, 3}) {
    odd.type = type;
    odd.segments = 0;
    EXPECT_EQ(Taken(own_dialect(), {{"a.o", odd.build64()}}).ids(), Words{"bad-input"}) << type;
    Bytes nameless = odd.build64(); // and its table of names is of no type
    nameless[nameless.size() - 60] = 0;
    EXPECT_EQ(Taken(own_dialect(), {{"a.o", nameless}}).ids(), Words{"bad-input"}) << type;
    odd.segments = 1;
    EXPECT_TRUE(Taken(own_dialect(), {{"a.o", odd.build64()}}).ids().empty()) << type;
  }
  Bytes no_sections = rdc_object("_a", container({{}})).build64();
  for (const size_t at : {40, 41, 42, 60, 61, 62, 63}) // e_shoff, e_shnum, e_shstrndx
    no_sections[at] = 0;
  EXPECT_EQ(Taken(own_dialect(), {{"a.o", no_sections}}).ids(), Words{"bad-input"});
  const Bytes traces = HostFile().with("__nv_module_id", std::string_view("_a\0", 3)).build64();
  EXPECT_EQ(Taken(own_dialect(), {{"a.o", traces}}).ids(), Words{"nothing-to-link"});
}

TEST(Collect, nvlink_reads_the_first_container_only) {
  Bytes two = container({{.sm = 90}});
  const Bytes second = container({{.sm = 90}});
  two.resize(align_up(two.size(), 256));
  two.insert(two.end(), second.begin(), second.end());
  for (const bool host : {false, true}) {
    const Bytes file = host ? rdc_object("_a", two).build64() : two;
    const std::string name = host ? "a.o" : "a.fatbin";
    EXPECT_EQ(Taken(nvlink_13_0_88(), {{name, file}}).found.code.size(), 1u);
    EXPECT_EQ(Taken(own_dialect(), {{name, file}}).found.code.size(), 2u);
  }
}

TEST(Collect, missing_targets_are_mentioned_except_in_archives) {
  const Bytes object = rdc_object("_a", container({{.sm = 80}, {.sm = 100}})).build64();
  for (const Dialect &dialect : {own_dialect(), nvlink_13_0_88()}) {
    const Taken given(dialect, {{"a.o", object}});
    EXPECT_EQ(given.ids(), Words{"no-code-for-target"});
    EXPECT_EQ(given.diag.all()[0].arguments, (Words{"a.o", "sm_90", "sm_80, sm_100"}));
    EXPECT_EQ(given.found.modules.size(), 1u) << "registered all the same";
    EXPECT_TRUE(Taken(dialect, {{"a.a", archive_of({{"a.o", object}})}}).ids().empty());
  }
}

TEST(Collect, code_of_link_time_optimisation_is_refused_unless_there_is_ptx) {
  const Bytes only = container({{.kind = FatbinKind::Lto}});
  const Bytes both = container({{.kind = FatbinKind::Lto}, {.kind = FatbinKind::Ptx}});
  EXPECT_EQ(Taken(own_dialect(), {{"a.fatbin", only}}).ids(), Words{"lto-code"});
  EXPECT_EQ(Taken(own_dialect(), {{"a.fatbin", both}}).code(), Words{"a.fatbin ptx"});
}

TEST(Collect, code_of_link_time_optimisation_comes_first_if_it_is_wanted) {
  const Bytes both = container({{.kind = FatbinKind::Elf}, {.kind = FatbinKind::Lto, .sm = 80}});
  const Bytes machine = container({{.kind = FatbinKind::Elf}});
  const Bytes object = rdc_object("_a", both).build64();
  const Taken taken(own_dialect(), {{"a.fatbin", both}, {"b.fatbin", machine}, {"c.o", object}},
                    "sm_90", true);
  ASSERT_EQ(taken.found.code.size(), 3u);
  EXPECT_EQ(taken.found.code[0].form, DeviceCode::Form::Lto);
  EXPECT_FALSE(taken.found.code[0].in_host_object);
  EXPECT_EQ(taken.found.code[1].form, DeviceCode::Form::Cubin);
  EXPECT_EQ(taken.found.code[2].form, DeviceCode::Form::Lto);
  EXPECT_TRUE(taken.found.code[2].in_host_object);
  EXPECT_EQ(taken.ids(), Words{"not-optimised"});
  EXPECT_EQ(taken.diag.all()[0].arguments[0], "b.fatbin");
}

TEST(Collect, libraries_that_are_not_optimised_are_named_once) {
  const Bytes object = rdc_object("_a", container({{.kind = FatbinKind::Elf}})).build64();
  const Bytes library = archive_of({{"a.o", object}, {"b.o", object}});
  const std::vector<std::pair<std::string, Bytes>> files = {{"c.a", library}, {"d.o", object}};
  const Taken own(own_dialect(), files, "sm_90", true);
  ASSERT_EQ(own.ids(), (Words{"not-optimised", "not-optimised"}));
  EXPECT_EQ(own.diag.all()[0].arguments[0], "c.a");
  EXPECT_EQ(own.diag.all()[1].arguments[0], "d.o");
  EXPECT_EQ(Taken(nvlink_13_0_88(), files, "sm_90", true).ids().size(), 3u);
}

TEST(Collect, modules_of_link_time_optimisation_are_files_to_nvlink) {
  const Bytes module = sample(FileKind::LtoIr);
  for (const char *name : {"a.ltoir", "a.nvvm"})
    EXPECT_EQ(Taken(nvlink_13_0_88(), {{name, module}}, "sm_90", true).found.code.size(), 1u);
  EXPECT_TRUE(Taken(nvlink_13_0_88(), {{"a.o", module}}, "sm_90", true).found.code.empty());
  EXPECT_EQ(Taken(own_dialect(), {{"a.o", module}}, "sm_90", true).found.code.size(), 1u);
  const Taken wrong(nvlink_13_0_88(), {{"a.ltoir", sample(FileKind::Fatbin)}}, "sm_90", true);
  EXPECT_EQ(wrong.ids(), Words{"wrong-kind"});
  EXPECT_EQ(wrong.diag.all()[0].arguments.back(), "lto");
}

TEST(Collect, files_without_host_code_may_be_used_by_any) { // Q174
  const Bytes module = sample(FileKind::LtoIr);
  HostFile launches = rdc_object("_a", container({{.kind = FatbinKind::Lto}}));
  const Bytes object = launches.build64();
  const Bytes lto = container({{.kind = FatbinKind::Lto}});
  for (const auto &[name, bytes] : {std::pair("b.fatbin", lto), std::pair("b.ltoir", module)})
    EXPECT_FALSE(Taken(own_dialect(), {{"a.o", object}, {name, bytes}}, "sm_90", true).found.host);
}

TEST(Collect, nvlink_loses_ptx_files_for_older_targets) { // Q084
  const Bytes file = sample(FileKind::Ptx);
  const Taken old(nvlink_13_0_88(), {{"a.ptx", file}}, "sm_89");
  ASSERT_EQ(old.found.code.size(), 1u);
  EXPECT_TRUE(old.found.code[0].discarded) << "but its errors are told";
  EXPECT_TRUE(old.found.modules.empty());
  for (const FileKind kind : {FileKind::DeviceObject, FileKind::Fatbin}) {
    EXPECT_TRUE(Taken(nvlink_13_0_88(), {{"a.ptx", sample(kind)}}, "sm_89").code().empty());
    EXPECT_EQ(Taken(nvlink_13_0_88(), {{"a.ptx", sample(kind)}}).code(), Words{"a.ptx"});
  }
  EXPECT_EQ(Taken(nvlink_13_0_88(), {{"a.ptx", file}}, "sm_90").code(), Words{"a.ptx ptx"});
  EXPECT_EQ(Taken(own_dialect(), {{"a.ptx", file}}, "sm_80").code(), Words{"a.ptx ptx"});
  const Bytes fatbin = container({{.kind = FatbinKind::Ptx, .sm = 80}});
  EXPECT_EQ(Taken(nvlink_13_0_88(), {{"a.fatbin", fatbin}}, "sm_89").code(), Words{"a.fatbin ptx"});
}

TEST(Collect, members_of_archives_count_in_order) {
  const Bytes object = rdc_object("_a", container({{}})).build64();
  const Bytes file = archive_of({{"b.o", object},
                                 {"readme", bytes_of("text")},
                                 {"c.cubin", device_file(1)},
                                 {"d.ptx", sample(FileKind::Ptx)},
                                 {"e.fatbin", container({{}})},
                                 {"a.o", object}});
  EXPECT_EQ(Taken(nvlink_13_0_88(), {{"l.a", file}}).code(), Words{"l.a:b.o"});
  EXPECT_EQ(Taken(own_dialect(), {{"l.a", file}}).code(),
            (Words{"l.a:b.o", "l.a:c.cubin", "l.a:d.ptx ptx", "l.a:e.fatbin", "l.a:a.o"}));
}

// What nvlink did with an archive of a member of each kind and a host object behind it.
TEST(Collect, nvlink_stops_at_the_first_member_that_is_no_elf_file) {
  const Bytes object = rdc_object("_a", container({{}})).build64();
  for (size_t k = 0; k < kFileKindCount; ++k) {
    const Bytes file = archive_of({{"x", sample(kKinds[k])}, {"b.o", object}});
    const Words code = Taken(nvlink_13_0_88(), {{"l.a", file}}).code();
    const bool elf = kKinds[k] <= FileKind::HostImage;
    const bool host = kKinds[k] == FileKind::HostObject;
    EXPECT_EQ(code, !elf   ? Words{}
                    : host ? Words({"l.a:x", "l.a:b.o"})
                           : Words{"l.a:b.o"})
        << describe_file_kind(kKinds[k]);
  }
}

TEST(Collect, damaged_members_of_archives_are_mentioned) {
  const auto ids = [](const char *name, const Bytes &bytes) {
    return Taken(own_dialect(), {{"l.a", archive_of({{name, bytes}})}}).ids();
  };
  EXPECT_EQ(ids("a.o", Bytes(100, 'r')), Words{"nothing-to-link"});
  EXPECT_EQ(ids("a.cubin", Bytes(100, 'r')), Words{"wrong-kind"});
  EXPECT_TRUE(ids("readme", Bytes(100, 'r')).empty());
  EXPECT_TRUE(ids("a.o", sample(FileKind::HostImage)).empty());
}

TEST(Collect, an_archive_named_twice_is_read_once) {
  const Bytes file = archive_of({{"b.o", rdc_object("_a", container({{}})).build64()}});
  Diagnostics diag;
  const Dialect dialect = own_dialect();
  InputCollector collector(*arch::find_arch("sm_90"), dialect, {}, diag);
  collector.add("l.a", file, std::pair<u64, u64>{1, 2});
  collector.add("./l.a", file, std::pair<u64, u64>{1, 2});
  collector.add("copy.a", file, std::pair<u64, u64>{1, 3});
  EXPECT_EQ(collector.take().code.size(), 2u);
}

TEST(Collect, modules_that_a_device_link_took_are_not_registered_again) {
  const Bytes a = rdc_object("_a", container({{}})).build64();
  const Bytes b = rdc_object("_b", container({{}})).build64();
  HostFile linked;
  linked.with("__nv_module_id", std::string_view("def _a\0", 7)).with(".nv_fatbin", "x");
  linked.with(".nvFatBinSegment", "x");
  HostFile whole;
  whole.with("__nv_module_id", std::string_view("__NV_MODULE_ID\0", 15)).with(".nv_fatbin", "x");
  const Taken run(own_dialect(), {{"a.o", a},
                                  {"b.o", b},
                                  {"linked.o", linked.build64()},
                                  {"whole.o", whole.build64()},
                                  {"c.cubin", device_file(1)}});
  ASSERT_EQ(run.found.modules.size(), 2u);
  EXPECT_EQ(run.found.modules[0].id, "_b");
  EXPECT_EQ(run.found.modules[1].id, "");
  EXPECT_EQ(run.found.modules[1].name, "c.cubin");
}

// Their code is in the image of that link.
TEST(Collect, code_that_a_device_link_took_is_not_linked_again_where_modules_are_registered) {
  const Bytes a = rdc_object("_a", container({{}})).build64();
  const Bytes b = rdc_object("_b", container({{}})).build64();
  HostFile linked;
  linked.with("__nv_module_id", std::string_view("def _a\0", 7)).with(".nv_fatbin", "x");
  linked.with(".nvFatBinSegment", "x");
  for (const bool registers : {false, true}) {
    Diagnostics diag;
    const Dialect dialect = own_dialect();
    InputCollector collector(*arch::find_arch("sm_90"), dialect, {.registers_modules = registers},
                             diag);
    collector.add("a.o", a);
    collector.add("linked.o", linked.build64());
    collector.add("l.a", archive_of({{"a.o", a}, {"b.o", b}}));
    const CollectedInputs found = collector.take();
    ASSERT_EQ(found.code.size(), registers ? 1u : 3u);
    EXPECT_EQ(found.code.back().name, "l.a:b.o");
    EXPECT_EQ(found.modules.size(), 1u);
  }
}

// As nvlink registers them; tests/diff compares whole lists.
TEST(Collect, further_modules_of_an_object_come_last) {
  const Bytes fatbin = container({{}});
  const auto object = [&](std::string_view ids) {
    HostFile file;
    file.with("__nv_relfatbin", fatbin).with(".nvFatBinSegment", "x").with("__nv_module_id", ids);
    return file.build64();
  };
  const Taken run(own_dialect(), {{"a.o", object(std::string_view("_a\0\0_b\0_c\0", 10))},
                                  {"d.o", object(std::string_view("_d\0_e\0", 6))},
                                  {"f.o", object(std::string_view("_f\0", 3))}});
  Words ids;
  for (const HostModule &module : run.found.modules)
    ids.push_back(module.id);
  EXPECT_EQ(ids, (Words{"_a", "_d", "_f", "_e", "_c", "_b"}));
}

TEST(Collect, fatbins_without_code_for_the_target_are_not_registered) {
  const Taken run(own_dialect(), {{"a.fatbin", container({{.sm = 80}})}});
  EXPECT_TRUE(run.found.modules.empty());
}

TEST(Collect, host_references_count_only_if_every_input_has_them) {
  const Bytes fatbin = container({{}});
  const Bytes uses = rdc_object("_a", fatbin, std::string_view("k*\0", 3)).build64();
  const Bytes uses_none = rdc_object("_b", fatbin).build64();
  HostFile silent;
  silent.with("__nv_relfatbin", fatbin).with(".nvFatBinSegment", "x");
  const auto found = [](const Taken &run) {
    return run.found.host ? run.found.host->external_kernels : Words{"unknown"};
  };
  const auto patterns = [&](const std::vector<std::pair<std::string, Bytes>> &inputs) {
    return found(Taken(own_dialect(), inputs));
  };
  EXPECT_EQ(patterns({{"a.o", uses}, {"b.o", uses_none}}), Words{"k*"});
  EXPECT_EQ(patterns({{"a.o", uses}, {"b.a", archive_of({{"b.o", uses}})}}), (Words{"k*", "k*"}));
  EXPECT_EQ(patterns({{"b.o", uses_none}}), Words{"unknown"});
  // The device runtime uses kernels of its own.
  const Bytes runtime = archive_of({{"r.o", uses}});
  EXPECT_EQ(patterns({{"b.o", uses_none}, {"libcudadevrt.a", runtime}}), Words{"unknown"});
  EXPECT_EQ(patterns({{"a.o", uses}, {"libcudadevrt.a", runtime}}), (Words{"k*", "k*"}));
  EXPECT_EQ(patterns({{"b.o", uses_none}, {"other.a", runtime}}), Words{"k*"});
  EXPECT_EQ(patterns({{"a.o", uses}, {"l.so", sample(FileKind::HostImage)}}), Words{"k*"});
  EXPECT_EQ(patterns({{"a.o", uses}, {"x", sample(FileKind::Unknown)}}), Words{"k*"});
  EXPECT_EQ(patterns({{"a.o", uses}, {"x", Bytes{}}}), Words{"k*"});
  EXPECT_EQ(patterns({{"a.o", uses}, {"x.cubin", device_file(2)}}), Words{"k*"});
  for (const Bytes &other :
       {device_file(1), fatbin, sample(FileKind::Ptx), silent.build64(),
        HostFile().with(".text", "x").build64(), archive_of({{"c.cubin", device_file(1)}}),
        archive_of({{"c.cubin", device_file(2)}}), archive_of({{"p.o", HostFile().build64()}})})
    EXPECT_EQ(patterns({{"a.o", uses}, {"other", other}}), Words{"unknown"});
  const Bytes foreign = container({{.sm = 80}});
  EXPECT_EQ(patterns({{"a.o", uses}, {"x.fatbin", foreign}}), Words{"k*"});
  EXPECT_EQ(found(Taken(nvlink_13_0_88(), {{"a.o", uses}, {"x.fatbin", foreign}})),
            Words{"unknown"})
      << "unless --register-link-binaries is given";
  // nvlink reads a cubin of another name as a host object without lists (Q080).
  const std::pair<const char *, bool> names[] = {
      {"c.xyz", false}, {"c.o", false}, {"c.a", false}, {"c.so", true}, {"c", true}};
  for (const auto &[name, known] : names)
    EXPECT_EQ(found(Taken(nvlink_13_0_88(), {{"a.o", uses}, {name, device_file(1)}})),
              known ? Words{"k*"} : Words{"unknown"})
        << name;
}

TEST(Collect, the_runtime_library_is_known_by_name) {
  const Bytes object = rdc_object("_a", container({{}})).build64();
  const auto is_system = [&](const Dialect &dialect, const char *name) {
    return Taken(dialect, {{name, object}}).found.code.at(0).system;
  };
  EXPECT_TRUE(is_system(own_dialect(), "lib/libcudadevrt.a"));
  EXPECT_FALSE(is_system(own_dialect(), "cudadevrt/a.o"));
  EXPECT_FALSE(is_system(own_dialect(), "a.o"));
  EXPECT_TRUE(is_system(nvlink_13_0_88(), "cudadevrt/a.o")); // Q082
  EXPECT_FALSE(is_system(nvlink_13_0_88(), "a.o"));
}

} // namespace
} // namespace culink
