#include "protocols/v2/repository_calls.h"

#include <gtest/gtest.h>

namespace inferd::v2 {
namespace {

std::string ConfigError(std::string_view config) {
  core::LoadCall call = *NewLoadCall("m", "");
  return AddConfig(config, call).message();
}

TEST(NewLoadCallTest, ANameMustBeAFolder) {
  const auto call = NewLoadCall("m", "r");
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->model, "m");
  EXPECT_EQ(call->repository, "r");
  EXPECT_EQ(NewUnloadCall("m", "r")->repository, "r");
  for (const std::string_view name : {std::string_view(""), std::string_view("."), std::string_view(".."),
                                      std::string_view("a/b"), std::string_view("/etc"), std::string_view("a\0b", 3)}) {
    EXPECT_EQ(NewLoadCall(name, "").error().code(), base::StatusCode::kInvalidArgument) << name;
    EXPECT_TRUE(NewLoadCall(name, "").error().message().starts_with("failed to load '")) << name;
    EXPECT_EQ(NewUnloadCall(name, "").error().code(), base::StatusCode::kInvalidArgument) << name;
  }
}

TEST(AddConfigTest, TakesAJsonObjectOfThisModel) {
  core::LoadCall call = *NewLoadCall("m", "");
  EXPECT_TRUE(AddConfig(R"({"name":"m","max_batch_size":8})", call).ok());
  EXPECT_EQ(call.config_json, R"({"name":"m","max_batch_size":8})");
  for (const char* config : {"{\"max_batch_size\": x}", "{", "[]"}) {
    EXPECT_TRUE(ConfigError(config).starts_with(
        "failed to load 'm', failed to poll from model repository: Invalid config override: parameter 'config': JSON"))
        << config;
  }
  EXPECT_EQ(ConfigError(R"({"name":"other"})"),
            "failed to load 'm', failed to poll from model repository: Invalid config override: parameter 'config': "
            "'name': expected 'm', got 'other'");
  EXPECT_NE(ConfigError("[]"), "");
  EXPECT_NE(ConfigError("{} x"), "");
  EXPECT_NE(ConfigError("platform: \"onnx\""), "");
}

TEST(AddFileTest, StaysInsideTheModel) {
  core::LoadCall call = *NewLoadCall("m", "");
  EXPECT_TRUE(AddFile("file:1/sub/a b", std::string("\0\1", 2), call).ok());
  ASSERT_EQ(call.files.size(), 1u);
  EXPECT_EQ(call.files[0], (std::pair<std::string, std::string>("1/sub/a b", std::string("\0\1", 2))));
  for (const char* path : {"", "1", "1/", "/1/a", "1//a", "1/../a", "1/..", "../1/a", "1/./a", "a/model.onnx", "01/a",
                           "-1/a", "1/a/", "1\\a", "99999999999999999999/a"}) {
    EXPECT_EQ(AddFile("file:" + std::string(path), "", call).code(), base::StatusCode::kInvalidArgument) << path;
  }
  EXPECT_EQ(CheckFiles(call).message(),
            "failed to load 'm', failed to poll from model repository: 'file:' parameters need a parameter 'config', "
            "got none");
  ASSERT_TRUE(AddConfig("{}", call).ok());
  EXPECT_TRUE(CheckFiles(call).ok());
}

}  // namespace
}  // namespace inferd::v2
