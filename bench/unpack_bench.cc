// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What unpacking the machine code of files costs at least: finds the packed cubins in each argument
// and unpacks them with libzstd and LZ4 by all cores, one buffer for each thread, nothing else.
// Prints the unpacked bytes. bench/size_bench.py compares the time with that of commands that read
// the same code.
#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include <lz4.h>
#include <zstd.h>

#include "input/device_file.h"
#include "support/worker_pool.h"

namespace {

using namespace culink;

// Bytes that came out, or 0.
u64 unpack_into(const FatbinEntry &entry, std::vector<u8> &buffer) {
  if (buffer.size() < entry.size)
    buffer.resize(entry.size);
  if (entry.compression == Compression::Zstd) {
    const size_t made =
        ZSTD_decompress(buffer.data(), entry.size, entry.payload.data(), entry.payload.size());
    return ZSTD_isError(made) ? 0 : made;
  }
  const int made = LZ4_decompress_safe(
      reinterpret_cast<const char *>(entry.payload.data()), reinterpret_cast<char *>(buffer.data()),
      static_cast<int>(entry.payload.size()), static_cast<int>(entry.size));
  return made < 0 ? 0 : static_cast<u64>(made);
}

} // namespace

int main(int argc, char **argv) {
  WorkerPool pool(0);
  std::atomic<u64> total = 0;
  for (int i = 1; i < argc; ++i) {
    const Result<DeviceFile> file = DeviceFile::open(argv[i]);
    if (!file) {
      std::fprintf(stderr, "unpack_bench: %s: %s\n", argv[i], file.error().text().c_str());
      return 1;
    }
    std::vector<const FatbinEntry *> packed;
    for (const FoundCode &code : file->found().code)
      if (code.form == FoundCode::Form::Cubin && code.is_packed())
        packed.push_back(&*code.entry);
    pool.for_each(static_cast<u32>(packed.size()), [&](u32 at) {
      thread_local std::vector<u8> buffer;
      total += unpack_into(*packed[at], buffer);
    });
  }
  std::printf("%llu\n", static_cast<unsigned long long>(total.load()));
  return 0;
}
