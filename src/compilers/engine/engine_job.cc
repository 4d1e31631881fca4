// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job travels to the worker process as one run of bytes: numbers of eight bytes, and texts and
// inputs behind their lengths. Both ends are of one build, so there is no version in it; a length
// that does not fit is refused all the same, because nobody should crash over bytes from outside.
#include "compilers/engine/engine_job.h"

#include <optional>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr u64 kMostInputs = 1 << 20;

void append_number(std::vector<u8> &out, u64 number) {
  const size_t at = out.size();
  out.resize(at + sizeof number);
  store_le(out.data() + at, number);
}

void append_block(std::vector<u8> &out, ByteSpan bytes) {
  append_number(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Takes the parts from the front of a job, as long as there are any.
class JobReader {
public:
  explicit JobReader(ByteSpan bytes) : rest_(bytes) {}

  u64 number() {
    if (rest_.size() < sizeof(u64)) {
      fits_ = false;
      return 0;
    }
    const u64 out = load_le<u64>(rest_.data());
    rest_ = rest_.subspan(sizeof(u64));
    return out;
  }
  ByteSpan block() {
    const u64 size = number();
    if (size > rest_.size()) {
      fits_ = false;
      return {};
    }
    const ByteSpan out = rest_.first(size);
    rest_ = rest_.subspan(size);
    return out;
  }
  // A count of parts, of which each takes some bytes.
  u64 count() {
    const u64 out = number();
    fits_ = fits_ && out <= kMostInputs;
    return fits_ ? out : 0;
  }
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
  ByteSpan rest_;
  bool fits_ = true;
};

} // namespace

std::vector<u8> encode_job(const EngineJob &job) {
  std::vector<u8> out;
  append_number(out, static_cast<u64>(job.wanted));
  append_number(out, job.options.size());
  for (const std::string &option : job.options)
    append_block(out, as_bytes(option));
  append_number(out, job.inputs.size());
  for (const EngineInput &input : job.inputs) {
    append_number(out, static_cast<u64>(input.kind));
    append_block(out, as_bytes(input.name));
    append_block(out, input.bytes);
  }
  return out;
}

Result<EngineJob> decode_job(ByteSpan bytes) {
  JobReader reader(bytes);
  EngineJob out;
  out.wanted = static_cast<EngineOutput>(reader.number());
  const u64 options = reader.count();
  for (u64 i = 0; i < options && reader.fits(); ++i)
    out.options.emplace_back(as_text(reader.block()));
  const u64 inputs = reader.count();
  for (u64 i = 0; i < inputs && reader.fits(); ++i) {
    EngineInput &input = out.inputs.emplace_back();
    input.kind = static_cast<EngineInputKind>(reader.number());
    input.name = as_text(reader.block());
    input.bytes = reader.block();
  }
  if (!reader.fits() || !reader.at_end())
    return Error{"", "", "the job is cut"};
  return out;
}

} // namespace culink
