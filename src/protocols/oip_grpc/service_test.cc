#include "protocols/oip_grpc/service.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/personality.h"
#include "protocols/oip_grpc/front_end.h"
#include "protocols/oip_grpc/service_fixture.h"

namespace inferd::oip_grpc {
namespace {

TEST(ServiceTest, EveryMethodIsThereAndHasItsAccessGroup) {
  TestService service;
  config::ServerOptions options;
  options.personality = &config::DefaultPersonality();
  base::ByteBudget outputs(1 << 20);
  const auto front_end = MakeFrontEnd({.options = options, .outputs = outputs});
  std::vector<std::string> paths;
  for (const auto& method : Methods({.options = service.options,
                                     .access = service.access,
                                     .dispatcher = service.dispatcher,
                                     .catalog = service.catalog,
                                     .pool = service.server.pool,
                                     .logger = *service.logger,
                                     .clock = service.server.clock})) {
    EXPECT_TRUE(front_end->AccessOf(method.path).has_value()) << method.path;
    EXPECT_NE(static_cast<bool>(method.unary), static_cast<bool>(method.streaming)) << method.path;
    paths.push_back(method.path);
  }
  const auto& published = *inference::ModelInferRequest::descriptor()->file()->service(0);
  ASSERT_EQ(paths.size(), static_cast<size_t>(published.method_count()));
  for (int i = 0; i < published.method_count(); ++i) {
    const std::string path = "/" + published.full_name() + "/" + published.method(i)->name();
    EXPECT_EQ(std::ranges::count(paths, path), 1) << path;
  }
}

TEST(ServiceTest, Health) {
  TestService service;
  EXPECT_TRUE(ResponseOf<inference::ServerLiveResponse>(*service.Ask("ServerLive", "")).live());
  EXPECT_TRUE(ResponseOf<inference::ServerReadyResponse>(*service.Ask("ServerReady", "")).ready());
  service.catalog.live = service.catalog.ready = false;
  EXPECT_EQ(StatusOf(*service.Ask("ServerLive", "")), "0");
  EXPECT_FALSE(ResponseOf<inference::ServerLiveResponse>(*service.Ask("ServerLive", "")).live());
  EXPECT_FALSE(ResponseOf<inference::ServerReadyResponse>(*service.Ask("ServerReady", "")).ready());
}

TEST(ServiceTest, ModelReadyIsTrueFalseOrNotFound) {
  TestService service;
  inference::ModelReadyRequest request;
  request.set_name("m");
  request.set_version("2");
  EXPECT_TRUE(ResponseOf<inference::ModelReadyResponse>(*service.Ask("ModelReady", request)).ready());
  service.catalog.model_ready = base::Unavailable("loading");
  EXPECT_EQ(StatusOf(*service.Ask("ModelReady", request)), "0");
  EXPECT_FALSE(ResponseOf<inference::ModelReadyResponse>(*service.Ask("ModelReady", request)).ready());
  service.catalog.model_ready = base::NotFound("no model 'm'");
  EXPECT_EQ(StatusOf(*service.Ask("ModelReady", request)), "5: no model 'm'");
  service.options.triton_exact = true;
  EXPECT_EQ(StatusOf(*service.Ask("ModelReady", request)), "0");
  EXPECT_FALSE(ResponseOf<inference::ModelReadyResponse>(*service.Ask("ModelReady", request)).ready());
}

TEST(ServiceTest, ServerMetadata) {
  TestService service;
  service.options.server_name = "s";
  service.options.server_version = "1.2";
  const auto metadata = ResponseOf<inference::ServerMetadataResponse>(*service.Ask("ServerMetadata", ""));
  EXPECT_EQ(metadata.name(), "s");
  EXPECT_EQ(metadata.version(), "1.2");
  EXPECT_EQ(std::ranges::count(metadata.extensions(), "model_repository"), 1);
}

TEST(ServiceTest, MetadataConfigAndStatisticsOfModels) {
  TestService service;
  service.catalog.metadata = core::ModelMetadata{};
  service.catalog.metadata->name = "m";
  service.catalog.config = R"({"name":"m"})";
  service.catalog.statistics = std::vector<core::ModelStatistics>(1);
  service.catalog.statistics->front().name = "m";
  EXPECT_EQ(ResponseOf<inference::ModelMetadataResponse>(*service.Ask("ModelMetadata", "")).name(), "m");
  EXPECT_EQ(ResponseOf<inference::ModelConfigResponse>(*service.Ask("ModelConfig", "")).config().name(), "m");
  inference::ModelStatisticsRequest request;
  request.set_name("m");
  const auto statistics = ResponseOf<inference::ModelStatisticsResponse>(*service.Ask("ModelStatistics", request));
  ASSERT_EQ(statistics.model_stats_size(), 1);
  EXPECT_EQ(statistics.model_stats(0).name(), "m");
  EXPECT_EQ(service.catalog.asked_model, "m");
  service.catalog.metadata = std::unexpected(base::NotFound("none"));
  service.catalog.config = std::unexpected(base::Unavailable("not ready"));
  service.catalog.statistics = std::unexpected(base::NotFound("none"));
  EXPECT_EQ(StatusOf(*service.Ask("ModelMetadata", "")), "5: none");
  EXPECT_EQ(StatusOf(*service.Ask("ModelConfig", "")), "14: not ready");
  EXPECT_EQ(StatusOf(*service.Ask("ModelStatistics", "")), "5: none");
}

TEST(ServiceTest, RepositoryIndexFilters) {
  TestService service;
  service.catalog.index = std::vector<core::IndexEntry>{
      {.name = "a", .version = "1", .state = core::ModelState::kReady, .reason = "", .repository = "r"}};
  inference::RepositoryIndexRequest request;
  request.set_repository_name("r");
  request.set_ready(true);
  const auto index = ResponseOf<inference::RepositoryIndexResponse>(*service.Ask("RepositoryIndex", request));
  ASSERT_EQ(index.models_size(), 1);
  EXPECT_EQ(index.models(0).state(), "READY");
  EXPECT_EQ(service.catalog.asked_repository, "r");
  EXPECT_TRUE(service.catalog.asked_ready_only);
  service.catalog.index = std::unexpected(base::NotFound("no repository 'r'"));
  EXPECT_EQ(StatusOf(*service.Ask("RepositoryIndex", request)), "5: no repository 'r'");
}

TEST(ServiceTest, LoadAndUnloadAnswerWhenDone) {
  TestService service;
  inference::RepositoryModelLoadRequest load;
  load.set_model_name("m");
  auto call = service.Ask("RepositoryModelLoad", load);
  EXPECT_EQ(StatusOf(*call), "0");
  EXPECT_EQ(call->Messages(), std::vector<std::string>{"0:"});
  EXPECT_EQ(service.catalog.load->model, "m");
  inference::RepositoryModelUnloadRequest unload;
  unload.set_model_name("m");
  unload.set_repository_name("r");
  (*unload.mutable_parameters())["unload_dependents"].set_bool_param(true);
  EXPECT_EQ(StatusOf(*service.Ask("RepositoryModelUnload", unload)), "0");
  EXPECT_EQ(service.catalog.unload->repository, "r");
  EXPECT_TRUE(service.catalog.unload->unload_dependents);
  service.catalog.control = base::FailedPrecondition("load failed for model 'm'");
  EXPECT_EQ(StatusOf(*service.Ask("RepositoryModelLoad", load)), "9: load failed for model 'm'");
  load.set_model_name("..");
  unload.set_model_name("..");
  EXPECT_EQ(service.Ask("RepositoryModelLoad", load)->status(), "3");
  EXPECT_EQ(service.Ask("RepositoryModelUnload", unload)->status(), "3");
}

TEST(ServiceTest, LoadIsReadOnThePool) {
  TestService service;
  auto call = service.Open("RepositoryModelLoad");
  call->Unary("");
  EXPECT_EQ(service.server.pool.waiting(), 1u);
  service.Settle();
  EXPECT_EQ(call->status(), "3");
}

TEST(ServiceTest, LogSettingsAreAllOrNothing) {
  TestService service;
  service.logger->SetEnabled(base::LogLevel::kInfo, true);
  inference::LogSettingsRequest request;
  (*request.mutable_settings())["log_info"].set_bool_param(false);
  (*request.mutable_settings())["log_error"].set_string_param("no");
  EXPECT_EQ(StatusOf(*service.Ask("LogSettings", request)),
            "3: log setting 'log_error': expected true or false, got 'no'");
  EXPECT_TRUE(service.logger->Enabled(base::LogLevel::kInfo));
  request.mutable_settings()->erase("log_error");
  const auto settings = ResponseOf<inference::LogSettingsResponse>(*service.Ask("LogSettings", request));
  EXPECT_FALSE(service.logger->Enabled(base::LogLevel::kInfo));
  EXPECT_FALSE(settings.settings().at("log_info").bool_param());
  EXPECT_EQ(ResponseOf<inference::LogSettingsResponse>(*service.Ask("LogSettings", "")).settings_size(), 6);
}

TEST(ServiceTest, UndecodableMessagesNameWhatWasExpected) {
  TestService service;
  for (const char* method :
       {"ServerLive", "ServerReady", "ModelReady", "ServerMetadata", "ModelMetadata", "ModelConfig", "ModelStatistics",
        "RepositoryIndex", "RepositoryModelLoad", "RepositoryModelUnload", "LogSettings"}) {
    const auto call = service.Ask(method, "\xff\xff");
    EXPECT_EQ(call->status(), "3") << method;
    EXPECT_NE(call->message().find(std::string(method) + "Request"), std::string::npos) << call->message();
  }
  EXPECT_EQ(service.Ask("ModelReady", "\x0a\x01\xff")->status(), "3") << "no UTF-8";
}

TEST(ServiceTest, UnknownFieldsAreIgnored) {
  TestService service;
  EXPECT_EQ(StatusOf(*service.Ask("ModelReady", "\x0a\x01m\xf8\x07\x01")), "0");
}

TEST(ServiceTest, SharedMemoryAndTracesAreUnimplemented) {
  TestService service;
  for (const char* method : {"SystemSharedMemoryStatus", "SystemSharedMemoryRegister", "SystemSharedMemoryUnregister",
                             "CudaSharedMemoryStatus", "CudaSharedMemoryRegister", "CudaSharedMemoryUnregister"}) {
    EXPECT_EQ(StatusOf(*service.Ask(method, "")), "12: client shared memory is not served") << method;
  }
  EXPECT_EQ(StatusOf(*service.Ask("TraceSetting", "")), "12: tracing is not served");
}

TEST(ServiceTest, ControlMessagesAreLimited) {
  TestService service;
  const std::string big(size_t{1} << 21, '\0');
  EXPECT_EQ(service.Ask("ModelReady", big)->status(), "8");
  EXPECT_EQ(service.Ask("RepositoryModelLoad", big)->status(), "3") << "files may be as big as any message";
}

}  // namespace
}  // namespace inferd::oip_grpc
