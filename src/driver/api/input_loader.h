// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <optional>
#include <vector>

#include "culink/linker.h"
#include "culink/step_time.h"
#include "driver/api/lto_job.h"
#include "elf/target/arch.h"
#include "input/collect.h"
#include "input/compile_ptx.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"
#include "support/mapped_file.h"
#include "support/output_file.h"
#include "support/types.h"
#include "support/worker_pool.h"

namespace culink {

// The time that a link waits for compilers; the times of its own steps do not show it. Several
// threads may wait at once; their times are added.
class CompilerClock {
public:
  template <typename Call> auto wait_for(const Call &call) {
    const auto start = std::chrono::steady_clock::now();
    auto answer = call();
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - start;
    nanoseconds_ += static_cast<u64>(passed.count());
    ++calls_;
    return answer;
  }

  // Appends a row, unless no compiler was called.
  void add_row(std::string_view name, std::vector<StepTime> &rows) const {
    constexpr double kSecond = 1e9;
    if (calls_ != 0)
      rows.push_back({name, static_cast<double>(nanoseconds_.load()) / kSecond, 0});
  }

private:
  std::atomic<u64> nanoseconds_ = 0;
  std::atomic<u32> calls_ = 0;
};

// Turns the inputs of a request into objects. Owns the bytes that the objects refer to: mapped
// files and unpacked code. Reads every input even if an earlier one is broken, so that one run
// names all broken files.
class InputLoader {
public:
  // `cache` may be null.
  InputLoader(const LinkRequest &request, const arch::ArchInfo &target, const Dialect &dialect,
              Diagnostics &diag, Cache *cache, const FileSource &source = system_files())
      : request_(request), target_(target), dialect_(dialect), diag_(diag), cache_(cache),
        source_(source) {}

  // True if there are enough files to open them in several threads.
  [[nodiscard]] bool has_many_files() const;
  // The first step: finds the code in the inputs.
  void collect(WorkerPool &pool);
  // Reports the messages of collect() if load() is not called.
  void report() { say_until(early_.all().size(), 2 * static_cast<u32>(found_.code.size())); }
  // Between the steps: replaces code for link-time optimisation by optimised code.
  void optimize();
  // The result of link-time optimisation; nothing if there was no such code or it failed.
  [[nodiscard]] const std::optional<LtoOutcome> &optimised() const { return optimised_; }
  // Compiles a whole program; replaces the second step.
  [[nodiscard]] std::optional<std::vector<u8>> compile_whole();
  // The number of bytes of code that were found.
  [[nodiscard]] u64 code_size() const;
  // After load(): the number of bytes that were packed.
  [[nodiscard]] u64 unpacked_size() const;
  // True if a compiler has to run.
  [[nodiscard]] bool has_ptx() const {
    return std::any_of(found_.code.begin(), found_.code.end(),
                       [](const DeviceCode &code) { return code.form == DeviceCode::Form::Ptx; });
  }
  // The names of inputs that are compiled.
  [[nodiscard]] std::vector<std::string> ptx_names() const;
  // The second step: unpacks and reads the code, in the order in which it was found.
  [[nodiscard]] std::vector<InputObject> load(WorkerPool &pool);
  // Loads the inputs without objects of system libraries that nothing needs.
  [[nodiscard]] std::vector<InputObject> load_needed(WorkerPool &pool);

  // Releases the pages of very large mapped files; the system reads them again on access.
  void drop_pages() const;

  // Reports files that were truncated or extended during the link. Data read from them may be
  // wrong: a mapping has zeros after the new end, up to the next page.
  void report_changed() const;

  // After load(): the code that was read, with its bytes.
  [[nodiscard]] const std::vector<LinkInput> &code() const { return code_; }
  // The options of the request, with the kernels that host code refers to.
  [[nodiscard]] LinkOptions options() const;
  [[nodiscard]] const std::vector<HostModule> &modules() const { return found_.modules; }
  [[nodiscard]] const std::vector<SkippedCode> &skipped() const { return found_.skipped; }
  // Appends rows with the waits for the compilers.
  void add_waits(std::vector<StepTime> &rows) const {
    ptxas_.add_row("ptxas", rows);
    optimizer_.add_row("optimiser", rows);
  }

private:
  struct Slot {
    std::optional<ByteSpan> bytes;
    std::vector<u8> unpacked;
    std::optional<InputObject> object;
    std::string_view not_relocatable = {}; // why it cannot be linked: it is an image
    Diagnostics diag;
  };

  [[nodiscard]] bool is_cancelled() const {
    return request_.progress && request_.progress->cancelled;
  }
  struct OpenedFile {
    Result<MappedFile> file;
    bool whole = false; // a device object that is not truncated
  };
  [[nodiscard]] OpenedFile open_file(const std::string &path) const;
  [[nodiscard]] std::vector<std::optional<OpenedFile>> open_files(WorkerPool &pool) const;
  void add_file(InputCollector &collector, const std::string &path, OpenedFile opened);
  void keep_from_outputs(const std::string &path, const MappedFile &file);
  void say_until(size_t end, u32 step);
  void add_libraries(InputCollector &collector);
  void skip_linked(const DeviceCode &code, std::string_view why);
  void report_nothing_to_link();
  void report_damage(const DeviceCode &code, const Error &error, Diagnostics &diag) const;
  [[nodiscard]] size_t count_within_budget() const;
  void refuse_to_unpack(const DeviceCode &code, Diagnostics &diag) const;
  [[nodiscard]] std::optional<ByteSpan> unpack_code(const DeviceCode &code, Slot &slot) const;
  [[nodiscard]] PtxCompiler compiler_for(const DeviceCode &code) const;
  [[nodiscard]] std::optional<std::vector<u8>> compile(const PtxCompiler &compiler,
                                                       const std::string &name, ByteSpan text,
                                                       Diagnostics &diag) const;

  const LinkRequest &request_;
  const arch::ArchInfo &target_;
  const Dialect &dialect_;
  Diagnostics &diag_;
  Cache *cache_;
  const FileSource &source_;
  Diagnostics early_; // messages of collect()
  size_t said_ = 0;   // how many of these have been reported
  std::vector<std::pair<FileIdentity, const PlannedOutput *>> outputs_; // files that exist already
  std::deque<MappedFile> files_;
  std::vector<std::string> paths_; // of these
  CollectedInputs found_;
  std::optional<LtoOutcome> optimised_;
  mutable CompilerClock ptxas_, optimizer_;
  size_t within_budget_ = 0; // pieces of code that may be unpacked, from the first
  std::vector<Slot> slots_;
  std::vector<LinkInput> code_;
};

} // namespace culink
