#include "storage/azure/azure_source.h"

#include <gtest/gtest.h>

#include <chrono>

#include "storage/source/fake_environment.h"

namespace inferd::storage {
namespace {

TEST(AzureLocationTest, AccountContainerAndPathAreInTheUri) {
  const auto location =
      ReadAzureLocation("https://acc.blob.core.windows.net/models/a%20b/c/?sv=1&sig=x%3D", FakeEnvironment({}));
  ASSERT_TRUE(location.has_value());
  EXPECT_EQ(location->account, "acc");
  EXPECT_EQ(location->container_url, "https://acc.blob.core.windows.net/models");
  EXPECT_EQ(location->path, "a b/c");
  EXPECT_EQ(location->signature, "sv=1&sig=x%3D");
  EXPECT_EQ(ReadAzureLocation("https://acc.blob.core.windows.net/models", FakeEnvironment({}))->path, "");
}

TEST(AzureLocationTest, AnotherServerHasTheAccountInItsPath) {
  const auto location = ReadAzureLocation("https://acc.blob.core.windows.net/models/a",
                                          FakeEnvironment({{"AZURE_STORAGE_BLOB_ENDPOINT", "http://azurite:10000/"}}));
  EXPECT_EQ(location->container_url, "http://azurite:10000/acc/models");
}

TEST(AzureLocationTest, WithoutAContainerItIsRefused) {
  EXPECT_EQ(ReadAzureLocation("https://acc.blob.core.windows.net//?sig=secret", FakeEnvironment({})).error(),
            base::InvalidArgument("https://acc.blob.core.windows.net//?... names no container"));
}

TEST(AzureSigningTest, TimesAreAsHttpWritesThem) {
  EXPECT_EQ(HttpDate(std::chrono::sys_seconds(std::chrono::seconds(0))), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(HttpDate(std::chrono::sys_seconds(std::chrono::seconds(1'788'000'000))), "Sat, 29 Aug 2026 10:40:00 GMT");
}

TEST(AzureSigningTest, HeadersRangeAndParametersAreSignedInOrder) {
  const FetchRequest request{.url = "https://acc.blob.core.windows.net/models?restype=container&comp=list&prefix=a%2Fb",
                             .headers = {{"x-ms-version", "2"}, {"Other", "no"}, {"x-ms-date", "1"}},
                             .range = ByteRange{.begin = 5, .end = 8}};
  EXPECT_EQ(AzureStringToSign("acc", request),
            "GET\n\n\n\n\n\n\n\n\n\n\nbytes=5-7\nx-ms-date:1\nx-ms-version:2\n"
            "/acc/models\ncomp:list\nprefix:a/b\nrestype:container");
}

TEST(AzureSigningTest, AKeyThatIsNoneIsRefused) {
  for (const char* key : {"secret?", "===="}) {
    FetchRequest request;
    const base::Status status = SignForAzure({.account = "acc", .key = key}, request);
    EXPECT_EQ(status, base::InvalidArgument("AZURE_STORAGE_ACCESS_KEY is no account's key"));
    EXPECT_TRUE(request.headers.empty());
  }
}

}  // namespace
}  // namespace inferd::storage
