#include "storage/hdfs/hdfs_settings.h"

#include <gtest/gtest.h>

#include <fstream>

#include "storage/source/fake_environment.h"
#include "tests/support/temp_dir.h"

namespace inferd::storage {
namespace {

using Keys = std::map<std::string, std::string>;

// Returns the settings of a secret with these files.
base::Result<HdfsSettings> SettingsOf(const std::string& uri, const Keys& keys) {
  const support::TempDir folder;
  for (const auto& [key, text] : keys) std::ofstream(folder.path() / key) << text;
  return ReadHdfsSettings(uri, FakeEnvironment({{"HDFS_SECRET_DIR", folder.path().string()}}));
}

TEST(HdfsSettingsTest, TheUriIsAPathWithoutAHost) {
  const struct {
    const char* uri;
    const char* root;
    const char* path;
  } cases[] = {{"hdfs://user/me/model", "", "/user/me/model"},
               {"webhdfs:///user//me/", "", "/user/me"},
               {"hdfs://", "", "/"},
               {"hdfs://me/model", "/user\n", "/user/me/model"},
               {"hdfs://me", "/", "/me"},
               {"hdfs:///me", "/user", "/me"}};
  for (const auto& one : cases) {
    const auto settings = SettingsOf(one.uri, {{"HDFS_NAMENODE", "http://n"}, {"HDFS_ROOTPATH", one.root}});
    ASSERT_TRUE(settings.has_value()) << settings.error().ToString();
    EXPECT_EQ(settings->path, one.path) << one.uri;
  }
}

TEST(HdfsSettingsTest, TheSecretSaysTheRest) {
  const auto settings = SettingsOf("hdfs://m", {{"HDFS_NAMENODE", "http://a:9870/;https://b:9871/gateway\n"},
                                                {"USER_PROXY", "me"},
                                                {"TLS_CERT", "certificate"},
                                                {"TLS_KEY", "key"},
                                                {"TLS_CA", "authorities"},
                                                {"TLS_SKIP_VERIFY", "True"},
                                                {"HEADERS", R"({"X-Api-Key": "k"})"},
                                                {"N_THREADS", "2"}});
  ASSERT_TRUE(settings.has_value()) << settings.error().ToString();
  EXPECT_EQ(settings->name_nodes, (std::vector<std::string>{"http://a:9870", "https://b:9871/gateway"}));
  EXPECT_EQ(settings->user_proxy, "me");
  EXPECT_EQ(settings->headers, (std::vector<std::pair<std::string, std::string>>{{"X-Api-Key", "k"}}));
  EXPECT_EQ(settings->client.certificate, "certificate");
  EXPECT_EQ(settings->client.private_key, "key");
  EXPECT_EQ(settings->client.authorities, "authorities");
  EXPECT_FALSE(settings->client.verify_peer);
}

TEST(HdfsSettingsTest, AStorageSpecificationGoesBeforeTheFolder) {
  const auto settings = ReadHdfsSettings(
      "webhdfs://m", FakeEnvironment({{"STORAGE_CONFIG", R"({"type": "webhdfs", "HDFS_NAMENODE": "http://a",
                                                             "TLS_CA": "YXV0aG9yaXRpZXM=", "USER_PROXY": "x"})"},
                                      {"STORAGE_OVERRIDE_CONFIG", R"({"USER_PROXY": "me"})"}}));
  ASSERT_TRUE(settings.has_value()) << settings.error().ToString();
  EXPECT_EQ(settings->name_nodes, (std::vector<std::string>{"http://a"}));
  EXPECT_EQ(settings->client.authorities, "authorities");
  EXPECT_EQ(settings->user_proxy, "me");
}

TEST(HdfsSettingsTest, WhatIsWrongIsTold) {
  const Keys node = {{"HDFS_NAMENODE", "http://n"}};
  const auto with = [&](const std::string& key, const std::string& text) {
    Keys keys = node;
    keys[key] = text;
    return keys;
  };
  const struct {
    Keys keys;
    base::Status error;
  } cases[] = {
      {with("HDFS_NAMENODE", "hdfs://n"), base::InvalidArgument("HDFS_NAMENODE: hdfs://n is no URL of HTTP")},
      {with("HDFS_NAMENODE", "http://n;;"), base::InvalidArgument("HDFS_NAMENODE:  is no URL of HTTP")},
      {with("HDFS_NAMENODE", "http://u:secret@n/?a"),
       base::InvalidArgument("HDFS_NAMENODE: http://n/?... is no URL of HTTP")},
      {with("HDFS_ROOTPATH", "user"), base::InvalidArgument("HDFS_ROOTPATH does not begin with a '/'")},
      {with("HEADERS", "a:secret"), base::InvalidArgument("HEADERS is no JSON object of HTTP headers")},
      {with("KERBEROS_PRINCIPAL", "me@REALM"),
       base::Unimplemented("KERBEROS_PRINCIPAL: Kerberos is not supported for hdfs://m")},
  };
  for (const auto& one : cases) EXPECT_EQ(SettingsOf("hdfs://m", one.keys).error(), one.error);
  EXPECT_EQ(ReadHdfsSettings("hdfs://m", FakeEnvironment({{"HDFS_SECRET_DIR", "/nowhere"}})).error(),
            base::InvalidArgument("HDFS_NAMENODE is not in the secret in /nowhere"));
  EXPECT_EQ(
      ReadHdfsSettings("hdfs://m", FakeEnvironment({{"STORAGE_CONFIG", R"({"type": "hdfs", "HDFS_NAMENODE": "http://n",
                                                                                 "TLS_CERT": "?"})"}}))
          .error(),
      base::InvalidArgument("STORAGE_CONFIG: TLS_CERT is no Base64"));
}

}  // namespace
}  // namespace inferd::storage
