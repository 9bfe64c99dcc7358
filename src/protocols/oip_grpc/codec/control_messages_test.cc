#include "protocols/oip_grpc/codec/control_messages.h"

#include <gtest/gtest.h>

namespace inferd::oip_grpc {
namespace {

inference::RepositoryModelLoadRequest LoadOf(std::string_view model) {
  inference::RepositoryModelLoadRequest request;
  request.set_repository_name("r");
  request.set_model_name(std::string(model));
  return request;
}

std::string LoadError(const inference::RepositoryModelLoadRequest& request) {
  const auto call = ReadLoadRequest(request);
  return call.has_value() ? "" : call.error().ToString();
}

TEST(ReadLoadRequestTest, TakesConfigAndFiles) {
  auto request = LoadOf("m");
  (*request.mutable_parameters())["config"].set_string_param(R"({"name":"m"})");
  (*request.mutable_parameters())["file:1/model.onnx"].set_bytes_param(std::string("\0\xff", 2));
  const auto call = ReadLoadRequest(request);
  ASSERT_TRUE(call.has_value()) << call.error().ToString();
  EXPECT_EQ(call->model, "m");
  EXPECT_EQ(call->repository, "r");
  EXPECT_EQ(call->config_json, R"({"name":"m"})");
  ASSERT_EQ(call->files.size(), 1u);
  EXPECT_EQ(call->files[0], (std::pair<std::string, std::string>("1/model.onnx", std::string("\0\xff", 2))));
}

TEST(ReadLoadRequestTest, NamesTheParameterAndWhatIsWrong) {
  auto request = LoadOf("m");
  (*request.mutable_parameters())["cfg"].set_string_param("{}");
  EXPECT_EQ(LoadError(request), "INVALID_ARGUMENT: unrecognized load parameter 'cfg'");
  request = LoadOf("m");
  (*request.mutable_parameters())["config"].set_bytes_param("{}");
  EXPECT_EQ(LoadError(request), "INVALID_ARGUMENT: parameter 'config': expected string_param, got bytes_param");
  request = LoadOf("m");
  (*request.mutable_parameters())["file:1/a"].set_string_param("AA==");
  EXPECT_EQ(LoadError(request), "INVALID_ARGUMENT: parameter 'file:1/a': expected bytes_param, got string_param");
  request = LoadOf("m");
  (*request.mutable_parameters())["file:1/a"];
  EXPECT_EQ(LoadError(request), "INVALID_ARGUMENT: parameter 'file:1/a': expected bytes_param, got no value");
  request = LoadOf("m");
  (*request.mutable_parameters())["file:1/a"].set_bytes_param("x");
  EXPECT_EQ(LoadError(request),
            "INVALID_ARGUMENT: failed to load 'm', failed to poll from model repository: 'file:' parameters need a "
            "parameter 'config', got none");
  request = LoadOf("m");
  (*request.mutable_parameters())["file:../a"].set_bytes_param("x");
  EXPECT_NE(LoadError(request), "");
  EXPECT_NE(LoadError(LoadOf("..")), "");
  EXPECT_NE(LoadError(LoadOf("")), "");
}

TEST(ReadUnloadRequestTest, UnloadDependents) {
  inference::RepositoryModelUnloadRequest request;
  request.set_model_name("m");
  EXPECT_FALSE(ReadUnloadRequest(request)->unload_dependents);
  (*request.mutable_parameters())["unload_dependents"].set_bool_param(true);
  EXPECT_TRUE(ReadUnloadRequest(request)->unload_dependents);
  (*request.mutable_parameters())["unload_dependents"].set_int64_param(1);
  EXPECT_EQ(ReadUnloadRequest(request).error(),
            base::InvalidArgument("parameter 'unload_dependents': expected bool_param, got int64_param"));
  request.clear_parameters();
  (*request.mutable_parameters())["now"].set_bool_param(true);
  EXPECT_EQ(ReadUnloadRequest(request).error(), base::InvalidArgument("unrecognized unload parameter 'now'"));
}

TEST(ReadLogSettingsTest, EveryKindOfValue) {
  inference::LogSettingsRequest request;
  (*request.mutable_settings())["log_info"].set_bool_param(false);
  (*request.mutable_settings())["log_verbose_level"].set_uint32_param(2);
  (*request.mutable_settings())["log_format"].set_string_param("default");
  const auto settings = ReadLogSettings(request);
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->info, false);
  EXPECT_EQ(settings->verbose_level, 2);
  (*request.mutable_settings())["log_error"].set_uint32_param(1);
  EXPECT_EQ(ReadLogSettings(request).error(),
            base::InvalidArgument("log setting 'log_error': expected true or false, got 1"));
  (*request.mutable_settings())["log_error"].clear_parameter_choice();
  EXPECT_EQ(ReadLogSettings(request).error(),
            base::InvalidArgument("log setting 'log_error': expected a value, got none"));
}

TEST(LogSettingsMessageTest, AllThatIsInForce) {
  const auto logger = base::Logger::Silent();
  logger->SetVerboseLevel(3);
  const auto message = LogSettingsMessage(*logger);
  EXPECT_EQ(message.settings_size(), 6);
  EXPECT_EQ(message.settings().at("log_verbose_level").uint32_param(), 3u);
  EXPECT_FALSE(message.settings().at("log_info").bool_param());
  EXPECT_EQ(message.settings().at("log_format").string_param(), "default");
  EXPECT_TRUE(message.settings().at("log_file").has_string_param());
}

}  // namespace
}  // namespace inferd::oip_grpc
