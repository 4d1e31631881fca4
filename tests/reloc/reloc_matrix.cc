// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every relocation type against every kind of symbol, in both kinds of table, in three modes of
// linking: culink's answers against nvlink's.
//
//   reloc_matrix FOLDER TARGET...                   compares with FOLDER/matrix-TARGET.txt
//   reloc_matrix --record NVLINK FOLDER TARGET...   adds the rows that this file does not have yet
//   reloc_matrix --write FOLDER TARGET SYMBOL TABLE TYPE   writes front.cubin and probe.cubin, to
//   be
//                                                          linked by hand
//
// The probe is the second of two inputs, so that its sections do not start where the output's do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <sys/wait.h>

#include "answers.h"
#include "culink/linker.h"
#include "elf/target/reloc.h"
#include "support/mapped_file.h"
#include "support/output_file.h"

namespace culink::reloc_test {
namespace {

constexpr u32 kToldAtMost = 60;

// The request in words: the target and the bytes of the probe.
struct Question {
  const SymbolCase &symbol;
  Table table;
  Mode mode;
  u32 type;
};

struct Setting {
  std::string target;
  std::vector<u8> front;
  Probe probe;
};

Answer ask_culink(const Setting &setting, const Question &q) {
  const std::vector<u8> probe = setting.probe.make(q.symbol, q.table, q.type);
  LinkRequest request;
  request.target = setting.target;
  request.emulate = "nvlink-13.0.88";
  request.inputs = {LinkInput::memory("front.cubin", setting.front),
                    LinkInput::memory("probe.cubin", probe)};
  request.options.relocatable = q.mode == Mode::Relocatable;
  request.options.preserve_relocs = q.mode == Mode::PreserveRelocs;
  request.options.threads = 1;
  const LinkResult result = link(request);
  if (result.ok())
    return answer_of_output({result.bytes.data(), result.bytes.size()}, q.symbol, q.table, q.type);
  for (const Message &message : result.messages)
    if (message.severity >= Severity::Error)
      return answer_of_refusal(message.id);
  return answer_of_refusal("no reason");
}

struct NvlinkText {
  std::string_view text;
  std::string_view reason; // as culink calls it
};
constexpr std::array kNvlinkTexts = std::to_array<NvlinkText>({
    {"Undefined reference to", "undefined-reference"},
    {"Unified symbols found but index file not specified", "unified-without-index"},
    {"Internal error", kInternalError},
});

std::string reason_in(std::string_view log) {
  for (const NvlinkText &row : kNvlinkTexts)
    if (log.find(row.text) != std::string_view::npos)
      return std::string(row.reason);
  return fmt::format("unknown: {}", log.substr(0, log.find('\n')));
}

// Runs nvlink in a folder of its own that holds front.cubin.
class Nvlink {
public:
  Nvlink(std::string program, const Setting &setting)
      : program_(std::move(program)), setting_(setting) {
    std::string pattern = (std::filesystem::temp_directory_path() / "reloc-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    (void)write_file(folder_ + "/front.cubin", setting.front);
  }
  Nvlink(const Nvlink &) = delete;
  Nvlink &operator=(const Nvlink &) = delete;
  ~Nvlink() { std::filesystem::remove_all(folder_); }

  Answer ask(const Question &q) {
    const std::string output = folder_ + "/out.cubin";
    std::filesystem::remove(output);
    (void)write_file(folder_ + "/probe.cubin", setting_.probe.make(q.symbol, q.table, q.type));
    const std::string mode =
        q.mode == Mode::Plain ? "" : std::string(kModeNames[static_cast<u32>(q.mode)]);
    const std::string command = fmt::format(
        "(cd {} && {} -arch={} {} front.cubin probe.cubin -o out.cubin > log 2>&1) 2>/dev/null",
        folder_, program_, setting_.target, mode);
    const int status = std::system(command.c_str());
    // The shell tells death by a signal as 128 and the signal's number; nvlink itself ends with 1
    // or 255.
    if (const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128; code >= 128 && code < 192)
      return {std::string(kCrash), 0};
    const Result<MappedFile> file = MappedFile::open(status == 0 ? output : folder_ + "/log");
    if (!file)
      return answer_of_refusal("no output");
    const ByteSpan bytes = file->bytes();
    return status == 0 ? answer_of_output(bytes, q.symbol, q.table, q.type)
                       : answer_of_refusal(reason_in(
                             {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
  }

private:
  std::string program_;
  std::string folder_;
  const Setting &setting_;
};

// All rows that `matrix` does not have yet, by as many threads as the machine has; `make_asker`
// gives each thread its linker.
using Asker = std::function<Answer(const Question &)>;
Matrix ask_all(const Setting &setting, const std::function<Asker()> &make_asker,
               Matrix matrix = {}) {
  const Matrix known = matrix;
  std::mutex mutex;
  u32 next = 0;
  const u32 rows = static_cast<u32>(symbol_cases().size() * kTableNames.size() * kModeNames.size());
  const auto work = [&] {
    const Asker ask = make_asker();
    while (true) {
      u32 number = 0;
      {
        const std::lock_guard lock(mutex);
        number = next++;
      }
      if (number >= rows)
        return;
      const SymbolCase &symbol = symbol_cases()[number / 6];
      const auto table = static_cast<Table>(number / 3 % 2);
      const auto mode = static_cast<Mode>(number % 3);
      const std::string title = title_of(symbol, table, mode);
      if (!setting.probe.has(symbol) || known.contains(title))
        continue;
      Row row;
      for (u32 type = 1; type <= kTypeCount; ++type)
        row.push_back(ask({symbol, table, mode, type}));
      const std::lock_guard lock(mutex);
      matrix.emplace(title, std::move(row));
    }
  };
  std::vector<std::jthread> threads;
  for (u32 i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  threads.clear();
  return matrix;
}

std::string type_name(u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row ? fmt::format("{} ({})", type, row->name) : std::to_string(type);
}

// A descriptor of a variable: nvlink crashes, or writes a relocation that no loader can resolve.
// culink always refuses.
bool is_descriptor_of_variable(const Answer &culink, u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row && row->resolver == arch::Resolver::LoaderFunction &&
         culink == answer_of_refusal("unsupported-relocation");
}

bool agree(const Answer &nvlink, const Answer &culink, u32 type) {
  if (nvlink == culink || nvlink.text == kCrash)
    return true;
  const bool gave_up = nvlink == answer_of_refusal(kInternalError);
  return (gave_up && culink.text.starts_with("refused")) || is_descriptor_of_variable(culink, type);
}

// Prints what differs; returns how many answers do.
u32 compare(const Matrix &expected, const Matrix &found) {
  u32 wrong = 0;
  const auto tell = [&](const std::string &text) {
    if (++wrong <= kToldAtMost)
      fmt::print("{}\n", text);
  };
  for (const auto &[title, row] : found) {
    const auto known = expected.find(title);
    if (known == expected.end()) {
      tell(title + ": not recorded");
      continue;
    }
    for (u32 type = 1; type <= kTypeCount; ++type) {
      const Answer &nvlink = known->second[type - 1];
      const Answer &culink = row[type - 1];
      if (agree(nvlink, culink, type))
        continue;
      tell(nvlink.text != culink.text
               ? fmt::format("{}, type {}:\n  nvlink: {}\n  culink: {}", title, type_name(type),
                             nvlink.text, culink.text)
               : fmt::format("{}, type {}: the files differ elsewhere ({})", title, type_name(type),
                             nvlink.text));
    }
  }
  return wrong;
}

Result<Setting> open_setting(const std::string &folder, const std::string &target) {
  Result<std::vector<u8>> front = assemble_file(folder + "/front-" + target + ".yaml");
  if (!front)
    return front.error();
  Result<Probe> probe = Probe::open(folder + "/base-" + target + ".yaml");
  if (!probe)
    return probe.error();
  return Setting{target, *std::move(front), *std::move(probe)};
}

// Returns false when anything is wrong.
bool run(const std::string &nvlink, const std::string &folder, const std::string &target) {
  const Result<Setting> setting = open_setting(folder, target);
  if (!setting) {
    fmt::print("{}\n", setting.error().text());
    return false;
  }
  const std::string path = folder + "/matrix-" + target + ".txt";
  const Result<Matrix> expected = read_matrix(path);
  if (!nvlink.empty()) {
    const auto make_nvlink = [&]() -> Asker {
      const auto linker = std::make_shared<Nvlink>(nvlink, *setting);
      return [linker](const Question &q) { return linker->ask(q); };
    };
    const Matrix matrix = ask_all(*setting, make_nvlink, expected ? *expected : Matrix{});
    const std::string text = write_matrix(matrix, target);
    return !write_file(path, {reinterpret_cast<const u8 *>(text.data()), text.size()});
  }
  if (!expected) {
    fmt::print("{}\n", expected.error().text());
    return false;
  }
  const Matrix found = ask_all(*setting, [&]() -> Asker {
    return [&](const Question &q) { return ask_culink(*setting, q); };
  });
  const u32 wrong = compare(*expected, found);
  fmt::print("{}: {} links, {} wrong\n", target, found.size() * kTypeCount, wrong);
  return wrong == 0;
}

// SYMBOL and TABLE as in the titles of the matrix, TYPE a number.
bool write_probe(const std::vector<std::string> &words) {
  const Result<Setting> setting = open_setting(words[0], words[1]);
  if (!setting)
    return false;
  const auto symbol = std::ranges::find(symbol_cases(), words[2], &SymbolCase::name);
  if (symbol == symbol_cases().end())
    return false;
  const std::vector<u8> probe =
      setting->probe.make(*symbol, words[3] == kTableNames[0] ? Table::Rel : Table::Rela,
                          static_cast<u32>(std::strtoul(words[4].c_str(), nullptr, 0)));
  return !write_file("front.cubin", setting->front) && !write_file("probe.cubin", probe);
}

} // namespace
} // namespace culink::reloc_test

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string nvlink;
  if (words.size() > 2 && words[0] == "--record") {
    nvlink = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() == 6 && words[0] == "--write")
    return culink::reloc_test::write_probe({words.begin() + 1, words.end()}) ? 0 : 1;
  if (words.size() < 2) {
    fmt::print("usage: reloc_matrix [--record NVLINK] FOLDER TARGET...\n");
    return 2;
  }
  bool good = true;
  for (size_t i = 1; i < words.size(); ++i)
    good &= culink::reloc_test::run(nvlink, words[0], words[i]);
  return good ? 0 : 1;
}
