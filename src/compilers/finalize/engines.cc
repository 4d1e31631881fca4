// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engines that link prepared objects are libnvJitLink, in worker processes, and the program
// nvlink. Each thread borrows a worker, because the library does not run two links at once. Only
// the program links with -r or -kernels-used, or several objects. If both engines can run a link,
// their answers are the same.
//
// If an engine refuses objects of one target for another (libnvJitLink: sm_100 for sm_103), it is
// not used for them again. If an engine fails or crashes on a link, the other engine is tried. A
// link that the cache knows starts neither.
//
// A worker takes four times as long to start as the program, mostly for loading the library, but it
// starts once. So the program gets the links of small programs, and the number of workers is
// limited such that each works longer than it takes to start. Only workers use the sandbox, so the
// sandbox makes workers the first choice.
#include "compilers/finalize/engines.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/file.h>
#include <sys/stat.h>

#include "compilers/engine/sandbox.h"
#include "elf/target/elf_flags.h"
#include "support/file_descriptor.h"
#include "support/mapped_file.h"
#include "support/output_file.h"
#include "support/process.h"

namespace culink {

// ---- A folder for nvlink
//
// As an engine, nvlink is slower to start than the library, but it accepts objects that the library
// refuses (sm_100 for sm_103), and a statically linked culink can run it. It silently ignores
// inputs with unexpected name endings, so files in memory are not possible.
//
// The folder has a random name and is not accessible to other users. Its process holds a lock,
// which ends with the process in any case; children do not inherit it. So an unlocked folder is a
// leftover, and the next process removes it.
//
// What may surprise: another process can remove a new folder after it is created and before it is
// locked. Then a further one is created. Only files are removed, and never a folder with a folder
// in it, so foreign contents are safe.

namespace {

constexpr std::string_view kStart = "culink-engine-";
constexpr std::string_view kBlank = "XXXXXX"; // the part that mkdtemp replaces

FileDescriptor open_and_lock(const std::string &path) {
  FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
    folder.close();
  return folder;
}

// True if an open folder still has that name, is ours, and is not accessible to other users.
bool is_ours(const FileDescriptor &folder, const std::string &path) {
  struct stat open {
  }, named{};
  return folder && ::fstat(folder.get(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
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
    if (const FileDescriptor folder = open_and_lock(path); is_ours(folder, path))
      remove_folder(path);
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
    if (FileDescriptor folder = open_and_lock(path); is_ours(folder, path))
      return PrivateFolder(std::move(path), std::move(folder));
  }
  return Error{"", where, system_error("cannot create a folder").message};
}

PrivateFolder::PrivateFolder(PrivateFolder &&other) noexcept
    : path_(std::exchange(other.path_, {})), folder_(std::move(other.folder_)) {}

PrivateFolder::~PrivateFolder() {
  if (!path_.empty())
    remove_folder(path_);
}

namespace {

u64 bytes_of(const EngineLink &job) {
  u64 size = 0;
  for (const ByteSpan object : job.objects)
    size += object.size();
  return size;
}

// Returns a limit that is far above any engine's time for that many bytes. Only a hanging engine
// exceeds it.
std::chrono::seconds time_limit(const EngineLink &job) {
  constexpr u64 kBytesPerSecond = 16 << 10;
  return std::chrono::seconds(120 + bytes_of(job) / kBytesPerSecond);
}

EngineJob library_job(const EngineLink &job) {
  EngineJob out;
  out.options = {"-arch=" + job.target};
  if (job.debug)
    out.options.emplace_back("-g");
  out.inputs = {{EngineInputKind::Cubin, "object", job.objects.front()}};
  return out;
}

// Joins the lines of an engine's error into one message.
Error on_one_line(const Error &error) {
  std::string out;
  for (const char c : error.text())
    out += c == '\n' ? "; " : std::string(1, c);
  out.erase(out.find_last_not_of("; ") + 1);
  return Error{"", "", std::move(out)};
}

bool needs_program(const EngineLink &job) {
  return job.relocatable || !job.kernels.empty() || job.objects.size() != 1;
}

} // namespace

// Processor times of CUDA 13.0 on one machine. Only their ratios matter, and only for speed.
EngineUse choose_engines(const FinalizerEngine &paths, u64 links, u64 code_bytes, u32 threads) {
  constexpr u64 kPerByte = 270, kPerLink = 500'000, kStartOfWorker = 11'500'000; // nanoseconds
  constexpr u64 kProgramsPerWorker = 4; // processes of nvlink that start in the time of one worker
  const u64 most = std::max<u64>(1, std::min<u64>(threads, links));
  const u64 work = code_bytes * kPerByte + links * kPerLink;
  const u64 workers = std::clamp<u64>(work / kStartOfWorker, 1, most);
  EngineUse out;
  out.program_first =
      !paths.nvlink.empty() && !wants_sandbox() && links <= kProgramsPerWorker * workers;
  out.at_once = static_cast<u32>(out.program_first || !paths.has_library() ? most : workers);
  return out;
}

// First asks all workers to stop, then waits: each needs some time to free its memory.
void Engines::end_workers() {
  const std::lock_guard lock(mutex_);
  for (WorkerProcess &worker : idle_)
    worker.stop();
  idle_.clear();
}

Result<WorkerAnswer> Engines::link_with_library(const EngineLink &job) {
  std::optional<WorkerProcess> worker;
  if (const std::lock_guard lock(mutex_); !idle_.empty()) {
    worker.emplace(std::move(idle_.back()));
    idle_.pop_back();
  }
  if (!worker) {
    Result<WorkerProcess> started = WorkerProcess::start(paths_.worker, paths_.library);
    if (!started)
      return started.error();
    worker.emplace(std::move(*started));
  }
  Result<WorkerAnswer> answer = worker->run(library_job(job), time_limit(job), cancelled_);
  if (worker->alive()) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*worker));
  }
  return answer;
}

// The program only takes files by name, so the objects are written to a temporary folder.
Engines::Answer Engines::link_with_program(const EngineLink &job) const {
  const Result<PrivateFolder> own = PrivateFolder::create(paths_.folder);
  if (!own)
    return own.error();
  const std::string &program = paths_.nvlink, output = own->path() + "/linked.cubin";
  std::vector<std::string> words = {program, "-arch=" + job.target};
  if (!job.kernels.empty())
    words.push_back("-kernels-used=" + job.kernels);
  if (job.debug)
    words.emplace_back("-g");
  if (job.relocatable)
    words.emplace_back("-r");
  for (const ByteSpan object : job.objects) {
    words.push_back(own->path() + "/object" + std::to_string(words.size()) + ".cubin");
    if (std::optional<Error> error = write_file(words.back(), object))
      return std::move(*error);
  }
  words.insert(words.end(), {"-o", output});
  const std::chrono::seconds limit = time_limit(job);
  const Result<ProcessResult> run = run_process(words, {}, limit, cancelled_);
  if (!run)
    return Error{"", program, run.error().text()};
  if (run->late)
    return Error{"", "",
                 program + " did not finish within " + std::to_string(limit.count()) + " seconds"};
  if (run->status != 0 && run->status != kLostStatus)
    return Error{"", "", program + " " + describe_exit(run->status) + ": " + run->output};
  const Result<MappedFile> linked = MappedFile::open(output);
  if (!linked)
    return linked.error();
  return std::vector<u8>(linked->bytes().begin(), linked->bytes().end());
}

Engines::Answer Engines::ask(const EngineLink &job, bool program_first) {
  if (cancelled_ && *cancelled_)
    return Error{"", "", "the link was cancelled"};
  if (needs_program(job) && !has_nvlink())
    return Error{"", "", "only nvlink can do that, and it was not found"};
  const bool refused = refused_[job.sm] && has_nvlink();
  if (needs_program(job) || !paths_.has_library() || refused)
    return link_with_program(job);
  if (program_first && has_nvlink())
    if (Answer answer = link_with_program(job))
      return answer;
  return link_by_library_first(job);
}

Engines::Answer Engines::link_by_library_first(const EngineLink &job) {
  std::atomic<bool> &refused = refused_[job.sm];
  Result<WorkerAnswer> answer = link_with_library(job);
  if (answer && answer->outcome == WorkerOutcome::Linked)
    return std::move(answer->image);
  const Error error = answer ? Error{"", "", paths_.library + ": " + answer->text} : answer.error();
  if (!has_nvlink() || (answer && answer->outcome == WorkerOutcome::NotUnderstood))
    return error;
  refused = refused || (answer && answer->outcome != WorkerOutcome::Failed);
  // The program may succeed: it has the same code as the library, but it is not identical.
  Answer second = link_with_program(job);
  const bool same_fault = !second && !refused;
  return same_fault ? Answer(error) : std::move(second);
}

// The question has both engines, because the choice between them depends on the success of the
// first.
CacheQuestion Engines::question_for(const EngineLink &job) const {
  const bool by_library = paths_.has_library() && !needs_program(job);
  return {"finalize",
          {by_library ? paths_.library : "", paths_.nvlink},
          {job.target, job.debug ? "-g" : "", job.relocatable ? "-r" : "", job.kernels},
          job.objects};
}

Engines::Answer Engines::link(const EngineLink &job, bool program_first) {
  const auto is_sound = [&job](const CompilerAnswer &answer) {
    return arch::is_code_for(job.target, answer.image);
  };
  Result<CompilerAnswer> out =
      answer_once(cache_, question_for(job), is_sound, [&]() -> Result<CompilerAnswer> {
        Answer linked = ask(job, program_first);
        if (!linked)
          return on_one_line(linked.error());
        return CompilerAnswer{std::move(*linked), {}};
      });
  if (!out)
    return out.error();
  return std::move(out->image);
}

} // namespace culink
