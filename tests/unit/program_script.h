// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of a test's own, written as a shell script.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace culink {

class ProgramScript {
public:
  explicit ProgramScript(const std::string &text)
      : path_(::testing::TempDir() + "program-" + std::to_string(::getpid()) + "-" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::ofstream(path_) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ProgramScript(const ProgramScript &) = delete;
  ProgramScript &operator=(const ProgramScript &) = delete;
  ~ProgramScript() { std::remove(path_.c_str()); }

  [[nodiscard]] const std::string &path() const { return path_; }

private:
  std::string path_;
};

} // namespace culink
