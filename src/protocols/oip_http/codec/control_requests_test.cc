#include "protocols/oip_http/codec/control_requests.h"

#include <gtest/gtest.h>

namespace inferd::oip_http {
namespace {

std::string LoadError(std::string_view body, std::string_view model = "m") {
  const auto call = ReadLoadRequest(body, model, "");
  return call.has_value() ? "" : call.error().message();
}

std::string WithParameters(std::string_view parameters) { return "{\"parameters\":{" + std::string(parameters) + "}}"; }

TEST(ReadLoadRequestTest, TakesConfigAndFiles) {
  const auto call = ReadLoadRequest(
      WithParameters(
          R"("config":"{\"name\":\"m\",\"max_batch_size\":8}","file:1/model.onnx":"AAEC","file:0/sub/a b":"")"),
      "m", "r");
  ASSERT_TRUE(call.has_value()) << call.error().ToString();
  EXPECT_EQ(call->model, "m");
  EXPECT_EQ(call->repository, "r");
  EXPECT_EQ(call->config_json, R"({"name":"m","max_batch_size":8})");
  ASSERT_EQ(call->files.size(), 2u);
  EXPECT_EQ(call->files[0], (std::pair<std::string, std::string>("1/model.onnx", std::string("\0\1\2", 3))));
  EXPECT_EQ(call->files[1].first, "0/sub/a b");
  EXPECT_EQ(LoadError(""), "");
  EXPECT_EQ(LoadError("{}"), "");
  EXPECT_EQ(LoadError(R"({"parameters":{}})"), "");
}

TEST(ReadLoadRequestTest, RefusesNamesThatAreNoFolder) {
  for (const std::string_view name : {std::string_view(""), std::string_view("."), std::string_view(".."),
                                      std::string_view("a/b"), std::string_view("/etc"), std::string_view("a\0b", 3)}) {
    EXPECT_NE(LoadError("{}", name), "") << name;
    EXPECT_FALSE(ReadUnloadRequest("", name, "").has_value()) << name;
  }
}

TEST(ReadLoadRequestTest, RefusesPathsThatLeaveTheModel) {
  for (const char* path : {"", "1", "1/", "/1/a", "1//a", "1/../a", "1/..", "../1/a", "1/./a", "a/model.onnx", "01/a",
                           "-1/a", "1/a/", "1\\\\a", "1/a\\u0000b", "99999999999999999999/a"}) {
    EXPECT_NE(LoadError(WithParameters("\"config\":\"{}\",\"file:" + std::string(path) + "\":\"\"")), "") << path;
  }
}

TEST(ReadLoadRequestTest, RefusesWhatIsNoConfig) {
  EXPECT_NE(LoadError(WithParameters(R"("config":"platform: \"onnx\"")")), "");
  EXPECT_NE(LoadError(WithParameters(R"("config":"[]")")), "");
  EXPECT_NE(LoadError(WithParameters(R"("config":"{} x")")), "");
  EXPECT_NE(LoadError(WithParameters(R"("config":{})")), "");
  EXPECT_EQ(LoadError(WithParameters(R"("config":"{\"name\":\"other\"}")")),
            "failed to load 'm', failed to poll from model repository: Invalid config override: parameter 'config': "
            "'name': expected 'm', got 'other'");
}

TEST(ReadLoadRequestTest, RefusesFilesAloneBadBase64AndUnknownParameters) {
  EXPECT_NE(LoadError(WithParameters(R"("file:1/a":"AA==")")).find("'config', got none"), std::string::npos);
  EXPECT_NE(LoadError(WithParameters(R"("config":"{}","file:1/a":"AA=")")), "");
  EXPECT_NE(LoadError(WithParameters(R"("config":"{}","file:1/a":"A A=")")), "");
  EXPECT_NE(LoadError(WithParameters(R"("config":"{}","file:1/a":"AA==","file:1/a":"")")), "");
  EXPECT_EQ(LoadError(WithParameters(R"("cfg":"{}")")), "unrecognized load parameter 'cfg'");
  EXPECT_NE(LoadError(R"({"parameters":{}} x)"), "");
  EXPECT_NE(LoadError(R"({"parameters":[]})"), "");
}

}  // namespace
}  // namespace inferd::oip_http
