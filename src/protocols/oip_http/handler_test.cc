#include "protocols/oip_http/handler.h"

#include <gtest/gtest.h>

#include "protocols/oip_http/handler_fixture.h"

namespace inferd::oip_http {
namespace {

TEST(HandlerTest, ServerMetadataListsExactlyWhatIsAnswered) {
  TestServer server;
  server.options.server_version = "1.2.3";
  const net::HttpResponse response = server.Get("/v2");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(HeaderValue(response, "Content-Type"), "application/json");
  EXPECT_EQ(BodyText(response),
            R"x({"name":"inferd","version":"1.2.3","extensions":["classification","sequence",)x"
            R"x("model_repository","model_repository(unload_dependents)","schedule_policy","model_configuration",)x"
            R"x("binary_tensor_data","parameters","statistics","trace","logging"]})x");
}

TEST(HandlerTest, UnknownPathsAndMethods) {
  TestServer server;
  net::HttpResponse response = server.Get("/v2/nothing");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(BodyText(response), R"({"error":"Not Found"})");
  response = server.Get("/v2/models/m/infer");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(HeaderValue(response, "Allow"), "POST");
  EXPECT_EQ(BodyText(response), R"({"error":"Method Not Allowed"})");
  server.options.detail_bodies = true;
  response = server.Get("/v2/nothing");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(BodyText(response), R"({"detail":"Not Found"})");
  response = server.Get("/v2/models/m/infer");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(HeaderValue(response, "Allow"), "POST");
  EXPECT_EQ(BodyText(response), R"({"detail":"Method Not Allowed"})");
}

TEST(HandlerTest, HealthIsAStatusWithoutABody) {
  TestServer server;
  EXPECT_EQ(server.Get("/v2/health/live").status, 200);
  EXPECT_EQ(server.Get("/v2/health/ready").status, 200);
  EXPECT_EQ(server.Get("/v2/models/m/ready").status, 200);
  EXPECT_EQ(BodyText(server.Get("/v2/health/live")), "");
  server.catalog.live = server.catalog.ready = false;
  server.catalog.model_ready = base::Unavailable("loading");
  for (const char* path :
       {"/v2/health/live", "/v2/health/ready", "/v2/models/m/ready", "/v2/models/m/versions/2/ready"}) {
    const net::HttpResponse response = server.Get(path);
    EXPECT_EQ(response.status, 400) << path;
    EXPECT_EQ(BodyText(response), "") << path;
  }
  server.catalog.model_ready = base::Internal("anything else is still only not ready");
  EXPECT_EQ(server.Get("/v2/models/m/ready").status, 400);
  server.catalog.model_ready = base::NotFound("Request for unknown model: 'm' is not found");
  const net::HttpResponse response = server.Get("/v2/models/m/ready");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(BodyText(response), R"({"error":"Request for unknown model: 'm' is not found"})");
}

TEST(HandlerTest, HealthBodiesMayFollowTheAcceptHeader) {
  TestServer server;
  server.options.health_bodies = HealthBodies::kAccepted;
  const auto body = [&server](const char* accept) {
    return BodyText(server.Get("/v2/health/live", {{"Accept", accept}}));
  };
  EXPECT_EQ(BodyText(server.Get("/v2/health/live")), "");
  for (const char* accept : {"*/*", "application/json", "text/html, application/*;q=0.5"}) {
    EXPECT_EQ(body(accept), R"({"live":true})") << accept;
  }
  for (const char* accept : {"", "text/plain", "application/json;q=0", "application/jsonx", ",,;,"}) {
    EXPECT_EQ(body(accept), "") << accept;
  }
}

TEST(HandlerTest, HealthBodiesAndTextsAreOptions) {
  TestServer server;
  server.options.health_bodies = HealthBodies::kJson;
  server.catalog.ready = false;
  EXPECT_EQ(BodyText(server.Get("/v2/health/live")), R"({"live":true})");
  EXPECT_EQ(BodyText(server.Get("/v2/health/ready")), R"({"live":true,"ready":false})");
  EXPECT_EQ(BodyText(server.Get("/v2/models/m/ready")), R"({"name":"m","ready":true})");
  server.catalog.model_ready = base::Unavailable("loading");
  EXPECT_EQ(BodyText(server.Get("/v2/models/m/ready")), R"({"name":"m","ready":false})");
  server.options.texts.model_not_ready = "Model version not ready";
  EXPECT_EQ(BodyText(server.Get("/v2/models/m/ready")), R"({"error":"Model version not ready"})");
}

TEST(HandlerTest, ModelMetadataAndConfig) {
  TestServer server;
  server.catalog.metadata = core::ModelMetadata{
      .name = "m",
      .versions = {"1", "3"},
      .platform = "onnx_onnxv1",
      .inputs = {{.name = "x", .datatype = tensor::DataType::kFp32, .shape = {-1, 3}, .optional = false, .labels = {}}},
      .outputs = {},
      .parameters = {}};
  EXPECT_EQ(BodyText(server.Get("/v2/models/m")),
            R"({"name":"m","versions":["1","3"],"platform":"onnx_onnxv1","inputs":[{"name":"x","datatype":"FP32",)"
            R"("shape":[-1,3]}],"outputs":[]})");
  server.catalog.metadata = std::unexpected(base::Unavailable("model 'm' is loading"));
  EXPECT_EQ(server.Get("/v2/models/m/versions/1").status, 503);
  server.catalog.config = std::string(R"({"name":"m"})");
  EXPECT_EQ(BodyText(server.Get("/v2/models/m/config")), R"({"name":"m"})");
}

TEST(HandlerTest, StatisticsOfOneAndOfAll) {
  TestServer server;
  core::ModelStatistics statistics;
  statistics.name = "m";
  statistics.version = "1";
  statistics.inference_count = 7;
  statistics.success = {.count = 3, .ns = 900};
  statistics.batches = {
      {.batch_size = 2, .compute_input = {}, .compute_infer = {.count = 1, .ns = 5}, .compute_output = {}}};
  server.catalog.statistics = std::vector{statistics};
  const std::string zero = R"({"count":0,"ns":0})";
  EXPECT_EQ(BodyText(server.Get("/v2/models/stats")),
            R"({"model_stats":[{"name":"m","version":"1","last_inference":0,"inference_count":7,"execution_count":0,)"
            R"("inference_stats":{"success":{"count":3,"ns":900},"fail":)" +
                zero + R"(,"queue":)" + zero + R"(,"compute_input":)" + zero + R"(,"compute_infer":)" + zero +
                R"(,"compute_output":)" + zero + R"(,"cache_hit":)" + zero + R"(,"cache_miss":)" + zero +
                R"(},"response_stats":{},"batch_stats":[{"batch_size":2,"compute_input":)" + zero +
                R"(,"compute_infer":{"count":1,"ns":5},"compute_output":)" + zero + R"(}],"memory_usage":[]}]})");
  EXPECT_EQ(server.catalog.asked_model, "");
  EXPECT_EQ(server.Get("/v2/models/m/stats").status, 200);
  EXPECT_EQ(server.catalog.asked_model, "m");
}

TEST(HandlerTest, RepositoryIndex) {
  TestServer server;
  server.catalog.index = std::vector<core::IndexEntry>{
      {.name = "a", .version = "1", .state = core::ModelState::kReady, .reason = "", .repository = "r"},
      {.name = "b", .version = "", .state = core::ModelState::kUnavailable, .reason = "bad file", .repository = "r"}};
  EXPECT_EQ(BodyText(server.Post("/v2/repository/index", "")),
            R"([{"name":"a","version":"1","state":"READY"},{"name":"b","state":"UNAVAILABLE","reason":"bad file"}])");
  EXPECT_FALSE(server.catalog.asked_ready_only);
  EXPECT_EQ(server.Post("/v2/repository/r/index", R"({"ready":true})").status, 200);
  EXPECT_TRUE(server.catalog.asked_ready_only);
  EXPECT_EQ(server.catalog.asked_repository, "r");
  EXPECT_EQ(server.Post("/v2/repository/index", R"({"ready":1})").status, 400);
  server.catalog.index = std::unexpected(base::NotFound("no repository 'q'"));
  EXPECT_EQ(server.Post("/v2/repository/q/index", "{}").status, 404);
}

TEST(HandlerTest, LoadAndUnloadAnswerWhenDone) {
  TestServer server;
  net::HttpResponse response = server.Post("/v2/repository/models/m/load", "");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(BodyText(response), "");
  ASSERT_TRUE(server.catalog.load.has_value());
  EXPECT_EQ(server.catalog.load->model, "m");
  response = server.Post("/v2/repository/r/models/m/unload", R"({"parameters":{"unload_dependents":true}})");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(server.catalog.unload->repository, "r");
  EXPECT_TRUE(server.catalog.unload->unload_dependents);
  server.catalog.control = base::FailedPrecondition("load failed for model 'm'");
  EXPECT_EQ(server.Post("/v2/repository/models/m/load", "").status, 400);
  EXPECT_EQ(server.Post("/v2/repository/models/../load", "").status, 400);
  EXPECT_EQ(server.Post("/v2/repository/models/../unload", "").status, 400);
}

TEST(HandlerTest, LoggingIsAllOrNothing) {
  TestServer server;
  server.logger->SetEnabled(base::LogLevel::kInfo, true);
  EXPECT_EQ(server.Post("/v2/logging", R"({"log_info":false,"log_error":"no"})").status, 400);
  EXPECT_TRUE(server.logger->Enabled(base::LogLevel::kInfo));
  EXPECT_EQ(BodyText(server.Post("/v2/logging", R"({"log_info":false,"log_verbose_level":2})")),
            R"({"log_file":"","log_info":false,"log_warning":false,"log_error":false,"log_verbose_level":2,)"
            R"("log_format":"default"})");
  EXPECT_EQ(server.Post("/v2/logging", R"({"log_file":"/tmp/x"})").status, 400);
  EXPECT_EQ(server.Post("/v2/logging", R"({"log_colour":true})").status, 400);
  EXPECT_EQ(server.Get("/v2/logging").status, 200);
}

TEST(HandlerTest, ModelNamesAndMetrics) {
  TestServer server;
  EXPECT_EQ(BodyText(server.Get("/v2/models")), R"({"models":["a","b"]})");
  EXPECT_EQ(BodyText(server.Get("/metrics")), "m 1\n");
}

TEST(HandlerTest, BodiesAreAlignedBehindTheirJson) {
  TestServer server;
  const auto plan = [&](TestServer::Headers headers) {
    return server.handler->OnHead(
        TestServer::Request(net::Method::kPost, "/v2/models/m/infer", "0123456789", headers).head);
  };
  EXPECT_EQ(plan({{"inference-header-content-length", "7"}}).align_at, 7u);
  EXPECT_EQ(plan({}).align_at, 0u);
  EXPECT_EQ(plan({{"Inference-Header-Content-Length", "11"}}).refuse->status, 400);
  EXPECT_EQ(plan({{"Inference-Header-Content-Length", "-1"}}).refuse->status, 400);
  EXPECT_EQ(plan({{"Inference-Header-Content-Length", "7x"}}).refuse->status, 400);
  EXPECT_EQ(plan({{"Inference-Header-Content-Length", ""}}).refuse->status, 400);
  EXPECT_EQ(plan({{"Inference-Header-Content-Length", "1"}, {"Inference-Header-Content-Length", "2"}}).refuse->status,
            400);
  EXPECT_EQ(plan({{"Content-Encoding", "br"}}).refuse->status, 415);
  // A compressed body is aligned when it is decompressed.
  EXPECT_EQ(plan({{"Content-Encoding", "gzip"}, {"Inference-Header-Content-Length", "700"}}).align_at, 0u);
}

// Remembers its requests.
class RecordingMemory final : public core::InputMemory {
 public:
  base::Buffer Allocate(size_t size, size_t align_at) override {
    asked.emplace_back(size, align_at);
    return base::Buffer::Allocate(size, align_at);
  }
  std::vector<std::pair<size_t, size_t>> asked;
};

TEST(HandlerTest, LongBodiesWithBinaryTensorsAreReadToWhereTheModelSeesThem) {
  TestServer server;
  RecordingMemory memory;
  server.dispatcher.models["m"] = std::make_shared<FakePinned>();
  server.dispatcher.models["m"]->input_memory_ = &memory;
  server.dispatcher.models["inside"] = std::make_shared<FakePinned>();
  server.options.body_bytes_max = 100'000;
  const auto plan = [&](TestServer::Headers headers, std::optional<uint64_t> length = 70'000,
                        std::string_view path = "/v2/models/m/infer") {
    net::HttpRequest request = TestServer::Request(net::Method::kPost, path, "", headers);
    request.head.content_length = length;
    return server.handler->OnHead(request.head);
  };
  const TestServer::Headers binary = {{"Inference-Header-Content-Length", "77"}};
  EXPECT_EQ(plan(binary).memory.size(), 70'000u);
  EXPECT_EQ(plan({{"Inference-Header-Content-Length", "0"}}).memory.size(), 70'000u) << "bytes alone";
  EXPECT_EQ(plan(binary, 70'000, "/v2/models/m/versions/1/infer").memory.size(), 70'000u);
  EXPECT_EQ(memory.asked, (std::vector<std::pair<size_t, size_t>>{{70'000, 77}, {70'000, 0}, {70'000, 77}}));
  EXPECT_FALSE(plan({}).memory) << "JSON is read, not passed on";
  EXPECT_FALSE(plan({{"Inference-Header-Content-Length", "77"}, {"Content-Encoding", "gzip"}}).memory);
  EXPECT_FALSE(plan(binary, 1000).memory);
  EXPECT_FALSE(plan(binary, 100'001).memory) << "refused anyway";
  EXPECT_FALSE(plan(binary, std::nullopt).memory);
  EXPECT_FALSE(plan(binary, 70'000, "/v2/models/inside/infer").memory);
  EXPECT_FALSE(plan(binary, 70'000, "/v2/models/unknown/infer").memory);
  EXPECT_FALSE(plan(binary, 70'000, "/v2/repository/models/m/load").memory);
  server.access = *access::Policy::Create({{.groups = {access::Group::kInference}, .header = "K", .value = "v"}}, {});
  EXPECT_TRUE(plan(binary).refuse.has_value());
  EXPECT_EQ(memory.asked.size(), 3u);
}

access::Policy Restricted(access::Group group) {
  return *access::Policy::Create({{.groups = {group}, .header = "X-Key", .value = "secret"}}, {});
}

TEST(HandlerTest, ARestrictedGroupIsRefusedBeforeTheBodyIsRead) {
  TestServer server;
  server.access = Restricted(access::Group::kInference);
  net::HttpRequest request = TestServer::Request(net::Method::kPost, "/v2/models/m/infer", "{}");
  const net::BodyPlan plan = server.handler->OnHead(request.head);
  ASSERT_TRUE(plan.refuse.has_value());
  EXPECT_EQ(plan.refuse->status, 403);
  EXPECT_EQ(BodyText(*plan.refuse), R"({"error":"This API is restricted, expecting header 'X-Key'"})");
  request.head.headers.emplace_back("x-key", "secret");
  EXPECT_FALSE(server.handler->OnHead(request.head).refuse.has_value());
  // Other endpoints are open, and unknown ones stay unknown.
  EXPECT_EQ(server.Get("/v2").status, 200);
  EXPECT_EQ(server.Get("/v2/health/live").status, 200);
  EXPECT_EQ(server.Get("/v2/models/m/infer").status, 405);
}

TEST(HandlerTest, AModelsHealthIsAsRestrictedAsTheServers) {
  TestServer server;
  server.access = Restricted(access::Group::kHealth);
  for (const char* path : {"/v2/health/live", "/v2/health/ready", "/v2/models/m/ready"}) {
    EXPECT_EQ(server.Get(path).status, 403) << path;
  }
  EXPECT_EQ(server.Get("/v2/models").status, 200);
}

TEST(MetricsHandlerTest, IsRestrictedByTheSamePolicy) {
  TestServer server;
  server.handler = MakeMetricsHandler(server.options, server.access, server.catalog, server.pool,
                                      [] { return std::string("m 2\n"); });
  server.access = Restricted(access::Group::kMetrics);
  EXPECT_EQ(server.Get("/metrics").status, 403);
  EXPECT_EQ(server.Get("/v2/health/live").status, 200);
  EXPECT_EQ(server.Ask(TestServer::Request(net::Method::kGet, "/metrics", "", {{"X-Key", "secret"}})).status, 200);
  server.access = Restricted(access::Group::kHealth);
  EXPECT_EQ(server.Get("/metrics").status, 200);
  EXPECT_EQ(server.Get("/v2/models/m/ready").status, 403);
}

TEST(MetricsHandlerTest, ServesMetricsAndHealthAlone) {
  TestServer server;
  server.handler = MakeMetricsHandler(server.options, server.access, server.catalog, server.pool,
                                      [] { return std::string("m 2\n"); });
  EXPECT_EQ(BodyText(server.Get("/metrics")), "m 2\n");
  EXPECT_EQ(server.Get("/v2/health/live").status, 200);
  EXPECT_EQ(server.Get("/v2/health/ready").status, 200);
  EXPECT_EQ(server.Get("/v2/models/m/ready").status, 200);
  EXPECT_EQ(server.Get("/v2").status, 404);
  EXPECT_EQ(server.Post("/v2/models/m/infer", "{}").status, 404);
  EXPECT_EQ(server.Post("/metrics", "").status, 405);
}

}  // namespace
}  // namespace inferd::oip_http
