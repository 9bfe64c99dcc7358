#include "storage/s3/s3_settings.h"

#include <gtest/gtest.h>

#include "storage/source/fake_environment.h"

namespace inferd::storage {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(S3SettingsTest, TheBucketIsWhereTheEnvironmentSays) {
  const struct {
    std::string uri;
    Variables variables;
    std::string bucket_url;
  } cases[] = {
      {"s3://models/a", {}, "https://models.s3.us-east-1.amazonaws.com"},
      {"s3://models/a", {{"AWS_REGION", "eu-west-1"}}, "https://models.s3.eu-west-1.amazonaws.com"},
      {"s3://models/a",
       {{"AWS_REGION", "eu-west-1"}, {"AWS_DEFAULT_REGION", "eu-west-2"}},
       "https://models.s3.eu-west-2.amazonaws.com"},
      {"s3://my.models/a", {}, "https://s3.us-east-1.amazonaws.com/my.models"},
      {"s3://my.models/a", {{"S3_USER_VIRTUAL_BUCKET", "true"}}, "https://my.models.s3.us-east-1.amazonaws.com"},
      {"s3://models/a", {{"S3_USE_ACCELERATE", "true"}}, "https://models.s3-accelerate.amazonaws.com"},
      {"s3://models/a", {{"AWS_ENDPOINT_URL", "http://minio:9000/"}}, "http://minio:9000/models"},
      {"s3://models/a",
       {{"AWS_ENDPOINT_URL", "http://minio:9000"}, {"S3_USER_VIRTUAL_BUCKET", "True"}},
       "http://models.minio:9000"},
      {"s3://models/a", {{"S3_ENDPOINT", "minio:9000"}}, "https://minio:9000/models"},
      {"s3://models/a", {{"S3_ENDPOINT", "minio:9000"}, {"S3_USE_HTTPS", "0"}}, "http://minio:9000/models"},
      {"s3://models/a", {{"S3_ENDPOINT", "http://minio:9000"}}, "http://minio:9000/models"},
  };
  for (const auto& one : cases) {
    const auto settings = ReadS3Settings(one.uri, FakeEnvironment(one.variables));
    ASSERT_TRUE(settings.has_value()) << settings.error().ToString();
    EXPECT_EQ(settings->bucket_url, one.bucket_url);
    EXPECT_EQ(settings->path, "a");
  }
}

TEST(S3SettingsTest, ThePathIsBehindTheBucket) {
  const std::pair<const char*, const char*> cases[] = {
      {"s3://b", ""}, {"s3://b/", ""}, {"s3://b//a/c/", "a/c/"}, {"s3://b/a?b#c", "a?b#c"}};
  for (const auto& [uri, path] : cases) {
    const auto settings = ReadS3Settings(uri, FakeEnvironment({}));
    ASSERT_TRUE(settings.has_value()) << uri;
    EXPECT_EQ(settings->path, path) << uri;
    EXPECT_EQ(settings->bucket, "b");
  }
}

TEST(S3SettingsTest, CertificatesAreLookedAtUnlessItIsToldNot) {
  EXPECT_TRUE(ReadS3Settings("s3://b", FakeEnvironment({}))->client.verify_peer);
  EXPECT_TRUE(ReadS3Settings("s3://b", FakeEnvironment({{"S3_VERIFY_SSL", "1"}}))->client.verify_peer);
  for (const char* off : {"0", "false", "False"}) {
    const Variables variables = {{"S3_VERIFY_SSL", off}, {"AWS_CA_BUNDLE", "/not/there"}};
    const auto settings = ReadS3Settings("s3://b", FakeEnvironment(variables));
    ASSERT_TRUE(settings.has_value());
    EXPECT_FALSE(settings->client.verify_peer);
    EXPECT_EQ(settings->client.ca_file, "");
  }
}

TEST(S3SettingsTest, WhatIsWrongIsNamed) {
  EXPECT_EQ(ReadS3Settings("s3:///a", FakeEnvironment({})).error(), base::InvalidArgument("s3:///a names no bucket"));
  EXPECT_EQ(ReadS3Settings("s3://b%41/a", FakeEnvironment({})).error().code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReadS3Settings("s3://b", FakeEnvironment({{"AWS_ENDPOINT_URL", "ftp://x"}})).error(),
            base::InvalidArgument("the endpoint ftp://x is no URL of HTTP"));
  EXPECT_EQ(ReadS3Settings("s3://b", FakeEnvironment({{"AWS_CA_BUNDLE", "/not/there"}})).error(),
            base::FailedPrecondition("Failed to find ca bundle file(/not/there)."));
}

}  // namespace
}  // namespace inferd::storage
