// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder has a name that nobody can foresee and nobody else may enter it. Whoever uses it holds
// a lock, which ends with the process, however that ends; children do not inherit it. So a folder
// of ours that nobody has locked was left behind, and the next one removes it.
//
// What may surprise: somebody who looks for such folders can come between the moments at which a
// new one is made and locked. Then it is gone, and another one is made. Only files are removed, and
// no folder with a folder in it: nothing that we have not made.
#include "finalize/private_folder.h"

#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/system_error.h"

namespace culink {

namespace {

constexpr std::string_view kStart = "culink-engine-";
constexpr std::string_view kBlank = "XXXXXX"; // what mkdtemp fills

int open_and_lock(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0)
    return fd;
  ::close(fd);
  return -1;
}

// Whether an open folder has that name, belongs to us, and nobody else may enter it.
bool is_ours(int fd, const std::string &path) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev && open.st_uid == ::geteuid() &&
         (open.st_mode & 0777) == 0700;
}

// Calls use(name) for each name in a folder.
template <class Use> void for_each_name(const std::string &folder, Use use) {
  DIR *names = ::opendir(folder.c_str());
  if (!names)
    return;
  while (const dirent *entry = ::readdir(names))
    use(std::string(entry->d_name));
  ::closedir(names);
}

void remove_folder(const std::string &path) {
  for_each_name(path, [&](const std::string &name) { ::unlink((path + "/" + name).c_str()); });
  ::rmdir(path.c_str());
}

void remove_left_folders(const std::string &where) {
  for_each_name(where, [&](const std::string &name) {
    if (!name.starts_with(kStart) || name.size() != kStart.size() + kBlank.size())
      return;
    const std::string path = where + "/" + name;
    const int fd = open_and_lock(path);
    if (fd < 0)
      return;
    if (is_ours(fd, path))
      remove_folder(path);
    ::close(fd);
  });
}

} // namespace

Result<PrivateFolder> PrivateFolder::create(const std::string &where) {
  constexpr int kMostTries = 10;
  remove_left_folders(where);
  for (int i = 0; i < kMostTries; ++i) {
    std::string path = where + "/" + std::string(kStart) + std::string(kBlank);
    if (!::mkdtemp(path.data()))
      break;
    const int fd = open_and_lock(path);
    if (fd >= 0 && is_ours(fd, path))
      return PrivateFolder(std::move(path), fd);
    if (fd >= 0)
      ::close(fd);
  }
  return Error{"", where, system_error("cannot create a folder").message};
}

PrivateFolder::PrivateFolder(PrivateFolder &&other) noexcept
    : path_(std::exchange(other.path_, {})), fd_(std::exchange(other.fd_, -1)) {}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty())
    remove_folder(path_);
  if (fd_ >= 0)
    ::close(fd_);
}

} // namespace culink
