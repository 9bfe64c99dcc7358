#include "kserve/node/model_fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kserve/model/api/annotations.h"
#include "kserve/model/pods/secret_credentials.h"
#include "net/client/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace inferd::node {
namespace {

using ::testing::HasSubstr;

// A server that returns its file only with the right header, and a pod with that file as its model.
class ModelFetchTest : public ::testing::Test {
 protected:
  ModelFetchTest() {
    pod_.namespace_name = "models";
    pod_.annotations[model::kStorageSourceAnnotation] = server_.url() + "/model.onnx";
  }

  base::Status Fetch(const FindInitializer& initializer) {
    return FetchModel(pod_, folder_.string(), {.initializer = initializer, .data = Data}, {});
  }
  model::StorageInitializer Plain() const { return {.source = ModelUriOf(pod_)}; }
  static std::optional<manifest::StringMap> Data(const DataSource& source) {
    if (!source.secret || source.namespace_name != "models" || source.name != "s") return std::nullopt;
    return manifest::StringMap{{"headers", R"({"Key": "right"})"}, {"file", "content"}};
  }

  net::ScriptedServer server_{[](const std::string& request) -> std::string {
    if (!request.contains("Key: right\r\n")) return "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";
    return "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 5\r\n\r\nbytes";
  }};
  const support::TempDir dir_;
  const std::filesystem::path folder_ = dir_.path() / "model";
  model::ResolvedPod pod_;
};

TEST_F(ModelFetchTest, TheInitializersVariablesReachTheStorage) {
  EXPECT_THAT(Fetch(nullptr).message(), HasSubstr("401"));
  EXPECT_THAT(Fetch([this](const auto&) { return Plain(); }).message(), HasSubstr("401"));
  const base::Status fetched = Fetch([this](const auto&) {
    model::StorageInitializer initializer = Plain();
    model::AddSecretVariable("127.0.0.1-headers", "s", "headers", initializer);
    return initializer;
  });
  EXPECT_TRUE(fetched.ok()) << fetched.message();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "model.onnx"));
}

TEST_F(ModelFetchTest, FilesOfSecretsAreThereMeanwhileAlone) {
  const std::string secrets = folder_.string() + ".secrets";
  pod_.annotations[model::kStorageSourceAnnotation] = "gs://bucket/model";
  const base::Status fetched = Fetch([this](const auto&) {
    model::StorageInitializer initializer = Plain();
    model::AddSecretCredentials(
        manifest::Value::Map({{"metadata", manifest::Value::Map({{"name", manifest::Value::String("s")}})},
                              {"data", manifest::Value::Map({{"file", manifest::Value::String("")}})}}),
        {.gcs_file_name = "file"}, initializer);
    return initializer;
  });
  // The file was read. It is just not a service account's file.
  EXPECT_THAT(fetched.message(), HasSubstr(secrets + "/user-gcp-sa/file"));
  EXPECT_FALSE(std::filesystem::exists(secrets));
}

TEST_F(ModelFetchTest, WhatTheVariablesReferToMustBeThere) {
  const auto fetch = [this](const std::string& secret, const std::string& key) {
    return Fetch([&](const auto&) {
      model::StorageInitializer initializer = Plain();
      model::AddSecretVariable("A", secret, key, initializer);
      return initializer;
    });
  };
  EXPECT_THAT(fetch("none", "k").message(), HasSubstr("secret \"none\" not found"));
  EXPECT_THAT(fetch("s", "none").message(), HasSubstr("couldn't find key none in Secret models/s"));
  EXPECT_EQ(Fetch([](const auto&) -> base::Result<model::StorageInitializer> {
              return std::unexpected(base::InvalidArgument("unable to determine storage type"));
            }).message(),
            "unable to determine storage type");
}

TEST_F(ModelFetchTest, APathOfThisMachineMustBeThere) {
  const auto fetch = [&](const std::string& uri) {
    pod_.annotations[model::kStorageSourceAnnotation] = uri;
    return Fetch(nullptr);
  };
  const std::string place = (dir_.path() / "none").string();
  EXPECT_EQ(fetch(place).message(), "there is no folder " + place);
  EXPECT_EQ(fetch("no/such").message(), "there is no folder no/such in " + std::filesystem::current_path().string());
  EXPECT_EQ(fetch("file://" + place).message(), "Local path file://" + place + " does not exist.");
  EXPECT_TRUE(fetch("/mnt/models/a").ok()) << "which comes by other means";
}

TEST_F(ModelFetchTest, ARuntimeThatTakesARepositoryGetsOne) {
  std::ofstream(dir_.path() / "digits.onnx") << "bytes";
  pod_.annotations[model::kStorageSourceAnnotation] = (dir_.path() / "digits.onnx").string();
  pod_.labels[model::kInferenceServiceLabel] = "digits";
  pod_.runtime = "kserve-tritonserver";
  pod_.pod_spec = manifest::Value::Map();
  pod_.pod_spec.Set("containers",
                    manifest::Value::List({manifest::Value::Map(
                        {{"args", manifest::Value::List({manifest::Value::String("--model-store=/mnt/models")})}})}));
  const base::Status fetched = Fetch(nullptr);
  EXPECT_TRUE(fetched.ok()) << fetched.message();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "digits/1/model.onnx"));
}

TEST_F(ModelFetchTest, AModelInAClaim) {
  const std::filesystem::path claims = dir_.path() / "claims";
  std::filesystem::create_directories(claims / "store" / "digits" / "1");
  std::filesystem::create_directories(dir_.path() / "other");
  std::ofstream(claims / "store" / "digits" / "model.onnx") << "bytes";
  std::ofstream(claims / "store" / "one.onnx") << "bytes";
  const auto fetch = [&](const std::string& uri) {
    std::filesystem::remove_all(folder_);
    pod_.annotations[model::kStorageSourceAnnotation] = uri;
    return FetchModel(pod_, folder_.string(), {.initializer = nullptr, .data = Data, .claims = claims.string()}, {});
  };
  for (const char* const path : {"digits", "/digits", "digits/", "./digits"}) {
    const base::Status fetched = fetch("pvc://store/" + std::string(path));
    EXPECT_TRUE(fetched.ok()) << fetched.message();
    EXPECT_TRUE(std::filesystem::exists(folder_ / "model.onnx")) << path;
  }
  for (const std::string uri : {"pvc://store", "pvc://store/", "pvc://store/one.onnx"}) {
    EXPECT_TRUE(fetch(uri).ok()) << uri;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "one.onnx")) << uri;
  }
  EXPECT_EQ(fetch("pvc://none/digits").message(),
            "there is no claim none: its folder would be " + (claims / "none").string());
  EXPECT_EQ(fetch("pvc://store/other").message(),
            "the claim store has no other: there is no " + (claims / "store" / "other").string());
  EXPECT_EQ(fetch("pvc://").message(), "Invalid URI must be pvc://<pvcname>/[path]: pvc://");
  for (const std::string uri : {"pvc://../other", "pvc://store/../../other", "pvc://store/digits/.."}) {
    EXPECT_THAT(fetch(uri).message(), HasSubstr("must not lead out of the claim")) << uri;
  }
}

}  // namespace
}  // namespace inferd::node
