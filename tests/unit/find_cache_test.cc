// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/toolkit/find_tools.h"

#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace culink {
namespace {

// The variables as they were, when it ends.
class Variables {
public:
  explicit Variables(const std::map<std::string, std::string> &wanted) {
    for (const char *name :
         {"CULINK_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "CULINK_CACHE_SIZE", "CULINK_CACHE_REMOTE",
          "CULINK_CACHE_REMOTE_READ_ONLY", "CULINK_NO_CACHE"}) {
      if (const char *value = std::getenv(name))
        before_[name] = value;
      ::unsetenv(name);
      if (const auto found = wanted.find(name); found != wanted.end())
        ::setenv(name, found->second.c_str(), 1);
      names_.emplace_back(name);
    }
  }
  Variables(const Variables &) = delete;
  Variables &operator=(const Variables &) = delete;
  ~Variables() {
    for (const std::string &name : names_) {
      ::unsetenv(name.c_str());
      if (const auto found = before_.find(name); found != before_.end())
        ::setenv(name.c_str(), found->second.c_str(), 1);
    }
  }

private:
  std::vector<std::string> names_;
  std::map<std::string, std::string> before_;
};

CacheOptions found_with(const std::map<std::string, std::string> &wanted) {
  const Variables variables(wanted);
  return find_cache();
}

TEST(FindCache, LooksWhereUsersHaveCaches) {
  EXPECT_EQ(found_with({{"HOME", "/h"}}).folder, "/h/.cache/culink");
  EXPECT_EQ(found_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).folder, "/x/culink");
  EXPECT_EQ(found_with({{"HOME", "/h"}, {"XDG_CACHE_HOME", "x"}}).folder, "/h/.cache/culink");
  EXPECT_EQ(found_with({{"HOME", "/h"}, {"CULINK_CACHE_DIR", "c"}}).folder, "c");
  EXPECT_TRUE(found_with({}).empty());
  EXPECT_TRUE(found_with({{"HOME", "/h"}}).folder_is_guess);
  EXPECT_FALSE(found_with({{"CULINK_CACHE_DIR", "c"}}).folder_is_guess);
  EXPECT_TRUE(found_with({{"HOME", "h"}}).empty());
}

TEST(FindCache, TakesTheRestFromVariables) {
  const CacheOptions plain = found_with({{"HOME", "/h"}});
  EXPECT_EQ(plain.size, u64{5} << 30);
  EXPECT_FALSE(plain.remote_read_only);
  const CacheOptions all = found_with({{"CULINK_CACHE_REMOTE", "http://h"},
                                       {"CULINK_CACHE_REMOTE_READ_ONLY", "1"},
                                       {"CULINK_CACHE_SIZE", "1M"}});
  EXPECT_EQ(all.remote, "http://h");
  EXPECT_TRUE(all.remote_read_only);
  EXPECT_EQ(all.size, 1U << 20);
  EXPECT_EQ(found_with({{"HOME", "/h"}, {"CULINK_CACHE_SIZE", "?"}}).size, u64{5} << 30);
  EXPECT_TRUE(found_with({{"HOME", "/h"}, {"CULINK_NO_CACHE", "1"}}).empty());
  EXPECT_FALSE(found_with({{"HOME", "/h"}, {"CULINK_NO_CACHE", "0"}}).empty());
}

} // namespace
} // namespace culink
