// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/find_code.h"

#include <gtest/gtest.h>

#include "examples.h"
#include "host_file.h"

namespace culink {
namespace {

using test::archive_of;
using test::Bytes;
using test::bytes_of;
using test::container;
using test::HostFile;
using test::rdc_object;

using Words = std::vector<std::string>;

// "member:place:name" of everything found.
Words found_in(const Bytes &bytes) {
  Words out;
  for (const FoundCode &code : find_code("file", bytes).code)
    out.push_back(code.member + ":" + std::string(code.place) + ":" + code.name());
  return out;
}

Bytes three_members() {
  return container({{.sm = 90, .letter = 'a'},
                    {.kind = FatbinKind::Ptx, .sm = 80, .payload = ".version 9.0"},
                    {.kind = FatbinKind::Lto, .sm = 75}});
}

TEST(FindCode, lists_every_member_of_every_container) {
  Bytes two = three_members();
  const Bytes more = container({{.sm = 100, .letter = 'f'}});
  two.resize(two.size() + 40);
  two.insert(two.end(), more.begin(), more.end());
  EXPECT_EQ(found_in(two), (Words{":fatbin:1.sm_90a.cubin", ":fatbin:2.compute_80.ptx",
                                  ":fatbin:3.lto_75.ltoir", ":fatbin:4.sm_100f.cubin"}));
}

TEST(FindCode, looks_into_objects_programs_and_libraries) {
  HostFile program;
  program.with("__nv_relfatbin", three_members()).with(".nv_fatbin", container({{}}));
  for (const u16 type : {1, 2, 3}) {
    program.type = type;
    EXPECT_EQ(found_in(program.build64()).size(), 4u) << type;
    EXPECT_EQ(found_in(program.build64()).front(), ":.nv_fatbin:1.sm_90.cubin")
        << "what is linked comes first";
    EXPECT_EQ(found_in(program.build32()).size(), 4u) << type;
  }
}

TEST(FindCode, looks_into_archives) {
  const Bytes file = archive_of({{"a.o", rdc_object("_a", three_members()).build64()},
                                 {"readme", bytes_of("text")},
                                 {"b.fatbin", container({{.sm = 75}})},
                                 {"c.ptx", bytes_of(".version 9.0\n.target sm_90a, debug\n")}});
  EXPECT_EQ(found_in(file),
            (Words{"a.o:__nv_relfatbin:1.sm_90a.cubin", "a.o:__nv_relfatbin:2.compute_80.ptx",
                   "a.o:__nv_relfatbin:3.lto_75.ltoir", "b.fatbin:fatbin:4.sm_75.cubin",
                   "c.ptx:file:5.compute_90a.ptx"}));
}

TEST(FindCode, numbers_fatbins_and_tells_relocatable_parts) {
  HostFile program;
  program.with("__nv_relfatbin", three_members()).with(".nv_fatbin", container({{}, {.sm = 80}}));
  const Bytes file = program.build64();
  const CodeInFile found = find_code("program", file);
  ASSERT_EQ(found.code.size(), 5u);
  ASSERT_EQ(found.fatbins.size(), 2u);
  EXPECT_EQ(found.code[1].fatbin, 1u);
  EXPECT_FALSE(found.code[1].linkable);
  EXPECT_EQ(found.code[4].fatbin, 2u);
  EXPECT_TRUE(found.code[4].linkable);
  EXPECT_EQ(found.fatbins[1].size(), three_members().size());
  EXPECT_EQ(found.kind, FileKind::HostObject);
}

TEST(FindCode, takes_a_cubin_as_it_is) {
  const std::vector<u8> cubin = test::read_example("vector_math/sm_90/main.cubin");
  const CodeInFile found = find_code("main.cubin", cubin);
  ASSERT_EQ(found.code.size(), 1u);
  EXPECT_EQ(found.code[0].name(), "1.sm_90.cubin");
  EXPECT_EQ(*unpack(found.code[0]), cubin);
}

TEST(FindCode, members_have_several_names) {
  const Bytes file = archive_of({{"a:b.o", rdc_object("_a", three_members()).build64()}});
  const CodeInFile found = find_code("l.a", file);
  ASSERT_EQ(found.code.size(), 3u);
  for (const char *name : {"2", "2.compute_80.ptx", "compute_80", "a:b.o", "a:b.o:2",
                           "a:b.o:compute_80", "a:b.o:2.compute_80.ptx"})
    EXPECT_TRUE(found.code[1].is_called(name)) << name;
  for (const char *name : {"1", "sm_80", "", "a", "b.o", "a:b.o:", "a:b.o:1", "2.compute_80"})
    EXPECT_FALSE(found.code[1].is_called(name)) << name;
}

TEST(FindCode, tells_what_is_damaged_and_lists_the_rest) {
  Bytes damaged = three_members();
  damaged[8] = 0xff; // size of the container
  const Bytes file = archive_of({{"bad.o", rdc_object("_a", damaged).build64()},
                                 {"inner.a", archive_of({})},
                                 {"good.fatbin", container({{}})}});
  const CodeInFile found = find_code("l.a", file);
  ASSERT_EQ(found.problems.size(), 2u);
  EXPECT_TRUE(found.problems[0].text().starts_with("bad.o, fatbin container at 0x0, size"));
  EXPECT_EQ(found.problems[1].text(), "inner.a: archives inside archives are not read");
  EXPECT_EQ(found.code.size(), 1u);
  EXPECT_EQ(find_code("x", bytes_of("something else")).problems.size(), 1u);
}

} // namespace
} // namespace culink
