#include "storage/source/storage_config.h"

#include <gtest/gtest.h>

#include "storage/source/fake_environment.h"

namespace inferd::storage {
namespace {

TEST(StorageConfigTest, MembersStandForVariables) {
  const auto environment = WithStorageConfig(FakeEnvironment(
      {{"STORAGE_CONFIG", R"({"type": "s3", "access_key_id": "id", "secret_access_key": "key", "region": "r1",
                              "endpoint_url": "http://minio:9000", "bucket": "b", "anonymous": false, "n": 1})"},
       {"STORAGE_OVERRIDE_CONFIG", R"({"region": "r2", "verify_ssl": "0"})"},
       {"AWS_DEFAULT_REGION", "r3"},
       {"AWS_CA_BUNDLE", "/ca"}}));
  ASSERT_TRUE(environment.has_value()) << environment.error().ToString();
  const std::pair<const char*, const char*> expected[] = {
      {"AWS_ACCESS_KEY_ID", "id"},  {"AWS_SECRET_ACCESS_KEY", "key"},
      {"AWS_DEFAULT_REGION", "r2"}, {"AWS_ENDPOINT_URL", "http://minio:9000"},
      {"S3_VERIFY_SSL", "0"},       {"awsAnonymousCredential", "false"},
      {"AWS_CA_BUNDLE", "/ca"},     {"OTHER", ""}};
  for (const auto& [name, value] : expected) EXPECT_EQ((*environment)(name), value) << name;
}

TEST(StorageConfigTest, OtherTypesAndNoneChangeNothing) {
  for (const char* text : {"", "{}", R"({"region": "r1"})", R"({"type": "hdfs", "region": "r1"})"}) {
    const auto environment =
        WithStorageConfig(FakeEnvironment({{"STORAGE_CONFIG", text}, {"AWS_DEFAULT_REGION", "r3"}}));
    ASSERT_TRUE(environment.has_value()) << text;
    EXPECT_EQ((*environment)("AWS_DEFAULT_REGION"), "r3");
  }
}

TEST(StorageConfigTest, WhatIsNoObjectIsRefusedWithoutItsText) {
  for (const char* variable : {"STORAGE_CONFIG", "STORAGE_OVERRIDE_CONFIG"}) {
    for (const char* text : {"secret", "[\"secret\"]", R"({"secret_access_key": "secret)"}) {
      const auto environment = WithStorageConfig(FakeEnvironment({{variable, text}}));
      ASSERT_FALSE(environment.has_value());
      EXPECT_EQ(environment.error(),
                base::InvalidArgument("environment variable " + std::string(variable) + " is no JSON object"));
    }
  }
}

}  // namespace
}  // namespace inferd::storage
