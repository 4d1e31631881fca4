// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/engine/worker.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(EngineJob, ArrivesAsItWasSent) {
  const std::vector<u8> first = {1, 2, 3}, second;
  const EngineJob job{
      {"-arch=sm_90", "", "-lto"},
      {{EngineInputKind::LtoIr, "a.ltoir", first}, {EngineInputKind::Fatbin, "", second}},
      EngineOutput::LtoIr};
  const std::vector<u8> bytes = encode_job(job);
  const Result<EngineJob> out = decode_job(bytes);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->options, job.options);
  EXPECT_EQ(out->wanted, EngineOutput::LtoIr);
  ASSERT_EQ(out->inputs.size(), 2u);
  EXPECT_EQ(out->inputs[0].kind, EngineInputKind::LtoIr);
  EXPECT_EQ(out->inputs[0].name, "a.ltoir");
  EXPECT_TRUE(std::equal(out->inputs[0].bytes.begin(), out->inputs[0].bytes.end(), first.begin(),
                         first.end()));
  EXPECT_EQ(out->inputs[1].kind, EngineInputKind::Fatbin);
  EXPECT_TRUE(out->inputs[1].bytes.empty());
}

TEST(EngineJob, EveryCutIsAnError) {
  const std::vector<u8> code = {1, 2, 3};
  std::vector<u8> bytes = encode_job({{"-g"}, {{EngineInputKind::Cubin, "a", code}}, {}});
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_job(ByteSpan(bytes).first(size)).ok()) << size;
  bytes.push_back(0);
  EXPECT_FALSE(decode_job(bytes).ok());
  const std::vector<u8> huge(64, 0xff);
  EXPECT_FALSE(decode_job(huge).ok());
}

} // namespace
} // namespace culink
