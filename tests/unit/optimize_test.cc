// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected lists are what nvlink 13.0.88 gives its own optimiser, seen by a library in its
// place.
#include "compilers/lto/optimize.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

using Words = std::vector<std::string>;

TEST(OptimizerWords, ProgramOfFilesIsToldThatTheHostWasAsked) {
  EXPECT_EQ(optimizer_words({}, {}), Words{"-has-global-host-info"});
}

TEST(OptimizerWords, WhatTheHostUsesIsListed) {
  OptimizerTask task;
  task.open = true;
  task.host = HostReferences{{"_Z2ka*", "_Z2kb*"}, {"s*"}, {"v"}, {}, {"c"}, {}};
  EXPECT_EQ(optimizer_words(task, {}),
            (Words{"--device-c", "-has-global-host-info", "-host-ref-ek=_Z2ka*,_Z2kb*",
                   "-host-ref-ik=s*", "-host-ref-ec=c", "-host-ref-eg=v"}));
  task.host_counts = false;
  EXPECT_EQ(optimizer_words(task, {}), Words{"--device-c"});
}

TEST(OptimizerWords, ObjectsForLinkingKeepEverything) {
  OptimizerTask task;
  task.separate = true;
  task.host = HostReferences{{"k*"}, {}, {}, {}, {}, {}};
  EXPECT_EQ(optimizer_words(task, {}), (Words{"--device-c", "--force-device-c"}));
}

TEST(OptimizerWords, OptionsComeInNvlinksOrder) {
  OptimizerTask task;
  task.debug = true;
  task.compiled.max_registers = 32;
  LtoOptions options;
  options.split_compile = 2;
  options.fast_compile = "max";
  options.nvvm_options = {"-opt=1"};
  EXPECT_EQ(
      optimizer_words(task, options),
      (Words{"-maxreg=32", "-split-compile=2", "-Ofast-compile=max", "-g", "-has-global-host-info",
             "-opt=1", "-ftz=0", "-prec-div=1", "-prec-sqrt=1", "-fma=1"}));
}

TEST(OptimizerWords, DividingGivesWayToTextAndReplacesThreads) {
  LtoOptions options;
  options.split_compile_extended = 4;
  EXPECT_EQ(optimizer_words({}, options),
            (Words{"-split-compile-extended=4", "-has-global-host-info"}));
  options.emit_ptx = true;
  EXPECT_EQ(optimizer_words({}, options), (Words{"-split-compile=4", "-has-global-host-info"}));
  options.split_compile = 3;
  EXPECT_EQ(optimizer_words({}, options), (Words{"-split-compile=3", "-has-global-host-info"}));
  options.emit_ptx = false;
  options.split_compile_extended = 1;
  EXPECT_EQ(optimizer_words({}, options), Words{"-has-global-host-info"});
}

} // namespace
} // namespace culink
