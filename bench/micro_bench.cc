// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the library's basic steps on a synthetic cubin of a given number of kernels.
#include <benchmark/benchmark.h>

#include <map>

#include "elf/elf_view.h"
#include "elf/records/nv_info.h"
#include "elf/section_kind.h"
#include "inspect/diff/diff.h"
#include "synthetic_cubin.h"
#include "verify/file/verify.h"

namespace culink::bench {
namespace {

constexpr u64 kCodeBytes = 640;

std::vector<u8> cubin_of(const benchmark::State &state) {
  Result<std::vector<u8>> file = synthetic_cubin(static_cast<u32>(state.range(0)), kCodeBytes);
  return file ? std::move(file).value() : std::vector<u8>{};
}

void finish(benchmark::State &state, const std::vector<u8> &file) {
  state.SetBytesProcessed(static_cast<i64>(state.iterations() * file.size()));
  state.SetComplexityN(state.range(0));
}

void synthesize(benchmark::State &state) {
  std::vector<u8> file;
  for (auto _ : state)
    benchmark::DoNotOptimize(file = cubin_of(state));
  finish(state, file);
}

void open_view(benchmark::State &state) {
  const std::vector<u8> file = cubin_of(state);
  for (auto _ : state)
    benchmark::DoNotOptimize(elf::ElfView::open(file));
  finish(state, file);
}

void classify_sections(benchmark::State &state) {
  const std::vector<u8> file = cubin_of(state);
  const Result<elf::ElfView> view = elf::ElfView::open(file);
  for (auto _ : state)
    for (const elf::Section &s : view->sections())
      benchmark::DoNotOptimize(elf::classify_section(s.name, s.type, s.flags));
  finish(state, file);
}

void walk_symbols(benchmark::State &state) {
  const std::vector<u8> file = cubin_of(state);
  const Result<elf::ElfView> view = elf::ElfView::open(file);
  for (auto _ : state) {
    const elf::SymbolTable symbols = view->symbols();
    for (u32 i = 0; i < symbols.size(); ++i)
      benchmark::DoNotOptimize(symbols[i]);
  }
  finish(state, file);
}

void decode_all_info(benchmark::State &state) {
  const std::vector<u8> file = cubin_of(state);
  const Result<elf::ElfView> view = elf::ElfView::open(file);
  for (auto _ : state)
    for (const elf::Section &s : view->sections())
      if (s.type == elf::SectionType::CudaInfo)
        benchmark::DoNotOptimize(elf::decode_info(s.data));
  finish(state, file);
}

void verify_file(benchmark::State &state) {
  const std::vector<u8> file = cubin_of(state);
  const Result<elf::ElfView> view = elf::ElfView::open(file);
  for (auto _ : state)
    benchmark::DoNotOptimize(verify_device_elf(*view));
  finish(state, file);
}

void diff_one_byte(benchmark::State &state) {
  const std::vector<u8> file = cubin_of(state);
  std::vector<u8> other = file;
  const Result<elf::ElfView> a = elf::ElfView::open(file);
  other[a->find(".text._Z11kernel_00000Pf")->offset] ^= 1;
  const Result<elf::ElfView> b = elf::ElfView::open(other);
  for (auto _ : state)
    benchmark::DoNotOptimize(text::diff_files(*a, *b, {}));
  finish(state, file);
}

constexpr int kSmall = 100, kLarge = 25000;

BENCHMARK(synthesize)->RangeMultiplier(250)->Range(kSmall, kLarge)->Unit(benchmark::kMillisecond);
BENCHMARK(open_view)->RangeMultiplier(250)->Range(kSmall, kLarge)->Unit(benchmark::kMillisecond);
BENCHMARK(classify_sections)
    ->RangeMultiplier(250)
    ->Range(kSmall, kLarge)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(walk_symbols)->RangeMultiplier(250)->Range(kSmall, kLarge)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_all_info)
    ->RangeMultiplier(250)
    ->Range(kSmall, kLarge)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(verify_file)->RangeMultiplier(250)->Range(kSmall, kLarge)->Unit(benchmark::kMillisecond);
BENCHMARK(diff_one_byte)
    ->RangeMultiplier(250)
    ->Range(kSmall, kLarge)
    ->Unit(benchmark::kMillisecond);

} // namespace
} // namespace culink::bench

BENCHMARK_MAIN();
