// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcurl is loaded without its header. Where that is installed, the numbers are compared; where
// the library is, its functions are called.
#include "compilers/cache/remote_store.h"

#include <gtest/gtest.h>

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#endif

namespace culink::curl {
namespace {

TEST(CurlLibrary, HasTheNumbersOfItsHeader) {
#if __has_include(<curl/curl.h>)
  EXPECT_EQ(kUrl, CURLOPT_URL);
  EXPECT_EQ(kWriteData, CURLOPT_WRITEDATA);
  EXPECT_EQ(kReadData, CURLOPT_READDATA);
  EXPECT_EQ(kUserAgent, CURLOPT_USERAGENT);
  EXPECT_EQ(kHeaders, CURLOPT_HTTPHEADER);
  EXPECT_EQ(kWriteFunction, CURLOPT_WRITEFUNCTION);
  EXPECT_EQ(kReadFunction, CURLOPT_READFUNCTION);
  EXPECT_EQ(kUploadSize, CURLOPT_INFILESIZE_LARGE);
  EXPECT_EQ(kUpload, CURLOPT_UPLOAD);
  EXPECT_EQ(kNetrc, CURLOPT_NETRC);
  EXPECT_EQ(kNoSignal, CURLOPT_NOSIGNAL);
  EXPECT_EQ(kTimeout, CURLOPT_TIMEOUT_MS);
  EXPECT_EQ(kConnectTimeout, CURLOPT_CONNECTTIMEOUT_MS);
  EXPECT_EQ(kProtocols, 181); // CURLOPT_PROTOCOLS, which newer headers warn about
  EXPECT_EQ(kResponseCode, CURLINFO_RESPONSE_CODE);
  EXPECT_EQ(kNetrcOptional, CURL_NETRC_OPTIONAL);
  EXPECT_EQ(kHttpAndHttps, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  EXPECT_EQ(kInitAll, CURL_GLOBAL_ALL);
#else
  GTEST_SKIP() << "no curl/curl.h";
#endif
}

TEST(CurlLibrary, CanBeCalled) {
  const Result<Functions> functions = load();
  if (!functions)
    GTEST_SKIP() << functions.error().text();
  void *handle = functions->init();
  ASSERT_TRUE(handle);
  EXPECT_EQ(functions->setopt(handle, kUrl, "gopher://host/"), kOk);
  EXPECT_EQ(functions->setopt(handle, kProtocols, kHttpAndHttps), kOk);
  EXPECT_NE(functions->perform(handle), kOk); // of another protocol
  functions->cleanup(handle);
}

} // namespace
} // namespace culink::curl
