// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// input_campaign [options] FILE,FILE[,FILE...]...: links programs whose first object comes in a
// fatbin, host object or archive that is damaged, and counts what happens. The wrapping is damaged
// rather than the object, which is link_campaign's part; link_laws.h says what must hold, and no
// file may be left out in silence.
//
// Options as of link_campaign; with --structure, members are changed and packed again
// (containers.h).
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "../unit/host_file.h"
#include "children.h"
#include "containers.h"
#include "input/archive.h"
#include "input/find_code.h"
#include "link_laws.h"
#include "mutator.h"
#include "support/mapped_file.h"
#include "support/output_file.h"

namespace culink::robustness {
namespace {

using test::Bytes;
using test::Member;

enum class Form : u8 { Raw, Lz4, Zstd, Several, Host, Host32, Joined, Archive, LongNames, Count_ };
constexpr u32 kFormCount = static_cast<u32>(Form::Count_);
constexpr std::array<std::string_view, kFormCount> kFormNames = {
    "raw fatbin",    "LZ4 fatbin",     "zstd fatbin", "fatbin of several", "host object",
    "32-bit object", "joined fatbins", "archive",     "long names"};

struct InputCounts {
  u64 next; // number of the mutant being run
  u64 done, refused, same, other, warned, broken_laws;
  std::array<u64, kFormCount> by_form;
};

struct WrappedProgram {
  std::vector<std::string> names;
  std::vector<Bytes> files;
  std::string target;
};

Member member_of(const WrappedProgram &program, Compression how) {
  Member out;
  out.sm = static_cast<u32>(std::stoul(program.target.substr(3)));
  out.payload.assign(program.files[0].begin(), program.files[0].end());
  out.how = how;
  return out;
}

Bytes wrap(const WrappedProgram &program, Form form) {
  const Bytes packed = test::container({member_of(program, Compression::Zstd)});
  const auto host = [](const Bytes &fatbin) { return test::rdc_object("_id", fatbin).build64(); };
  switch (form) {
  case Form::Raw:
    return test::container({member_of(program, Compression::None)});
  case Form::Lz4:
    return test::container({member_of(program, Compression::Lz4)});
  case Form::Zstd:
  case Form::Count_:
    break;
  case Form::Several: {
    Member other = member_of(program, Compression::Lz4);
    other.sm = 103;
    Member text{
        .kind = FatbinKind::Ptx, .sm = 200, .payload = ".version 9.0", .identifier = "a.cu"};
    text.options = "--compile-only";
    return test::container({other, text, member_of(program, Compression::Zstd)});
  }
  case Form::Host:
    return host(packed);
  case Form::Host32:
    return test::rdc_object("_id", packed).build32();
  case Form::Joined: {
    Bytes two = test::container({Member{.sm = 200}});
    two.resize(align_up(two.size(), 64));
    two.insert(two.end(), packed.begin(), packed.end());
    return host(two);
  }
  case Form::Archive:
    return test::archive_of(
        {{"plain.o", test::HostFile().with(".text", "x").build64()}, {"code.o", host(packed)}});
  case Form::LongNames: {
    Bytes out = test::archive_of({});
    test::add_member(out, "//", test::bytes_of("a_name_of_many_characters.o/\n"));
    test::add_member(out, "/0", host(packed));
    return out;
  }
  }
  return packed;
}

struct Wrapping {
  const WrappedProgram *program = nullptr;
  Form form = Form::Raw;
  Bytes whole, damaged;
  u32 option_set = 0;
  bool rebuilt = false; // members may have been left out
};

Wrapping damage_wrapping(const std::vector<WrappedProgram> &programs,
                         const CampaignOptions &options, u64 number) {
  Random random(options.seed * 0x100000001b3 + number);
  Wrapping out;
  out.program = &programs[random.below(programs.size())];
  out.form = static_cast<Form>(random.below(kFormCount));
  out.whole = wrap(*out.program, out.form);
  out.damaged = out.whole;
  for (u64 edits = 1 + random.below(3); edits > 0; --edits)
    (options.structure ? mutate_input : damage_container)(out.damaged, random);
  out.option_set = static_cast<u32>(random.below(kOptionSetCount));
  out.rebuilt = options.structure;
  return out;
}

LinkRequest request_with(const Wrapping &wrapping, std::optional<ByteSpan> first, u32 option_set) {
  LinkRequest request;
  request.target = wrapping.program->target;
  if (first)
    request.inputs.push_back(LinkInput::memory("first input", *first));
  for (size_t i = 1; i < wrapping.program->files.size(); ++i)
    request.inputs.push_back(
        LinkInput::memory(wrapping.program->names[i], wrapping.program->files[i]));
  choose_options(option_set, request);
  return request;
}

std::string judge(const Wrapping &wrapping, u32 option_set, InputCounts &counts) {
  // A buffer of the exact size lets a sanitizer see any read past its end.
  const Bytes exact(wrapping.damaged.begin(), wrapping.damaged.end());
  const LinkRequest request = request_with(wrapping, exact, option_set);
  const LinkResult result = link(request);
  if (std::string law = broken_law(request, result); !law.empty())
    return law;
  if (!result.ok()) {
    ++counts.refused;
    return "";
  }
  counts.warned += !result.messages.empty();
  const bool same = result.bytes == link(request_with(wrapping, wrapping.whole, option_set)).bytes;
  ++(same ? counts.same : counts.other);
  if (same || !result.messages.empty() || !request.emulate.empty())
    return "";
  // An archive that ends between two members is whole.
  if (wrapping.form >= Form::Archive && exact.size() < wrapping.whole.size() && read_archive(exact))
    return "";
  // A container from which the code was taken is whole, too.
  const auto found = find_code("", exact).code;
  if (wrapping.rebuilt && found.empty())
    return "";
  // That a library has code for other targets only is nothing to tell.
  for (const FoundCode &code : found)
    if (code.member != "" && code.target != wrapping.program->target)
      return "";
  const LinkResult without = link(request_with(wrapping, std::nullopt, option_set));
  return without.bytes == result.bytes ? "leaves the file out in silence" : "";
}

void run_wrapping(const std::vector<WrappedProgram> &programs, const CampaignOptions &options,
                  u64 number, InputCounts &counts) {
  const Wrapping wrapping = damage_wrapping(programs, options, number);
  for (const u32 option_set : {u32{0}, wrapping.option_set})
    if (const std::string law = judge(wrapping, option_set, counts); !law.empty()) {
      fmt::print("mutant {}, options {}: {}\n", number, option_set, law);
      std::fflush(stdout);
      ++counts.broken_laws;
    }
  ++counts.by_form[static_cast<u32>(wrapping.form)];
  ++counts.done;
}

// Each law has to hold without damage, too, with each set of options: which of them mutants meet
// depends on how many there are.
u64 laws_broken_without_damage(const std::vector<WrappedProgram> &programs) {
  u64 broken = 0;
  for (const WrappedProgram &program : programs) {
    const Wrapping none{.program = &program};
    const Bytes whole = wrap(program, Form::Host);
    for (u32 option_set = 0; option_set < kOptionSetCount; ++option_set) {
      const LinkRequest request = request_with(none, whole, option_set);
      const std::string law = broken_law(request, link(request));
      if (law.empty())
        continue;
      fmt::print("undamaged {}, options {}: {}\n", program.names[0], option_set, law);
      ++broken;
    }
  }
  return broken;
}

bool load(const std::string &list, WrappedProgram &program) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const Result<MappedFile> file = MappedFile::open(list.substr(begin, end - begin));
    if (!file)
      return false;
    program.names.push_back(list.substr(begin, end - begin));
    program.files.emplace_back(file->bytes().begin(), file->bytes().end());
    begin = end + 1;
  }
  program.target = target_of(program.files[0]);
  if (program.target.empty() || program.files.size() < 2)
    return false;
  const Wrapping none{.program = &program};
  return link(request_with(none, wrap(program, Form::Host), 0)).ok();
}

int run(int argc, char **argv) {
  const CampaignOptions options = parse_options(argc, argv);
  std::vector<WrappedProgram> programs;
  for (const std::string &list : options.arguments)
    if (!load(list, programs.emplace_back()))
      programs.pop_back();
  InputCounts *counts = shared_memory<InputCounts>();
  if (programs.empty() || !counts) {
    fmt::print(stderr, "usage: input_campaign [--count=N] [--seed=N] CUBIN,CUBIN[,CUBIN...]...\n");
    return 2;
  }
  if (options.save >= 0) {
    const u64 number = static_cast<u64>(options.save);
    return write_file("mutant", damage_wrapping(programs, options, number).damaged) ? 1 : 0;
  }
  counts->broken_laws = laws_broken_without_damage(programs);
  const Deaths deaths = run_campaign(
      options, counts->next, [&](u64 number) { run_wrapping(programs, options, number, *counts); });
  fmt::print("mutants {}, seed {}, of {} programs\n", counts->done, options.seed, programs.size());
  for (u32 i = 0; i < kFormCount; ++i)
    fmt::print("{} {}{}", kFormNames[i], counts->by_form[i], i + 1 < kFormCount ? ", " : "\n");
  fmt::print("refused {}, same output {}, other output {}, with a warning {}, peak memory {} MB\n",
             counts->refused, counts->same, counts->other, counts->warned,
             deaths.peak_kilobytes / 1024);
  fmt::print("crashes {}, hangs {}, broken laws {}\n", deaths.crashes, deaths.hangs,
             counts->broken_laws);
  return deaths.crashes + deaths.hangs + counts->broken_laws == 0 ? 0 : 1;
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
