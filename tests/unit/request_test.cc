// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected texts are what nvlink 13.0.88 wrote for these command lines.
#include <gtest/gtest.h>

#include "driver/options/command_line.h"

namespace culink {
namespace {

constexpr const char *kEmulate = "--emulate=nvlink-13.0.88";

std::string recorded(const std::vector<std::string> &words) {
  Diagnostics diag;
  return note_options(parse_command_line(words, diag));
}

TEST(NoteOptions, have_an_order_of_their_own) {
  EXPECT_EQ(recorded({"main.cubin", "-arch=sm_90", "-m64", "--machine=64", "-cpu-arch", "X86",
                      "-report-arch", "-extrawarn", "-disable-infos", "-keep-system-libraries",
                      "-kernels-used", "a,smooth", "-variables-used", "q"}),
            "-arch sm_90 -m 64 -disable-infos  -keep-system-libraries  -kernels-used a,smooth "
            "-variables-used q -cpu-arch X86 -report-arch  -extrawarn  ");
  EXPECT_EQ(recorded({"-r", "-dump-callgraph", "-ignore-host-info", "-arch", "sm_90"}),
            "-arch sm_90 -dump-callgraph  -ignore-host-info  -r  ");
  EXPECT_EQ(recorded({"-dump-callgraph-no-demangle", "-preserve-relocs", "-arch=sm_90",
                      "-suppress-arch-warning", "-suppress-stack-size-warning"}),
            "-suppress-stack-size-warning  -suppress-arch-warning  -arch sm_90 -preserve-relocs  "
            "-dump-callgraph-no-demangle  ");
  EXPECT_EQ(recorded({"-r", "-preserve-relocs", "-w", "-Werror", "-disable-infos", "-v"}),
            "-v  -preserve-relocs  -w  -Werror  -disable-infos  -r  ");
}

// nvlink 13.4.92.
TEST(NoteOptions, have_places_for_options_of_later_releases) {
  EXPECT_EQ(recorded({"-maxrregcount=32", "-astoolspatch", "-suppress-debug-info", "-v2",
                      "-preserve-relocs", "-cpu-arch=RISCV64", "-v", "-split-compile=1"}),
            "-v  -v2  -preserve-relocs  -cpu-arch RISCV64 -split-compile 1 -suppress-debug-info  "
            "-astoolspatch  -maxrregcount 32 ");
}

TEST(NoteOptions, join_lists_and_normalise_numbers) {
  EXPECT_EQ(recorded({"-l", "a,,b", "-L", "x,", "-L", ",y", "-lfoo,bar", kEmulate}),
            "-l a,b,foo,bar -L x,y ");
  EXPECT_EQ(recorded({"-kernels-used", ""}), "-kernels-used  ");
  EXPECT_EQ(recorded({"-maxrregcount", "032"}), "-maxrregcount 26 ");
}

TEST(NoteOptions, name_files_with_debug_only) {
  EXPECT_EQ(recorded({"d/a.cubin", "-o", "./o.cubin", "-time", "t", "-arch=sm_90"}),
            "-arch sm_90 ");
  EXPECT_EQ(recorded({"d/m2.cubin", "filter.cubin", "-g", "-o", "./o.cubin", "-v", "-arch=sm_90",
                      "-suppress-arch-warning", "-L/x/y/", "-lz", kEmulate}),
            "m2.cubin,filter.cubin -suppress-arch-warning  -o o.cubin -g  -arch sm_90 -l z "
            "-L /x/y/ -v  ");
  EXPECT_EQ(recorded({"m", "f", "-g", "-time", "t.csv", "--register-link-binaries", "x/r.c", "-L",
                      "/a/b", "-suppress-debug-info", "--host-ccbin", "gcc", "-o", "o", kEmulate}),
            "m,f -o o -g  -L /a/b - r.c -time t.csv -suppress-debug-info  ");
}

// No path of the machine reaches an output that is not to be nvlink's.
TEST(NoteOptions, leave_paths_out) {
  const std::vector<std::string> words = {"-arch=sm_90", "-L/a", "-lb", "-nvvmpath=/c",
                                          "-Xptxas=-O2,--file=/d"};
  EXPECT_EQ(recorded(words), "-arch sm_90 -l b -Xptxas -O2 ");
  EXPECT_EQ(recorded({"-Xptxas=--file=/d"}), "");
}

TEST(ParseNote, reads_what_links_have_recorded) {
  for (const std::vector<std::string> &words :
       {std::vector<std::string>{"-arch=sm_90", "-r", "-w", "-lb,c", "-maxrregcount=32"},
        {"-arch=sm_90", "-kernels-used=f(int, float),k<1, 2>", "-variables-used=v", "-extrawarn"},
        {"-arch=sm_90", "-Xptxas=-O1,-w", "-dlto", "-kernels-used="}}) {
    const CommandLine read = parse_note(recorded(words));
    EXPECT_EQ(note_options(read), recorded(words));
    EXPECT_EQ(read.value(OptionId::Arch), "sm_90");
  }
  EXPECT_EQ(parse_note("-h  -t  -kernels-used f(int, float) -g ").list(OptionId::KernelsUsed),
            std::vector<std::string>{"f(int, float)"});
  EXPECT_FALSE(parse_note("-h  -t  ").has(OptionId::Help));
}

// The last of two values counts.
TEST(MakeRequest, passes_options_on_to_the_compiler_in_the_order_of_nvlink) {
  Diagnostics diag;
  const CommandLine line =
      parse_command_line({"-v2", "-v", "-split-compile=2", "-device-stack-protector=true", "-dlto",
                          "-Ofc=mid", "-maxrregcount=32", "-Xptxas=-O1 -O2,-w", "-g"},
                         diag);
  EXPECT_EQ(
      make_request(line).ptxas_options,
      (std::vector<std::string>{"-g", "-O1", "-O2", "-w", "-maxrregcount=32", "--Ofast-compile=mid",
                                "--device-stack-protector=true", "-split-compile=2", "-v2"}));
}

TEST(DescribeRequest, gives_the_words_that_would_have_asked_for_it) {
  LinkRequest request;
  request.target = "sm_80";
  request.inputs = {LinkInput::memory("x/a", {}), LinkInput::file("b")};
  request.options.debug = true;
  request.options.relocatable = true;
  request.options.object_name = "out";
  request.options.kernels_used = {"k"};
  EXPECT_EQ(note_options(describe_request(request)),
            "a,b -o out -g  -arch sm_80 -kernels-used k -r  ");
}

} // namespace
} // namespace culink
